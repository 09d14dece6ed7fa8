"""What there is to report: the findings of one run, and the few questions that all formats ask about them."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torchwise.findings import Finding, Location, Severity

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "hint")

# What a terminal would obey or reorder, were it printed: control characters and marks of writing direction.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True)
class Run:
    """`lines` answers with the lines of a file, or of a cell, without their ends; ( ) where it is gone."""

    findings: tuple[Finding, ...]
    lines: Callable[[str, int | None], Sequence[str]]
    folder: str  # paths are shown relative to it
    files: int = 0
    crashes: tuple[str, ...] = ()

    def shown(self, path: str) -> str:
        inside = path.startswith(os.path.join(self.folder, ""))
        return printable(os.path.relpath(path, self.folder) if inside else path)

    def place(self, at: Location) -> str:
        """`model.py:3:7`, `train.ipynb:cell 2:3:7`; cells, rows and columns count from 1."""
        cell = "" if at.cell is None else f"cell {at.cell + 1}:"
        return f"{self.shown(at.path)}:{cell}{at.span.row}:{at.span.col + 1}"

    def line(self, at: Location) -> str:
        lines = self.lines(at.path, at.cell)
        return lines[at.span.row - 1] if 0 < at.span.row <= len(lines) else ""

    def summary(self) -> str:
        """`Found 3 problems (1 error, 2 warnings); 2 can be fixed with torchwise fix`."""
        if not self.findings:
            return f"No problems in {counted(self.files, 'file')}"
        by_severity = Counter(finding.severity for finding in self.findings)
        kinds = ", ".join(counted(by_severity[kind], kind) for kind in SEVERITIES if by_severity[kind])
        fixable = sum(finding.fix is not None and finding.fix.safe for finding in self.findings)
        hint = f"; {fixable} can be fixed with `torchwise fix`" if fixable else ""
        return f"Found {counted(len(self.findings), 'problem')} ({kinds}){hint}"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def printable(text: str) -> str:
    """On one line, with nothing in it that a terminal would obey."""
    return _UNPRINTABLE.sub("\ufffd", text.replace("\n", " "))


def position(row: int, col: int) -> dict[str, int]:
    """Rows and columns count from 1 outside."""
    return {"row": row, "column": col + 1}


def as_json(at: Location) -> dict[str, Any]:
    return {
        "filename": at.path,
        "cell": None if at.cell is None else at.cell + 1,
        "location": position(at.span.row, at.span.col),
        "end_location": position(at.span.end_row, at.span.end_col),
    }
