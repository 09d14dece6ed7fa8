"""Lines as Python and LSP count them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NEWLINE = re.compile(r"\r\n|\r|\n")


def line_starts(text: str) -> list[int]:
    """Where each line starts, as Python and LSP count lines: `str.splitlines` knows many more line ends."""
    return [0, *(match.end() for match in _NEWLINE.finditer(text))]


def lines_of(text: str) -> list[str]:
    """The lines with their ends."""
    starts = line_starts(text)
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)]) if start < end]


def line_ending(text: str) -> str:
    """That of the first line."""
    match = _NEWLINE.search(text)
    return match[0] if match else "\n"


def offset(text: str, starts: Sequence[int], row: int, col: int) -> int:
    """Where a row, counted from 1, and a column are; the end of the text for what lies behind it."""
    return min(starts[min(row, len(starts)) - 1] + col, len(text))
