"""Where the instructions of a scope stand: a side table, kept as byte offsets and made into spans when
asked."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from torchwise.ir.nodes import Ref
from torchwise.record import record
from torchwise.syntax.block import Block
from torchwise.syntax.parser import Node
from torchwise.syntax.span import Span


@record
class Stretch:
    """A row of refs of one scope that stand in one block. A function has one stretch; a module one for each
    statement."""

    first: Ref
    block: Block
    piece: int  # the number of the block within its module or class


class Places(Mapping[Ref, Span]):
    """The spans of refs, and of the statements and heads they belong to; rows count from where the scope's
    block starts.

    A module or class shares this table with its earlier version as long as it is lowered to the same; `rows`
    alone tells then how far each of its blocks has moved.
    """

    __slots__ = ("_firsts", "_marked", "ends", "heads", "marks", "rows", "starts", "stretches")

    def __init__(
        self,
        stretches: tuple[Stretch, ...],
        rows: Sequence[int],
        nodes: Sequence[Node],
        marks: Sequence[tuple[Ref, Node]],
        short: Mapping[int, int],
        heads: Mapping[Ref, tuple[int, int]],
    ) -> None:
        self.stretches = stretches
        self.rows = rows  # by number of the block; how many rows stand before it
        self.starts = array("I", [node.start_byte for node in nodes])
        self.ends = array("I", [node.end_byte for node in nodes])
        self.marks = (  # the statement that holds for all refs from this one on
            array("I", [ref for ref, _ in marks]),
            array("I", [node.start_byte for _, node in marks]),
            array("I", [node.end_byte for _, node in marks]),
        )
        for mark, end in short.items():
            self.marks[2][mark] = end
        self.heads = heads

    def moved(self, rows: Sequence[int]) -> Places:
        copy = object.__new__(Places)
        for name in ("stretches", "starts", "ends", "marks", "heads"):
            setattr(copy, name, getattr(self, name))
        copy.rows = rows
        return copy

    def __getitem__(self, ref: Ref) -> Span:
        if not 0 < ref < len(self.starts):
            raise KeyError(ref)
        return self._span(ref, self.starts[ref], self.ends[ref])

    def __iter__(self) -> Iterator[Ref]:
        return iter(range(1, len(self.starts)))

    def __len__(self) -> int:
        return max(len(self.starts) - 1, 0)

    def statement(self, ref: Ref) -> Span:
        """The whole statement that a ref is part of; of a definition its decorators and head."""
        refs, starts, ends = self.marks
        at = bisect_right(refs, ref) - 1
        return self._span(ref, starts[at], ends[at]) if at >= 0 else self[ref]

    def header(self, ref: Ref) -> Span:
        """From the keyword of a compound statement to its colon; of anything else its place."""
        return self._span(ref, *self.heads[ref]) if ref in self.heads else self[ref]

    def _span(self, ref: Ref, start: int, end: int) -> Span:
        stretches = self.stretches
        found = (
            stretches[bisect_right(stretches, ref, key=_first) - 1] if len(stretches) > 1 else stretches[0]
        )
        return found.block.span(start, end).down(self.rows[found.piece])


def _first(stretch: Stretch) -> Ref:
    return stretch.first
