"""Changes cells in the JSON of a notebook, and nothing else in it.

Indentation, order, escapes and line ends of the rest stay byte for byte as some editor wrote them: only the
values of the `source` keys are replaced, in the way that the old ones were written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from torchwise.fixes.lines import lines_of

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(strict=False)


def with_cells(raw: str, sources: Mapping[int, str]) -> str:
    """`sources`: the new text of some cells, by their index among all cells. `raw` must be a notebook."""
    pieces, copied = [], 0
    for index, place in enumerate(_source_values(raw)):
        if index in sources and place:
            start, end = place
            pieces += [raw[copied:start], _written_like(raw, start, end, sources[index])]
            copied = end
    return "".join(pieces) + raw[copied:]


def _source_values(raw: str) -> Iterator[tuple[int, int] | None]:
    """Where the value of `source` stands, for each cell."""
    top = _past_space(raw, 1 if raw.startswith("\ufeff") else 0)
    for key, start, _ in _members(raw, top):
        if key == "cells":
            for cell, _ in _items(raw, start):
                found = [(a, b) for name, a, b in _members(raw, cell) if name == "source"]
                yield found[-1] if found else None


def _members(raw: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Key, start and end of the value, for each member of the object that begins at `at`."""
    at = _past_space(raw, at + 1)
    while raw[at] != "}":
        key, at = _DECODER.raw_decode(raw, at)
        start = _past_space(raw, _past_space(raw, at) + 1)
        _, end = _DECODER.raw_decode(raw, start)
        yield key, start, end
        at = _past_space(raw, end)
        at = _past_space(raw, at + 1) if raw[at] == "," else at


def _items(raw: str, at: int) -> Iterator[tuple[int, int]]:
    """Start and end of each item of the list that begins at `at`."""
    at = _past_space(raw, at + 1)
    while raw[at] != "]":
        _, end = _DECODER.raw_decode(raw, at)
        yield at, end
        at = _past_space(raw, end)
        at = _past_space(raw, at + 1) if raw[at] == "," else at


def _past_space(raw: str, at: int) -> int:
    match = _SPACE.match(raw, at)
    return match.end() if match else at


def _written_like(raw: str, start: int, end: int, text: str) -> str:
    """The text as one string or as a list of lines, with the spacing and escapes of raw[start:end]."""
    old, escaped = raw[start:end], _escapes(raw)
    if not old.startswith("["):
        return json.dumps(text, ensure_ascii=escaped)
    lines = [json.dumps(line, ensure_ascii=escaped) for line in lines_of(text)]
    opening = _found(r"^\[([ \t\r\n]*)", old, "")
    between = _found(r'(?<!\\)",([ \t\r\n]*)"', old, opening or " ")
    closing = _found(r"([ \t\r\n]*)\]$", old, "")
    return f"[{opening}{f',{between}'.join(lines)}{closing}]" if lines else "[]"


def _escapes(raw: str) -> bool:
    """Is all that is not ASCII escaped? Jupyter leaves such characters as they are, some tools do not."""
    return raw.isascii() and re.search(r"\\u(?!00[01])", raw) is not None


def _found(pattern: str, text: str, otherwise: str) -> str:
    match = re.search(pattern, text)
    return match[1] if match else otherwise
