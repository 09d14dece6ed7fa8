"""`FILE#SNIPPET`: a whole file, a cell of it, or a snippet of a lesson.

Cells count from 1. They begin in Python files at `# %%`, in notebooks by themselves, and in MyST at a
`{code-cell}`; a title or label names them, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from torchwise.syntax.encoding import decode
from torchwise.syntax.notebook import BrokenNotebook, notebook_cells

_PERCENT = re.compile(r"# ?%%(?P<title>.*)")
_FENCE = re.compile(r"^(?P<fence>`{3,}|:{3,})\{code(?:-cell)?\}(?P<rest>.*)$")
_OPTION = re.compile(r"^:(?P<key>[\w-]+):\s*(?P<value>.*)$")


class NoSuchSnippet(Exception):
    """What was asked for is not in the file."""


@dataclass(frozen=True)
class Snippet:
    code: str
    first_row: int  # in its file; in its cell for a notebook
    label: str = ""
    may_raise: bool = False  # it is there to show an error
    is_cell: bool = True  # and not a whole file


def chosen(target: str) -> tuple[Path, list[Snippet], list[Snippet]]:
    """The file, what has to run before, and what was asked for. Raises NoSuchSnippet and OSError."""
    name, hash_, wanted = target.partition("#")
    path = Path(name)
    all_ = snippets_of(path)
    if not hash_:
        return path, [], all_
    for index, snippet in enumerate(all_):
        if wanted in (str(index + 1), snippet.label):
            return path, all_[:index], [snippet]
    labels = [snippet.label or str(index + 1) for index, snippet in enumerate(all_)]
    raise NoSuchSnippet(f"{name} has no snippet `{wanted}`; it has: {', '.join(labels[:20]) or 'none'}")


def snippets_of(path: Path) -> list[Snippet]:
    """Raises NoSuchSnippet and OSError."""
    text = decode(path.read_bytes())
    match path.suffix:
        case ".ipynb":
            try:
                return [Snippet(cell.text, 1) for cell in notebook_cells(text) if cell.kind == "code"]
            except BrokenNotebook as error:
                raise NoSuchSnippet(f"{path} is no notebook: {error.reason}") from None
        case ".md" | ".myst":
            return list(_of_myst(text.splitlines()))
        case _:
            return list(_of_python(text.splitlines()))


def _of_python(lines: list[str]) -> Iterator[Snippet]:
    starts = [(row, found) for row, line in enumerate(lines) if (found := _PERCENT.match(line))]
    if not starts:
        yield Snippet("\n".join(lines) + "\n", 1, is_cell=False)
        return
    if any(line.strip() for line in lines[: starts[0][0]]):
        yield Snippet("\n".join(lines[: starts[0][0]]), 1)
    ends = [row for row, _ in starts[1:]] + [len(lines)]
    for (row, found), end in zip(starts, ends):
        if "[markdown]" not in found["title"]:
            yield Snippet("\n".join(lines[row:end]), row + 1, found["title"].strip())


def _of_myst(lines: list[str]) -> Iterator[Snippet]:
    row = 0
    while row < len(lines):
        fence = _FENCE.match(lines[row].strip())
        row += 1
        if fence is None:
            continue
        close = re.compile(rf"^\s*{fence['fence'][0]}{{{len(fence['fence'])},}}\s*$")
        end = next((at for at in range(row, len(lines)) if close.match(lines[at])), len(lines))
        if not re.search(r"console|bash|sh\b", fence["rest"]):
            yield _cell(lines, row, end)
        row = end + 1


def _cell(lines: list[str], row: int, end: int) -> Snippet:
    """Options come first: `:key: value`, or YAML between `---`."""
    options: dict[str, str] = {}
    if row < end and lines[row].strip() == "---":
        close = next((at for at in range(row + 1, end) if lines[at].strip() == "---"), end - 1)
        for line in lines[row + 1 : close]:
            key, _, value = line.partition(":")
            options[key.strip("- ")] = value.strip()
        options["tags"] = options.get("tags", "") + " ".join(lines[row + 1 : close])
        row = close + 1
    while row < end and (option := _OPTION.match(lines[row].strip())):
        options[option["key"]] = option["value"]
        row += 1
    label = options.get("label") or options.get("name") or ""
    return Snippet("\n".join(lines[row:end]), row + 1, label, "raises-exception" in options.get("tags", ""))
