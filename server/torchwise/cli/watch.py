"""Checks again whenever a file changes, with engines that are kept: only what changed is looked at anew."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from torchwise.cli.analysis import Checker
from torchwise.cli.options import Asked
from torchwise.cli.outcome import complain, run_of
from torchwise.cli.scan import Loaded, Scan
from torchwise.project.settings import Settings, config_of
from torchwise.report.run import Run

PAUSE_S = 0.5
QUIET_MS = 100  # after this without a change the watcher says so; by then it watches


def watch_files(asked: Asked, show: Callable[[Run], None]) -> None:
    """Until it is interrupted."""
    checkers: dict[Settings, Checker] = {}
    try:
        for _ in _changes(asked):
            config_of.cache_clear()
            projects, troubles = asked.load()
            found = Scan(troubles)
            for project in projects:
                _check(project, checkers, found)
            click.clear()
            show(run_of(projects, found))
            complain(found)
    except KeyboardInterrupt:
        return


def _check(project: Loaded, checkers: dict[Settings, Checker], found: Scan) -> None:
    if project.settings not in checkers:
        checkers[project.settings] = Checker(project.settings, project.documents)
    checker = checkers[project.settings]
    for path in checker.documents.keys() - project.documents.keys():
        checker.forget(path)
    for path, document in project.documents.items():
        if path not in checker.documents or checker.documents[path].raw != document.raw:
            checker.put(document)
    for path in project.asked:
        answer = checker.answer(path)
        found.findings += answer.findings
        found.crashes += answer.crashes
    found.files += len(project.asked)


def _changes(asked: Asked) -> Iterator[None]:
    """Now, and after each change below the paths: they are watched before they are read."""
    roots = [path for path in asked.paths or (".",) if os.path.exists(path)]
    try:
        from watchfiles import watch  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        yield from _polled(asked)
        return
    changes = watch(*roots, rust_timeout=QUIET_MS, yield_on_timeout=True, raise_interrupt=True)
    next(changes)
    yield
    for changed in changes:
        if changed:
            yield


def _polled(asked: Asked) -> Iterator[None]:
    """Without the library that is told of changes: by asking."""
    before = _stamps(asked)
    yield
    while True:
        time.sleep(PAUSE_S)
        now = _stamps(asked)
        if now != before:
            before = now
            yield


def _stamps(asked: Asked) -> dict[str, tuple[int, int]]:
    stamps = {}
    for project in asked.load()[0]:
        for path in project.documents:
            try:
                found = os.stat(path)
                stamps[path] = (found.st_mtime_ns, found.st_size)
            except OSError:
                pass
        config = Path(project.settings.root) if project.settings.root else None
        for name in ("pyproject.toml", "torchwise.toml"):
            if config and (config / name).exists():
                stamps[str(config / name)] = ((config / name).stat().st_mtime_ns, 0)
    return stamps
