"""Silences findings with comments on their lines, for taking Torchwise on in old code.

A comment is kept only if the finding is gone with it: where a line goes on behind a backslash or inside a
string, a comment would mean something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click

from torchwise.cli.mending import Repair, connected, write
from torchwise.cli.options import Asked
from torchwise.cli.scan import Loaded, Scan, scan
from torchwise.cli.texts import texts_of, with_texts
from torchwise.findings import Finding, Fix
from torchwise.fixes.apply import mend
from torchwise.fixes.lines import lines_of
from torchwise.fixes.moved import Place, Texts
from torchwise.fixes.silence import silence
from torchwise.project.discovery import Trouble
from torchwise.project.documents import Unreadable
from torchwise.report.run import counted


def silenced(asked: Asked, projects: Sequence[Loaded], found: Scan) -> tuple[list[Loaded], Scan]:
    """The projects with comments written, and what is still found in them."""
    made = [_silenced(project, found) for project in projects]
    found.troubles += [trouble for each in made for trouble in (*each.troubles, *write(each))]
    count = sum(each.counts.total() for each in made)
    click.echo(f"Added comments for {counted(count, 'finding')}", err=True)
    after = [each.after for each in made]
    return after, scan(after, found.troubles, asked.jobs, cached=False)


def _silenced(project: Loaded, found: Scan) -> Repair:
    from torchwise.cli.analysis import Checker

    texts: dict[Place, str] = {}
    troubles = []
    for path in sorted({finding.at.path for finding in found.findings} & set(project.asked)):
        try:
            texts.update(texts_of(project.documents[path]))
        except Unreadable as error:
            troubles.append(Trouble(path, str(error)))
    checker = Checker(project.settings, connected(project, texts))

    def put(changed: Texts) -> None:
        for path in {path for path, _ in changed}:
            checker.put(with_texts(checker.documents[path], changed))

    def proposed(path: str) -> list[Finding]:
        own = texts_of(checker.documents[path])
        return [_with_comment(finding, own) for finding in checker.findings(path)]

    counts = mend(texts, proposed, put, lambda finding: finding.fix is not None, _all_gone).counts
    after = replace(project, documents={**project.documents, **checker.documents})
    return Repair(project, after, counts, tuple(troubles))


def _with_comment(finding: Finding, texts: Texts) -> Finding:
    """The finding with its comment for a fix."""
    lines = lines_of(texts.get((finding.at.path, finding.at.cell), ""))
    row = finding.at.span.row
    edit = silence(finding, lines[row - 1]) if row <= len(lines) and finding.code != "TW000" else None
    return replace(finding, fix=Fix("silence", (edit,)) if edit else None)


def _all_gone(before: Sequence[Finding], after: Sequence[Finding], applied: int) -> bool:
    return len(after) <= len(before) - applied
