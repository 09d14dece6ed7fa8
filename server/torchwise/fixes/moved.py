"""Where a place of a text is after edits, and whether a finding is still there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torchwise.findings import Finding, Fix, Location
from torchwise.fixes.lines import line_ending, line_starts, offset

Place = tuple[str, int | None]  # a file, or a cell of a notebook
Texts = Mapping[Place, str]
Range = tuple[int, int]  # offsets


@dataclass(frozen=True)
class Moved:
    """Texts before and after fixes."""

    before: Texts
    after: Texts
    fixes: Sequence[Fix]

    def remains(self, finding: Finding, found: Sequence[Finding], left: Sequence[Finding]) -> bool:
        """Whether the rule finds as much there as before: then its fix mends nothing."""
        place = finding.at.path, finding.at.cell
        if place not in self.before:
            return False
        where = _range(self.before[place], finding.at)
        now = self._moved(place, where)
        after = self.after.get(place, self.before[place])
        return _within(now, after, finding, left) >= _within(where, self.before[place], finding, found)

    def _moved(self, place: Place, where: Range) -> Range:
        """What was put in at either end belongs to it."""
        text = self.before[place]
        ending = line_ending(text)
        start, end = where
        for edit in {
            edit for fix in self.fixes for edit in fix.edits if (edit.at.path, edit.at.cell) == place
        }:
            first, last = _range(text, edit.at)
            longer = len(edit.text.replace("\n", ending)) - (last - first)
            if last < where[0]:
                start += longer
            elif first < where[0]:
                start -= where[0] - first
            if first <= where[1]:
                end += longer + max(0, last - where[1])
        return start, end


def _within(where: Range, text: str, like: Finding, found: Sequence[Finding]) -> int:
    """How many findings of the same rule lie there."""
    same = [
        f.at for f in found if f.code == like.code and (f.at.path, f.at.cell) == (like.at.path, like.at.cell)
    ]
    ranges = [_range(text, at) for at in same]
    return sum(where[0] <= start and end <= where[1] for start, end in ranges)


def _range(text: str, at: Location) -> Range:
    starts, span = line_starts(text), at.span
    return offset(text, starts, span.row, span.col), offset(text, starts, span.end_row, span.end_col)
