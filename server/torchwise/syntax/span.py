"""Where a piece of code stands in a file."""

from __future__ import annotations

from torchwise.record import record


@record
class Span:
    """Half-open range; rows count from 1, columns from 0 in characters (code points)."""

    row: int
    col: int
    end_row: int
    end_col: int

    @property
    def start(self) -> Span:
        return Span(self.row, self.col, self.row, self.col)

    def down(self, rows: int) -> Span:
        return Span(self.row + rows, self.col, self.end_row + rows, self.end_col) if rows else self

    def holds(self, row: int, col: int) -> bool:
        return (self.row, self.col) <= (row, col) <= (self.end_row, self.end_col)
