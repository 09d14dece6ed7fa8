"""Which files may know of each other, read off their import statements without parsing them.

An approximation from above: an import in a string or a comment counts as well. Files between which there
is no chain
of imports cannot change each other's findings, so they can be looked at apart.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping

_INIT = f"{os.sep}__init__"
_STATEMENT = re.compile(
    r"\bfrom[ \t]+(?P<module>[.\w]+)[ \t]*import\b(?P<names>[^;#]*)|\bimport[ \t]+(?P<modules>[^;#]+)"
)
_NAME = re.compile(r"[^\W\d]\w*")


_ASKED = re.compile(r"(?:import_module|importorskip|__import__)\([ \t]*[\"']")


def imports_torch(text: str) -> bool:
    """Whether a text may import torch or a library that has it in its name. Words in comments and strings do
    not count, but a line of a string may look like an import.
    """
    if "torch" not in text:
        return False
    if any(_is_torch(line) for line in text.split("\n") if "torch" in line and "import" in line):
        return True
    return any("torch" in text[found.end() : found.end() + 40] for found in _ASKED.finditer(text))


def _is_torch(line: str) -> bool:
    """Whether the first word with torch in it is what the line imports, or begins with."""
    before = line[: line.index("torch")]
    statement = re.split("[:;]", before)[-1].split()
    if "#" in before or not statement:
        return False
    if statement[0] == "from":
        return len(statement) == 1 or (len(statement) == 2 and "." not in statement[1])
    return statement[0] == "import" and "." not in before.rpartition(",")[2].rpartition(" ")[2]


def mentioned(text: str) -> Iterator[str]:
    """The modules that a text may import; dots in front count folders up."""
    for line in _lines_with_imports(text.replace("\\\r\n", " ").replace("\\\n", " ")):
        for statement in _STATEMENT.finditer(line):
            if module := statement["module"]:
                yield module
                dot = "" if module.endswith(".") else "."
                yield from (f"{module}{dot}{name}" for name in _NAME.findall(statement["names"]))
                continue
            for module in statement["modules"].split(","):
                parts = module.split(" as ")[0].strip().split(".")
                yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def _lines_with_imports(text: str) -> Iterator[str]:
    """A line goes on to the closing parenthesis."""
    end = 0
    while (at := text.find("import", end)) >= 0:
        start = max(end, text.rfind("\n", 0, at) + 1)
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if "(" in text[at:end] and ")" not in text[at:end]:
            end = text.find(")", end) + 1 or len(text)
        yield re.sub(r"#[^\n]*", "", text[start:end])


def components(mentions: Mapping[str, Iterable[str]]) -> list[tuple[str, ...]]:
    """The paths in groups that no import leads out of, each sorted, and by their first paths.

    `mentions`: the modules that each may import.
    """
    modules = Modules(mentions)
    home = {path: path for path in mentions}

    def root(path: str) -> str:
        while home[path] != path:
            home[path] = home[home[path]]
            path = home[path]
        return path

    for path, mentioned_here in mentions.items():
        for module in mentioned_here:
            for other in modules.files_of(module, path):
                home[root(other)] = root(path)
    groups: dict[str, list[str]] = {}
    for path in sorted(mentions):
        groups.setdefault(root(path), []).append(path)
    return [tuple(group) for group in groups.values()]


class Modules:
    """Stateful: remembers what each folder of files can import."""

    def __init__(self, paths: Iterable[str]):
        self._by_stem: dict[str, list[str]] = {}  # "pkg/mod" -> its files
        for path in paths:
            stem = path.rpartition(".")[0]
            self._by_stem.setdefault(stem, []).append(path)
            if stem.endswith(_INIT):
                self._by_stem.setdefault(stem.removesuffix(_INIT), []).append(path)
        self._heads = {stem.rpartition(os.sep)[2] for stem in self._by_stem}
        self._heads |= {part for stem in self._by_stem for part in stem.split(os.sep)[:-1]}
        self._found: dict[tuple[str, str], list[str]] = {}

    def files_of(self, module: str, importer: str) -> list[str]:
        """Every file that the module may mean: relative to the importer's folder, or from that or one
        above it.
        """
        folder = os.path.dirname(importer)
        if (folder, module) not in self._found:
            self._found[folder, module] = list(self._look(module, folder))
        return self._found[folder, module]

    def _look(self, module: str, folder: str) -> Iterator[str]:
        inner = module.lstrip(".")
        parts = inner.split(".") if inner else []
        if parts and parts[0] not in self._heads:
            return
        bases = list(_upward(folder))
        if len(module) > len(inner):
            bases = bases[len(module) - len(inner) - 1 :][:1]
        for base in bases:
            yield from self._by_stem.get(os.sep.join([base, *parts]), ())


def _upward(folder: str) -> Iterator[str]:
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above
