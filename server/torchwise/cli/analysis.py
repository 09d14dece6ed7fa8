"""From documents to findings: one engine for each project, in this process or shared out over several."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from torchwise.cli.scan import Loaded
from torchwise.engine import Engine
from torchwise.findings import Finding
from torchwise.project.documents import Document
from torchwise.project.settings import Settings, SettingsError
from torchwise.rules import all_rules


@dataclass(frozen=True)
class Answer:
    """What was found in one file, and what went wrong in us."""

    path: str
    findings: tuple[Finding, ...]
    crashes: tuple[str, ...]


OWN = {"TW000", "syntax-error", "TW001", "unused-noqa"}  # what is said without a rule
LARGE = 8_000_000  # bytes; what is larger is not held in memory all at once
# Below both, starting processes costs more than it saves: of all files, and bytes of those that use torch,
# which are followed and take a hundred times longer.
SMALL = 200
LIGHT = 200_000
MOST_PROCESSES = 8


class Checker:
    """An engine that knows all texts of a project. Stateful: that is what makes a second question cheap."""

    def __init__(self, settings: Settings, documents: Mapping[str, Document]):
        """Raises SettingsError where a selector means no rule."""
        _refuse_unknown(settings)
        self.settings = settings
        self.documents = dict(documents)
        self.engine = Engine(settings)
        self.crashes: list[str] = []
        self._said = 0
        for document in documents.values():
            self.put(document)
        size = sum(len(document.raw) for document in documents.values())
        self._ask = self.engine.survey if size <= LARGE else self.engine.alone

    def put(self, document: Document) -> None:
        self.documents[document.path] = document
        if document.is_notebook:
            self.engine.set_notebook(document.path, list(document.cells))
        else:
            self.engine.set_text(document.path, document.text)

    def forget(self, path: str) -> None:
        del self.documents[path]
        self.engine.forget(path)

    def findings(self, path: str) -> list[Finding]:
        """Never fails: a crash is kept, and the file has no findings."""
        if broken := self.documents[path].broken:
            return [broken]
        try:
            return self._ask(path)
        except Exception:  # the guard at the door: whatever it is, the other files go on
            self.crashes.append(f"{path}: {traceback.format_exc()}")
            return []

    def answer(self, path: str) -> Answer:
        found = tuple(self.findings(path))
        crashes = (*self.crashes, *self.engine.crashes[self._said :])
        self.crashes, self._said = [], len(self.engine.crashes)
        return Answer(path, found, crashes)


def _refuse_unknown(settings: Settings) -> None:
    known = {word for rule in all_rules() for word in (rule.code, rule.name, rule.family)} | OWN
    if problems := settings.unknown_selectors(known):
        raise SettingsError(problems)


def processes_for(files: int, asked: int, using_torch: int = 0) -> int:
    """`asked` of 0 means as many as are worth it. `using_torch`: bytes."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if asked:
        return min(asked, files)
    return 1 if files < SMALL and using_torch < LIGHT else min(available, MOST_PROCESSES)


def checked(parts: Sequence[Loaded], processes: int) -> Iterator[tuple[Loaded, list[Answer]]]:
    """For each part, in any order."""
    if processes <= 1 or len(parts) == 1:
        yield from ((part, answers(part)) for part in parts)
    else:
        from torchwise.cli.pool import shared_out

        yield from shared_out(parts, processes)


def answers(part: Loaded) -> list[Answer]:
    checker = Checker(part.settings, part.documents)
    return [checker.answer(path) for path in part.asked]
