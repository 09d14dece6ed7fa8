"""From IPython's coloured traceback to places in snippets and files.

It is read as text, since a kernel on a server may have any version of IPython. Only the last exception of a
chain is taken apart; those before it are named in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from torchwise.run.messages import Failure, Frame

MOST_FRAMES = 30
MOST_TEXT = 4000  # characters of a message

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_CELL = re.compile(
    r"(?:Cell |Input )?In ?\[(?P<count>\d+)\](?:, line (?P<row>\d+))?(?:,? in (?P<function>[^(]+).*)?$"
)
_OLD_CELL = re.compile(r"<ipython-input-(?P<count>\d+)-\w+> in (?P<function>[^(]+).*$")
_FILE = re.compile(r"File (?P<path>.+?):(?P<row>\d+)(?:, in (?P<function>[^(\n]+)|$)")
_OLD_FILE = re.compile(r"(?P<path>[~/][^\n]*\.py|[A-Z]:\\[^\n]*\.py) in (?P<function>[^(]+)")
_HEADERS = (_CELL.match, _OLD_CELL.match, _FILE.match, _OLD_FILE.match)
_ARROW = re.compile(r"-+> *(?P<row>\d+)(?P<line>.*)")
_LIBRARY = re.compile(
    r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib[/\\]python3[^/\\]*[/\\]|^<|[/\\]torchwise[/\\]run[/\\]"
)
_OF_PYTHON = re.compile(r" \((?:<[^<>\n]*>|\d+\.py), line \d+\)$")  # what SyntaxError adds
_CHAINED = re.compile(r"^(The above exception was|During handling of)", re.M)


@dataclass(frozen=True)
class Origin:
    """Where the code of one execution came from."""

    name: str
    first_row: int


Snippets = Mapping[int, Origin]  # by IPython's execution count


@dataclass
class _Read:
    """A frame while its lines are read."""

    head: dict[str, str | None]
    row: int | None
    line: str = ""
    plain: list[str] = field(default_factory=list)  # of a syntax error, which has no arrow


def failure(content: Mapping[str, Any], snippets: Snippets) -> Failure:
    """Of the content of an `error` message."""
    name = str(content.get("ename") or "Error")
    message = _OF_PYTHON.sub("", _COLOUR.sub("", str(content.get("evalue") or "")))[:MOST_TEXT]
    text = _COLOUR.sub("", "\n".join(map(str, content.get("traceback") or ())))
    parts = _CHAINED.split(text)
    frames, hidden = _frames(parts[-1], snippets)
    before = [last for part in parts[:-2:2] if (last := _last_line(part))]
    return Failure(
        name=name, message=message, frames=frames, text=_shown(name, message, frames, hidden, before)
    )


def _frames(text: str, snippets: Snippets) -> tuple[list[Frame], dict[int, int]]:
    """Those of the user, and how many of libraries follow each (-1: come first)."""
    frames: list[Frame] = []
    hidden: dict[int, int] = {}
    for read in _read(text):
        path = read.head.get("path")
        if path is not None and _LIBRARY.search(path):
            hidden[len(frames) - 1] = hidden.get(len(frames) - 1, 0) + 1
        else:
            frames.append(_frame(read, snippets))
    return frames, hidden


def _read(text: str) -> Iterator[_Read]:
    open_: _Read | None = None
    for line in text.splitlines():
        if head := next((found for header in _HEADERS if (found := header(line.strip()))), None):
            if open_ is not None:
                yield open_
            groups = head.groupdict()
            open_ = _Read(groups, int(groups["row"]) if groups.get("row") else None)
        elif open_ is not None and (arrow := _ARROW.match(line.strip())):
            open_.row = open_.row or int(arrow["row"])
            open_.line = open_.line or arrow["line"].strip()
        elif open_ is not None:
            open_.plain.append(line.strip())
    if open_ is not None:
        yield open_


def _frame(read: _Read, snippets: Snippets) -> Frame:
    line = read.line
    if not line and len(read.plain) > 1 and set(read.plain[1]) <= {"^", " "}:
        line = read.plain[0]
    function = (read.head.get("function") or "").strip()
    function = "" if function.startswith("<") and function != "<lambda>" else function
    origin = snippets.get(int(read.head.get("count") or 0))
    row = read.row
    if origin is not None and row is not None:
        row += origin.first_row - 1
    name = origin.name if origin else f"In [{read.head['count']}]" if read.head.get("count") else None
    return Frame(snippet=name, path=read.head.get("path"), row=row, function=function or None, line=line)


def _last_line(part: str) -> str:
    lines = [line for line in part.strip().splitlines() if line.strip()]
    return lines[-1].strip()[:MOST_TEXT] if lines else ""


def _shown(name: str, message: str, frames: list[Frame], hidden: Mapping[int, int], before: list[str]) -> str:
    """As Python would, without the frames that are not the user's."""
    lines = [f"{said}\n(and then)" for said in before]
    if frames:
        lines.append("Traceback (most recent call last):")
    repeated = 0
    for index, frame in enumerate(frames):
        if index and frame == frames[index - 1]:
            repeated += 1
            continue
        if repeated:
            lines.append(f"  ... the same, {repeated} times more")
            repeated = 0
        if index < MOST_FRAMES or index >= len(frames) - 3:
            lines += _frame_lines(frame)
        if count := hidden.get(index):
            lines.append(f"  ... {count} more in libraries")
    if repeated:
        lines.append(f"  ... the same, {repeated} times more")
    return "\n".join([*lines, f"{name}: {message}" if message else name])


def _frame_lines(frame: Frame) -> list[str]:
    at = f"  {frame.snippet or frame.path}"
    at += f", line {frame.row}" if frame.row is not None else ""
    at += f", in {frame.function}" if frame.function else ""
    return [at, f"    {frame.line}"] if frame.line else [at]
