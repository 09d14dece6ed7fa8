"""The comment that silences a finding on its line."""

from __future__ import annotations

import re

from torchwise.findings import Edit, Finding, Location
from torchwise.syntax.span import Span

_CODES = re.compile(r"#\s*noqa:\s*(?P<codes>[A-Z]+\d+(?:[,\s]+[A-Z]+\d+)*)", re.I)


def silence(finding: Finding, line: str) -> Edit | None:
    """`line` is the one on which the finding begins. None where its comment names the rule already."""
    text = line.rstrip()
    if found := _CODES.search(text):
        if finding.code in re.split(r"[,\s]+", found["codes"].upper()):
            return None
        return _insertion(finding, found.end("codes"), f", {finding.code}")
    return _insertion(finding, len(text), f"  # noqa: {finding.code}")


def _insertion(finding: Finding, col: int, text: str) -> Edit:
    at = finding.at
    return Edit(Location(at.path, Span(at.span.row, col, at.span.row, col), at.cell), text)
