"""Applies fixes to texts, again and again until none is left.

A fix is applied whole or not at all; of two that touch the same text, the first wins and the other waits for
the next round. A fix after which a file parses worse than before, or after which its finding is still there,
is taken back and not tried again.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from torchwise.findings import Edit, Finding, Fix, Location
from torchwise.fixes.lines import line_ending, line_starts, lines_of, offset
from torchwise.fixes.moved import Moved, Place, Texts
from torchwise.syntax.span import Span

ROUNDS = 20  # a fix that makes room for another is common, a longer chain than this is a circle
SYNTAX_ERROR = "TW000"


@dataclass(frozen=True)
class Mended:
    """`texts` holds only what differs from before; `counts` says how often the fix of a rule was applied."""

    texts: Texts
    counts: Counter[str]


def parses_no_worse(before: Sequence[Finding], after: Sequence[Finding], applied: int) -> bool:
    return _broken(after) <= _broken(before)


def _broken(findings: Sequence[Finding]) -> int:
    return sum(finding.code == SYNTAX_ERROR for finding in findings)


def mend(
    texts: Texts,
    findings_of: Callable[[str], Sequence[Finding]],
    put: Callable[[Texts], None],
    wanted: Callable[[Finding], bool],
    stands: Callable[[Sequence[Finding], Sequence[Finding], int], bool] = parses_no_worse,
) -> Mended:
    """`put` gives changed texts to whoever answers `findings_of`; at the end it knows the mended ones.
    `stands` says from the findings before and after whether so many fixes may stay.
    """
    patient = _Patient(dict(texts), findings_of, put, stands)
    counts = Counter[str]()
    refused: set[Fix] = set()
    paths = sorted({path for path, _ in texts})
    for _ in range(ROUNDS):
        found = [finding for path in paths for finding in findings_of(path)]
        open_ones = [
            f for f in found if f.fix and wanted(f) and f.fix not in refused and patient.holds(f.fix)
        ]
        chosen = without_overlap(open_ones)
        if not chosen:
            break
        kept = patient.apply(chosen)
        refused.update(finding.fix for finding in chosen if finding.fix and finding not in kept)
        counts.update(finding.code for finding in kept)
        paths = sorted(
            {edit.at.path for f in open_ones if f.fix for edit in f.fix.edits}
            | {f.at.path for f in open_ones}
        )
    return Mended({place: text for place, text in patient.texts.items() if text != texts[place]}, counts)


@dataclass
class _Patient:
    """The texts as they are by now."""

    texts: dict[Place, str]
    findings_of: Callable[[str], Sequence[Finding]]
    put: Callable[[Texts], None]
    stands: Callable[[Sequence[Finding], Sequence[Finding], int], bool]

    def holds(self, fix: Fix) -> bool:
        return all((edit.at.path, edit.at.cell) in self.texts for edit in fix.edits)

    def apply(self, chosen: Sequence[Finding]) -> list[Finding]:
        """Together if that works, and else adding one after the other; says which ones stayed."""
        base = dict(self.texts)
        if self._stands(base, chosen):
            return list(chosen)
        kept: list[Finding] = []
        for finding in chosen if len(chosen) > 1 else ():
            if self._stands(base, [*kept, finding]):
                kept.append(finding)
        return kept

    def _stands(self, base: Texts, chosen: Sequence[Finding]) -> bool:
        """Whether base may be changed so; then it is, and otherwise nothing is."""
        fixes = [finding.fix for finding in chosen if finding.fix]
        after = patched(base, fixes)
        now = {place: self.texts[place] for place in after}
        self.put({place: base[place] for place in after})
        paths = {path for path, _ in after} | {finding.at.path for finding in chosen}
        found = self._findings(paths)
        self.put(after)
        left = self._findings(paths)
        here = Moved(base, after, fixes)
        if not self.stands(found, left, len(chosen)) or any(here.remains(f, found, left) for f in chosen):
            self.put(now)
            return False
        self.texts.update(after)
        return True

    def _findings(self, paths: set[str]) -> list[Finding]:
        return [finding for path in sorted(paths) for finding in self.findings_of(path)]


# -- one round -----------------------------------------------------------------------------------------------


def without_overlap(findings: Iterable[Finding]) -> list[Finding]:
    """The first of those whose fixes touch the same text. Equal edits are one edit, and no overlap."""
    taken: list[Edit] = []
    chosen = []
    for finding in findings:
        edits = finding.fix.edits if finding.fix else ()
        if all(edit in taken or not any(_overlap(edit.at, other.at) for other in taken) for edit in edits):
            taken.extend(edits)
            chosen.append(finding)
    return chosen


def _overlap(one: Location, other: Location) -> bool:
    """Two insertions at one point do: their order would be a guess."""
    if (one.path, one.cell) != (other.path, other.cell):
        return False
    a, b = one.span, other.span
    if a.start == b.start:
        return True
    return _start(a) < _end(b) and _start(b) < _end(a)


def _start(span: Span) -> tuple[int, int]:
    return span.row, span.col


def _end(span: Span) -> tuple[int, int]:
    return span.end_row, span.end_col


def patched(texts: Texts, fixes: Iterable[Fix]) -> dict[Place, str]:
    """The texts that the fixes change, changed. The fixes must not overlap."""
    edits: dict[Place, set[Edit]] = {}
    for fix in fixes:
        for edit in fix.edits:
            edits.setdefault((edit.at.path, edit.at.cell), set()).add(edit)
    return {place: edited(texts[place], found) for place, found in edits.items()}


def edited(text: str, edits: Iterable[Edit]) -> str:
    starts = line_starts(text)
    ending = line_ending(text)

    for edit in sorted(edits, key=lambda edit: _start(edit.at.span), reverse=True):
        span = edit.at.span
        new = edit.text.replace("\n", ending) if ending != "\n" else edit.text
        start, end = (offset(text, starts, *at) for at in (_start(span), _end(span)))
        text = text[:start] + new + text[end:]
    return text


# -- showing -------------------------------------------------------------------------------------------------


def diff(before: str, after: str, name: str) -> Iterator[str]:
    """Lines of a unified diff, with their ends."""
    for line in difflib.unified_diff(lines_of(before), lines_of(after), name, name):
        yield line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n"
