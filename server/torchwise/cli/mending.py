"""Fixes the documents of a run, and writes them back or shows what would change."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import click

from torchwise.cli.options import Asked
from torchwise.cli.outcome import CLEAN, FINDINGS, TROUBLE, complain, run_of
from torchwise.cli.scan import Loaded, Scan, scan
from torchwise.cli.texts import texts_of, with_texts
from torchwise.findings import Finding
from torchwise.fixes.apply import diff, mend
from torchwise.fixes.moved import Place, Texts
from torchwise.project.discovery import Trouble
from torchwise.project.documents import Document, Unreadable, write_document
from torchwise.report.run import Run, counted


@dataclass(frozen=True)
class Repair:
    """A project with its fixes applied."""

    before: Loaded
    after: Loaded
    counts: Counter[str] = field(default_factory=Counter)  # fixes applied, by code
    troubles: tuple[Trouble, ...] = ()

    @property
    def changed(self) -> list[str]:
        old, new = self.before.documents, self.after.documents
        return [path for path in self.before.asked if new[path].raw != old[path].raw]


def repair(project: Loaded, findings: Sequence[Finding], unsafe: bool) -> Repair:
    """`findings` are those of the run just made; only files that their fixes touch are looked at again."""

    def wanted(finding: Finding) -> bool:
        return finding.fix is not None and (finding.fix.safe or unsafe)

    chosen = [f for f in findings if f.fix and wanted(f)]
    touched = {edit.at.path for f in chosen if f.fix for edit in f.fix.edits} | {f.at.path for f in chosen}
    texts: dict[Place, str] = {}
    troubles = []
    for path in sorted(touched & set(project.asked)):
        try:
            texts.update(texts_of(project.documents[path]))
        except Unreadable as error:
            troubles.append(Trouble(path, str(error)))
    if not texts:
        return Repair(project, project, troubles=tuple(troubles))
    after, counts = _mended(project, texts, wanted)
    return Repair(project, after, counts, tuple(troubles))


def _mended(project: Loaded, texts: Texts, wanted: Callable[[Finding], bool]) -> tuple[Loaded, Counter[str]]:
    from torchwise.cli.analysis import Checker

    checker = Checker(project.settings, connected(project, texts))

    def put(changed: Texts) -> None:
        for path in {path for path, _ in changed}:
            checker.put(with_texts(checker.documents[path], changed))

    counts = mend(texts, checker.findings, put, wanted).counts
    return replace(project, documents={**project.documents, **checker.documents}), counts


def connected(project: Loaded, texts: Texts) -> dict[str, Document]:
    """The documents whose findings may change with these texts."""
    paths = {path for path, _ in texts}
    parts = [part for part in project.parts() if not paths.isdisjoint(part.documents)]
    return {path: document for part in parts for path, document in part.documents.items()}


def repairs(projects: Sequence[Loaded], found: Scan, unsafe: bool) -> list[Repair]:
    made = [repair(project, found.findings, unsafe) for project in projects]
    found.troubles += [trouble for each in made for trouble in each.troubles]
    return made


def mended(asked: Asked, projects: Sequence[Loaded], found: Scan, unsafe: bool) -> tuple[list[Loaded], Scan]:
    """The projects with their fixes written, and what is still found in them."""
    made = repairs(projects, found, unsafe)
    counts = sum((each.counts for each in made), Counter[str]())
    if asked.from_stdin:
        for each in made:
            for document in each.after.documents.values():
                sys.stdout.buffer.write(document.raw)
    else:
        found.troubles += [trouble for each in made for trouble in write(each)]
    after = [each.after for each in made]
    if counts:
        files = sum(len(each.changed) for each in made)
        click.echo(f"Fixed {counted(counts.total(), 'problem')} in {counted(files, 'file')}", err=True)
        found = scan(after, found.troubles, asked.jobs, cached=False)
    return after, found


def write(repair: Repair) -> list[Trouble]:
    troubles = []
    for path in repair.changed:
        try:
            write_document(repair.before.documents[path], repair.after.documents[path].raw)
        except Unreadable as error:
            troubles.append(Trouble(path, str(error)))
    return troubles


def shown(projects: Sequence[Loaded], found: Scan, unsafe: bool) -> int:
    """Prints what would change, as a unified diff; the status says whether anything would."""
    made = repairs(projects, found, unsafe)
    for each in made:
        for line in _diff(each, run_of([], found)):
            click.echo(line, nl=False)
    complain(found)
    if found.troubles:
        return TROUBLE
    return FINDINGS if any(each.changed for each in made) else CLEAN


def _diff(repair: Repair, run: Run) -> Iterator[str]:
    """A notebook's cell by cell."""
    for path in repair.changed:
        after = texts_of(repair.after.documents[path])
        for (_, cell), before in texts_of(repair.before.documents[path]).items():
            name = run.shown(path) if cell is None else f"{run.shown(path)}:cell {cell + 1}"
            yield from diff(before, after[path, cell], name)
