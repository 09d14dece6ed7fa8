"""The text of one file, cut into blocks that are parsed one by one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from torchwise.record import record
from torchwise.syntax.block import Block, blocks_of
from torchwise.syntax.cuts import Cut, Cutter, cut
from torchwise.syntax.notebook import Cell, python_of
from torchwise.syntax.span import Span
from torchwise.syntax.tokens import with_plain_newlines


@record
class CellRows:
    """A code cell: its number among all cells from 0, and the row of the joined text in which it starts."""

    cell: int
    first: int


@dataclass(frozen=True)
class Source:
    text: str
    blocks: tuple[Block, ...]
    distrusted: bool = field(default=False, compare=False)  # some string in three quotes never ends
    cells: tuple[CellRows, ...] = ()

    @staticmethod
    def of(text: str) -> Source:
        return _cut_all(text, {})

    @staticmethod
    def of_cells(cells: Sequence[Cell], previous: Source | None = None) -> Source:
        """The code cells of a notebook as one text. Each is cut on its own; those of `previous` are kept."""
        known = _by_text(previous.blocks) if previous else {}
        texts: list[str] = []
        blocks: list[Block] = []
        places: list[CellRows] = []
        row = 1
        for number, cell in enumerate(cells):
            if cell.kind == "code":
                text = python_of(cell.text)
                blocks += blocks_of(text, cut(text), "", known)
                places.append(CellRows(number, row))
                texts.append(text)
                row += text.count("\n")
        return Source("".join(texts), tuple(blocks), cells=tuple(places))

    def edited(self, text: str) -> Source:
        """The source of another text. Blocks of equal text are kept, and only the text between them is cut
        again."""
        kept, position = self._same_at_start(text)
        only_trivia = kept == 1 and not self.blocks[0].code
        if self.distrusted or not kept or only_trivia:
            return _cut_all(text, _by_text(self.blocks))
        rest, end = self._same_at_end(text, kept, position)
        old = self.blocks
        ends = {}
        for index in range(rest, len(old)):
            ends[end] = index
            end += len(old[index].text)
        cutter, starts, resumed = Cutter(with_plain_newlines(text)), [position], len(old)
        end = len(text)
        for start in cutter.starts(position):
            if start in ends:
                resumed, end = ends[start], start
                break
            starts.append(start)
        if cutter.endless:
            return _cut_all(text, _by_text(old))
        operators = tuple([at - position for at in cutter.unfinished])
        here = Cut(tuple([start - position for start in starts]), operators, endless=False)
        fresh = blocks_of(text[position:end], here, "", _by_text(old[kept:resumed]))
        return Source(text, old[:kept] + fresh + old[resumed:])

    def _same_at_start(self, text: str) -> tuple[int, int]:
        """How many blocks the texts have in common, less one: where a block ends, its next line decides."""
        kept = position = 0
        last = 0
        for block in self.blocks:
            if not text.startswith(block.text, position):
                break
            kept, last = kept + 1, position
            position += len(block.text)
        return (kept - 1, last) if kept else (0, 0)

    def _same_at_end(self, text: str, kept: int, position: int) -> tuple[int, int]:
        """The first of the last blocks that the texts have in common, and where it starts."""
        index, end = len(self.blocks), len(text)
        while index > kept and end - len(self.blocks[index - 1].text) > position:
            block = self.blocks[index - 1]
            if not text.endswith(block.text, position, end):
                break
            index, end = index - 1, end - len(block.text)
        return index, end

    @cached_property
    def rows(self) -> tuple[int, ...]:
        """How many rows stand before each block."""
        rows, found = 0, []
        for block in self.blocks:
            found.append(rows)
            rows += block.rows
        return tuple(found)

    @cached_property
    def errors(self) -> tuple[tuple[Span, str], ...]:
        """What is not Python, at most one error for each statement that is broken."""
        return tuple(
            (span.down(rows), message)
            for rows, block in zip(self.rows, self.blocks)
            for span, message in block.errors
        )

    @cached_property
    def comments(self) -> Mapping[int, tuple[str, Span]]:
        """By row: the comment from its `#` on, and where it stands."""
        return {
            span.row + rows: (text, span.down(rows))
            for rows, block in zip(self.rows, self.blocks)
            for span, text in block.comments
        }

    def in_cell(self, span: Span) -> tuple[int, Span]:
        """Of a notebook: the number of the cell that a span starts in, and where it stands in that cell."""
        found = self.cells[max(bisect_right(self.cells, span.row, key=lambda cell: cell.first) - 1, 0)]
        return found.cell, span.down(1 - found.first)

    def from_cell(self, cell: int, span: Span) -> Span | None:
        """The opposite of `in_cell`; None for a cell without code."""
        found = next((each for each in self.cells if each.cell == cell), None)
        return span.down(found.first - 1) if found else None

    @cached_property
    def _lines(self) -> list[str]:
        return with_plain_newlines(self.text).split("\n")

    @cached_property
    def _line_starts(self) -> list[int]:
        starts, position = [], 0
        for line in self._lines:
            starts.append(position)
            position += len(line) + 1
        return starts

    def line(self, row: int) -> str:
        """Without its newline; rows count from 1."""
        lines = self._lines
        return lines[row - 1].rstrip("\r") if 0 < row <= len(lines) else ""

    def slice(self, span: Span) -> str:
        starts = self._line_starts
        return self.text[starts[span.row - 1] + span.col : starts[span.end_row - 1] + span.end_col]


def _by_text(blocks: tuple[Block, ...]) -> Mapping[str, Block]:
    known = {}
    for block in blocks:
        known[block.text] = block
        known.update(_by_text(block.members))
    return known


def _cut_all(text: str, known: Mapping[str, Block]) -> Source:
    found = cut(with_plain_newlines(text))
    return Source(text, blocks_of(text, found, "", known), found.endless)
