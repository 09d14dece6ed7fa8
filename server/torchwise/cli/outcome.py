"""How a run ends: findings to standard output, what went wrong to standard error, and a status."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

import click

from torchwise.cli.scan import Loaded, Scan
from torchwise.findings import Finding
from torchwise.fixes.lines import lines_of
from torchwise.project.documents import Document
from torchwise.report import format_named
from torchwise.report.run import Run, printable

CLEAN, FINDINGS, TROUBLE = 0, 1, 2
MOST_CRASHES = 3  # that are told in full


def run_of(projects: Iterable[Loaded], found: Scan) -> Run:
    documents: dict[str, Document] = {}
    for project in projects:
        documents.update(project.documents)
    split: dict[tuple[str, int | None], Sequence[str]] = {}

    def lines(path: str, cell: int | None) -> Sequence[str]:
        if (path, cell) not in split:
            text = _text(documents[path], cell) if path in documents else ""
            split[path, cell] = [line.rstrip("\r\n") for line in lines_of(text)]
        return split[path, cell]

    return Run(tuple(found.findings), lines, os.getcwd(), found.files, tuple(found.crashes))


def _text(document: Document, cell: int | None) -> str:
    if cell is None:
        return document.text
    return document.cells[cell].text if cell < len(document.cells) else ""


def show(run: Run, output_format: str, statistics: bool, to_stderr: bool = False) -> None:
    out = sys.stderr if to_stderr else sys.stdout
    if not statistics:
        format_named(output_format)(run, out)
        return
    from torchwise.report.statistics import write_statistics, write_statistics_json

    write = write_statistics_json if output_format == "json" else write_statistics
    write(run, out)


def complain(found: Scan) -> None:
    """About the user's files, and about our own faults, each once."""
    for trouble in found.troubles:
        click.echo(f"torchwise: {printable(trouble.path)}: {printable(trouble.message)}", err=True)
    if not found.files and not found.troubles:
        click.echo("torchwise: no Python files and no notebooks there", err=True)
    crashes = list(dict.fromkeys(found.crashes))
    for crash in crashes[:MOST_CRASHES]:
        click.echo(
            f"torchwise: a fault of Torchwise itself; the rest of the run stands\n{crash.rstrip()}", err=True
        )
    if len(crashes) > MOST_CRASHES:
        click.echo(f"torchwise: and {len(crashes) - MOST_CRASHES} more", err=True)


def status(found: Scan, exit_zero: bool = False) -> int:
    """Hints alone fail nothing."""
    if found.troubles or (found.crashes and not exit_zero):
        return TROUBLE
    return FINDINGS if any(map(is_loud, found.findings)) and not exit_zero else CLEAN


def is_loud(finding: Finding) -> bool:
    return finding.severity != "hint"
