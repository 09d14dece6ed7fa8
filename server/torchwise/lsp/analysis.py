"""The engines of a server, one for each project, and what each document is by now.

Texts may be given from any thread, and are only noted; the engine's thread takes them over before its next
job. All methods under "on the engine's thread" are for jobs of the worker alone.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from torchwise.engine import Engine
from torchwise.findings import Finding
from torchwise.lsp.preferences import Configuration
from torchwise.lsp.snapshot import Snapshot, snapshot_from_disk
from torchwise.lsp.worker import Urgency, Worker
from torchwise.project.settings import Settings, config_of

Result = TypeVar("Result")

QUICK_S = 0.025  # an analysis that takes no longer need not wait for a pause


class Analysis:
    """Stateful: engines remember, that is their point."""

    def __init__(self, confess: Callable[[str], None], is_open: Callable[[str], bool]):
        self.configuration = Configuration((), {}, confess)
        self.snapshots: dict[str, Snapshot] = {}  # what the engines know
        self.revision = 0  # grows with each change of anything
        self._confess = confess
        self._is_open = is_open  # of a path: what a client has open is not read from disk
        self._engines: dict[str, Engine] = {}
        self._settings: dict[str, Settings] = {}  # as the engines have them
        self._project_of: dict[str, str] = {}  # by path
        self._found: dict[str, tuple[int, list[Finding]]] = {}  # by path, with the revision it is true for
        self._took_s: dict[str, float] = {}  # by path: its last analysis
        self._noted: dict[str, Snapshot | None] = {}
        self._lock = threading.Lock()
        self.worker = Worker(self._take_over)

    # -- from any thread -----------------------------------------------------------------------------------

    def put(self, snapshot: Snapshot) -> None:
        with self._lock:
            self._noted[snapshot.path] = snapshot

    def forget(self, path: str) -> None:
        with self._lock:
            self._noted[path] = None

    def reload(self, path: str) -> None:
        """From disk; a file that is not there any more is forgotten."""
        self.worker.submit(Urgency.IN_VIEW, lambda: self._reload(path))

    def wait_s(self, path: str, longest_s: float) -> float:
        """From a change to the analysis. While that is quick each key can have its own; else as long as the
        last one took beyond that, so that keys gather and little is worked out in vain.
        """
        took_s = self._took_s.get(path)
        return longest_s if took_s is None else min(longest_s, max(0.0, took_s - QUICK_S))

    async def ask(self, urgency: Urgency, job: Callable[[], Result]) -> Result:
        return await self.worker.ask(urgency, job)

    # -- on the engine's thread ----------------------------------------------------------------------------

    def configure(self, configuration: Configuration) -> None:
        """All documents go to the engines that are right for them now."""
        config_of.cache_clear()
        self.configuration = configuration
        self.revision += 1
        for root in configuration.roots:  # what is wrong there is said before a file is opened
            configuration.project_in(Path(root))
        projects = {path: configuration.project_of(path) for path in self.snapshots}
        if {path: key for path, (key, _) in projects.items()} == self._project_of:
            for key, settings in projects.values():
                if self._settings[key] != settings:
                    self._settings[key] = settings
                    self._engines[key].set_config(settings)
            return
        self._engines, self._settings, self._project_of = {}, {}, {}
        for snapshot in list(self.snapshots.values()):
            self.give(snapshot)

    def findings(self, path: str) -> list[Finding]:
        """Of a document that is known and not excluded."""
        known = self._found.get(path)
        if known and known[0] == self.revision:
            return known[1]
        found: list[Finding] = []
        begun = time.monotonic()
        if path in self._project_of and not excluded(path, self._settings[self._project_of[path]]):
            found = self.guarded(path, lambda engine: engine.findings(path), found)
        found = [finding for finding in found if finding.at.path == path]
        self._found[path] = self.revision, found
        self._took_s[path] = time.monotonic() - begun
        return found

    def guarded(self, path: str, ask: Callable[[Engine], Result], otherwise: Result) -> Result:
        """The engine's answer about a document. The one guard: whatever is raised is told once, and all
        goes on.
        """
        engine = self._engines.get(self._project_of.get(path, ""))
        if engine is None:
            return otherwise
        said = len(engine.crashes)
        try:
            answer = ask(engine)
        except Exception:
            self._confess(traceback.format_exc())
            answer = otherwise
        for crash in engine.crashes[said:]:
            self._confess(crash)
        return answer

    def _reload(self, path: str) -> None:
        snapshot = snapshot_from_disk(path)
        with self._lock:
            if not self._is_open(path):
                self._noted[path] = snapshot
        self._take_over()

    def _take_over(self) -> None:
        with self._lock:
            noted, self._noted = self._noted, {}
        for path, snapshot in noted.items():
            if snapshot is not None:
                self.give(snapshot)
            elif path in self.snapshots:
                del self.snapshots[path]
                self.revision += 1
                self._took_s.pop(path, None)
                self._engines[self._project_of.pop(path)].forget(path)

    def give(self, snapshot: Snapshot) -> None:
        path = snapshot.path
        self.revision += 1
        self.snapshots[path] = snapshot
        if path not in self._project_of:
            key, settings = self.configuration.project_of(path)
            self._project_of[path] = key
            if key not in self._engines:
                self._engines[key], self._settings[key] = Engine(settings), settings
        cells = snapshot.cells

        def give(engine: Engine) -> None:
            if cells is None:
                engine.set_text(path, snapshot.parts[None].text)
            else:
                engine.set_notebook(path, list(cells))

        self.guarded(path, give, None)


def excluded(path: str, settings: Settings) -> bool:
    """Below the root of its project, is the file or a folder above it excluded?"""
    root = Path(settings.root) if settings.root else None
    levels = [Path(path), *Path(path).parents]
    inside = [level for level in levels if root is None or (level != root and level.is_relative_to(root))]
    return any(settings.excludes(str(level)) for level in (inside if root else inside[:1]))
