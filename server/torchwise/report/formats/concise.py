"""One line for each finding, in the form that editors and `grep` users know."""

from __future__ import annotations

from typing import TextIO

from torchwise.report.run import Run, printable


def write_concise(run: Run, out: TextIO) -> None:
    for finding in run.findings:
        mark = " [*]" if finding.fix and finding.fix.safe else ""
        said = f"{finding.severity} {finding.code}{mark} {printable(finding.message)} ({finding.name})"
        out.write(f"{run.place(finding.at)}: {said}\n")
    out.write(f"{run.summary()}\n")
