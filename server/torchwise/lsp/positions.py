"""Between our spans (rows from 1, columns in characters) and ranges of LSP (lines from 0, columns in its
units).
"""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types
from pygls.workspace import PositionCodec

from torchwise.syntax.span import Span


def range_of(span: Span, lines: Sequence[str], codec: PositionCodec) -> types.Range:
    start = _position(span.row, span.col, lines, codec)
    return types.Range(start, _position(span.end_row, span.end_col, lines, codec))


def _position(row: int, col: int, lines: Sequence[str], codec: PositionCodec) -> types.Position:
    if row > len(lines):
        return types.Position(row - 1, 0)
    return types.Position(row - 1, codec.client_num_units(lines[row - 1][:col]))


def place_of(at: types.Position, lines: Sequence[str], codec: PositionCodec) -> tuple[int, int]:
    """Row and column of ours."""
    if at.line >= len(lines):
        return at.line + 1, 0
    return at.line + 1, column(lines[at.line], at.character, codec)


def column(line: str, units: int, codec: PositionCodec) -> int:
    """The characters before a column of the client. Past the end it is the end; the line end does not
    count.
    """
    text = line.rstrip("\r\n")
    if text.isascii():
        return min(units, len(text))
    counted = 0
    for index, char in enumerate(text):
        if counted >= units:
            return index
        counted += codec.client_num_units(char)
    return len(text)
