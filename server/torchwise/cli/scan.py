"""A run over files: find them, read them, check them or remember how that went."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from torchwise.cli.cache import key_of, recall, remember
from torchwise.cli.progress import progress
from torchwise.findings import Finding
from torchwise.project.discovery import Project, SettingsOf, Trouble, discover
from torchwise.project.documents import Document, Unreadable, read_document
from torchwise.project.settings import Settings

CACHE_FOLDER = ".torchwise_cache"


@dataclass(frozen=True)
class Loaded:
    """A project with its files read: those that are asked about, and others for what they define."""

    settings: Settings
    documents: Mapping[str, Document]
    asked: tuple[str, ...]


@dataclass
class Scan:
    """What a run found. Grows from project to project."""

    troubles: list[Trouble]
    findings: list[Finding] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    files: int = 0


def load(arguments: Iterable[str], settings_of: SettingsOf) -> tuple[list[Loaded], list[Trouble]]:
    """Raises SettingsError."""
    projects, troubles = discover(arguments, settings_of)
    return [_read(project, troubles) for project in projects], troubles


def _read(project: Project, troubles: list[Trouble]) -> Loaded:
    documents = {}
    for path in project.paths:
        try:
            documents[path] = read_document(path)
        except Unreadable as error:
            troubles.append(Trouble(path, str(error)))
    return Loaded(project.settings, documents, tuple(documents))


def scan(projects: Iterable[Loaded], troubles: Iterable[Trouble], processes: int, cached: bool) -> Scan:
    """Findings in the order of paths and positions, with any number of processes (0: what is worth it)."""
    result = Scan(list(troubles))
    for project in projects:
        folder = cache_folder(project.settings) if cached else None
        key = key_of(project.settings, project.documents, project.asked) if folder else ""
        known = recall(folder, key) if folder else None
        if known is None:
            crashes = len(result.crashes)
            known = _checked(project, result, processes)
            if folder and crashes == len(result.crashes):
                remember(folder, key, known)
        result.findings += known
        result.files += len(project.asked)
    return result


def _checked(project: Loaded, result: Scan, processes: int) -> list[Finding]:
    from torchwise.cli.analysis import Checker, answers, processes_for  # a warm run needs no engine

    checker = Checker(project.settings, project.documents)
    count = len(project.asked)
    findings: dict[str, tuple[Finding, ...]] = {}
    for path, found, crashes in progress(
        answers(checker, project.asked, processes_for(count, processes)), count
    ):
        findings[path] = found
        result.crashes += crashes
    return [finding for path in project.asked for finding in findings[path]]


def cache_folder(settings: Settings) -> Path:
    root = settings.root or os.getcwd()
    named = os.environ.get("TORCHWISE_CACHE_DIR") or settings.cache_dir or CACHE_FOLDER
    return Path(root, named)
