"""Comments that silence findings: `# noqa`, `# noqa: TW301`, `# torchwise:
ignore[view-on-non-contiguous]`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from torchwise.findings import Finding
from torchwise.syntax.source import Source
from torchwise.syntax.span import Span

NOQA = re.compile(r"#\s*noqa\b(?P<codes>:\s*[A-Za-z]+[0-9]+(?:[,\s]+[A-Za-z]+[0-9]+)*)?", re.IGNORECASE)
IGNORE = re.compile(r"#\s*torchwise:\s*ignore(?:\[(?P<names>[\w\s,-]*)\])?", re.IGNORECASE)
FILE = re.compile(r"^#\s*torchwise:\s*ignore-file\b", re.IGNORECASE)


@dataclass(frozen=True)
class Silence:
    """`keys`: codes and names in lower case; None silences all."""

    keys: frozenset[str] | None

    def covers(self, finding: Finding) -> bool:
        return self.keys is None or finding.code.lower() in self.keys or finding.name in self.keys


def silence_of(comment: str) -> Silence | None:
    if (found := NOQA.search(comment)) is not None:
        codes = found.group("codes")
        return Silence(None if codes is None else frozenset(re.split(r"[,:\s]+", codes.lower().strip(": "))))
    if (found := IGNORE.search(comment)) is not None:
        names = found.group("names")
        return Silence(None if names is None else frozenset(n.strip().lower() for n in names.split(",")))
    return None


def silenced(source: Source, findings: list[Finding]) -> list[Finding]:
    """The findings that no comment on one of their rows silences."""
    if not findings:
        return findings
    comments = source.comments
    if any(FILE.match(text) for text, _ in comments.values()):
        return []
    by_row = {row: s for row, (text, _) in comments.items() if (s := silence_of(text)) is not None}
    if not by_row:
        return findings
    return [f for f in findings if not any(r in by_row and by_row[r].covers(f) for r in _rows(source, f))]


def _rows(source: Source, finding: Finding) -> range:
    span: Span | None = finding.at.span
    if finding.at.cell is not None:
        span = source.from_cell(finding.at.cell, finding.at.span)
    return range(span.row, span.end_row + 1) if span is not None else range(0)
