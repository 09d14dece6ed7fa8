"""Annotations on a pull request, as GitHub reads them from the log of a workflow.

Source: "Workflow commands for GitHub Actions". A line number in a notebook would be one of its JSON, so the
place in a cell is said in words.
"""

from __future__ import annotations

from typing import TextIO

from torchwise.report.run import Run, printable

COMMANDS = {"error": "error", "warning": "warning", "hint": "notice"}


def write_github(run: Run, out: TextIO) -> None:
    for finding in run.findings:
        at = finding.at.span
        place = {"line": at.row, "col": at.col + 1, "endLine": at.end_row, "endColumn": at.end_col + 1}
        if finding.at.cell is not None:
            place = {"line": 1}
        elif at.row != at.end_row:  # GitHub refuses columns on two lines
            place = {"line": at.row, "endLine": at.end_row}
        title = {"title": f"Torchwise {finding.code} {finding.name}", "file": run.shown(finding.at.path)}
        properties = ",".join(f"{key}={_property(str(value))}" for key, value in {**title, **place}.items())
        message = _escaped(f"{run.place(finding.at)}: {printable(finding.message)}")
        out.write(f"::{COMMANDS[finding.severity]} {properties}::{message}\n")


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
