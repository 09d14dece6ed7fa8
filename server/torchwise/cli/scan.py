"""A run over files: find them, read them, check them or remember how that went."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from torchwise.cli.cache import Store
from torchwise.cli.progress import progress
from torchwise.findings import Finding
from torchwise.project.discovery import Project, SettingsOf, Trouble, discover
from torchwise.project.documents import Document, Unreadable, read_document
from torchwise.project.links import components
from torchwise.project.neighbours import neighbours
from torchwise.project.settings import Settings

if TYPE_CHECKING:
    from torchwise.cli.analysis import Answer


@dataclass(frozen=True)
class Loaded:
    """A project, or a part of one that no import leads out of, with its files read.

    The findings of `asked` are wanted; the other documents are there for what they define.
    """

    settings: Settings
    documents: Mapping[str, Document]
    asked: tuple[str, ...]
    arguments: tuple[str, ...] = ()  # what the run was called with: runs alike share an entry of the cache

    def parts(self) -> list[Loaded]:
        """They can be checked apart, in any order."""
        groups = components({path: document.mentions for path, document in self.documents.items()})
        wanted = frozenset(self.asked)
        parts = []
        for group in groups:
            if asked := tuple(path for path in group if path in wanted):
                parts.append(Loaded(self.settings, {path: self.documents[path] for path in group}, asked))
        return parts


@dataclass
class Scan:
    """What a run found. Grows from project to project."""

    troubles: list[Trouble]
    findings: list[Finding] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    files: int = 0


def load(arguments: Iterable[str], settings_of: SettingsOf) -> tuple[list[Loaded], list[Trouble]]:
    """Raises SettingsError."""
    absolute = tuple(os.path.abspath(argument) for argument in arguments)
    projects, troubles = discover(arguments, settings_of)
    return [_read(project, absolute, troubles) for project in projects], troubles


def _read(project: Project, arguments: tuple[str, ...], troubles: list[Trouble]) -> Loaded:
    documents = {}
    for path in project.paths:
        try:
            documents[path] = read_document(path)
        except Unreadable as error:
            troubles.append(Trouble(path, str(error)))
    return with_neighbours(Loaded(project.settings, documents, tuple(documents), arguments))


def with_neighbours(project: Loaded) -> Loaded:
    """With the files that the asked ones import, though they were not asked about."""
    found = neighbours(project.documents, project.settings.root)
    return replace(project, documents={**project.documents, **found})


def scan(projects: Iterable[Loaded], troubles: Iterable[Trouble], processes: int, cached: bool) -> Scan:
    """Findings in the order of paths and positions, with any number of processes (0: what is worth it)."""
    result = Scan(list(troubles))
    for project in projects:
        parts = project.parts()
        store = Store.of(project) if cached else Store.nowhere()
        known = {part.asked: store.recall(part) for part in parts}
        for part, answers in _checked([part for part in parts if known[part.asked] is None], processes):
            asked = frozenset(part.asked)
            found = [finding for answer in answers for finding in answer.findings]
            known[part.asked] = [finding for finding in found if finding.at.path in asked]
            crashes = [crash for answer in answers for crash in answer.crashes]
            result.crashes += crashes
            if not crashes:
                store.remember(part, known[part.asked] or [])
        store.write()
        result.findings += in_order(finding for findings in known.values() for finding in findings or ())
        result.files += len(project.asked)
    return result


def _checked(parts: Sequence[Loaded], processes: int) -> Iterator[tuple[Loaded, list[Answer]]]:
    if not parts:
        return
    from torchwise.cli.analysis import checked, processes_for  # a warm run needs no engine

    count = sum(len(part.asked) for part in parts)
    documents = [part.documents[path] for part in parts for path in part.asked]
    using_torch = sum(len(document.raw) for document in documents if b"torch" in document.raw)
    with progress(count) as advance:
        for part, answers in checked(parts, processes_for(count, processes, using_torch)):
            advance(len(part.asked))
            yield part, answers


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """By path and position, each once."""

    def place(finding: Finding) -> tuple[str, int, int, int, str]:
        span = finding.at.span
        return finding.at.path, finding.at.cell or 0, span.row, span.col, finding.code

    return sorted(dict.fromkeys(findings), key=place)
