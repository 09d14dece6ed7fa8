"""The files of the workspace that are not open: read at the start, and followed from then on.

So findings work across files. It is done in small pieces between what is asked for, and with bounds.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types

from torchwise.lsp.configuring import configure
from torchwise.lsp.paths import path_of
from torchwise.lsp.server import Server
from torchwise.lsp.snapshot import snapshot_from_disk
from torchwise.lsp.worker import Urgency
from torchwise.project.discovery import walk

PIECE_S = 0.02  # before the progress is told
WATCHED = ["**/*.py", "**/*.ipynb", "**/pyproject.toml", "**/torchwise.toml", "**/.gitignore"]
CONFIGURING = ("pyproject.toml", "torchwise.toml", ".gitignore")


def workspace_files(server: Server) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        paths = [path_of(change.uri) for change in params.changes]
        if any(path.endswith(CONFIGURING) for path in paths):
            await configure(server)
        for path in paths:
            if path.endswith((".py", ".ipynb")) and path not in server.uris and _belongs(server, path):
                server.analysis.reload(path)
        server.changes.note()
        server.refresh()

    async def index() -> None:
        await _index(server)
        server.indexed.set()
        server.changes.note()
        server.refresh()

    async def at_the_start() -> None:
        if server.capability("workspace.did_change_watched_files.dynamic_registration"):
            await _watch(server)
        await server.configured.wait()
        await index()

    server.index = index
    server.background.append(at_the_start)


async def _watch(server: Server) -> None:
    watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in WATCHED]
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
    registration = types.Registration(str(uuid.uuid4()), types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    server.client_register_capability(types.RegistrationParams([registration]))


def _belongs(server: Server, path: str) -> bool:
    """Would it have been read at the start? A file that is known stays so."""
    return path in server.analysis.snapshots or bool(server.analysis.configuration.root_of(path))


async def _index(server: Server) -> None:
    progress = await _Progress.of(server)
    paths = _paths(server)
    count, more = 0, True
    while more and count < server.preferences.most_files:
        read, more = await server.analysis.ask(Urgency.INDEX, lambda: _read_some(server, paths))
        count += read
        progress.report(count)
    if more:
        text = f"only the first {count} files of the workspace are read; see `torchwise.mostFiles`"
        server.window_log_message(types.LogMessageParams(types.MessageType.Warning, text))
    progress.end(count)


def _paths(server: Server) -> Iterator[str]:
    """On the engine's thread."""
    configuration = server.analysis.configuration
    for root in configuration.roots:
        yield from walk(root, lambda folder: configuration.project_in(Path(folder))[1], [])


def _read_some(server: Server, paths: Iterator[str]) -> tuple[int, bool]:
    """On the engine's thread: how many files were read, and whether there may be more."""
    count, until = 0, time.monotonic() + PIECE_S
    for path in paths:
        if path not in server.analysis.snapshots:
            snapshot = snapshot_from_disk(path)
            if snapshot is not None:
                server.analysis.give(snapshot)
        count += 1
        if time.monotonic() >= until or server.analysis.worker.is_wanted(Urgency.INDEX):
            return count, True
    return count, False


class _Progress:
    """Stateful: a bar in the client, or nothing where it has none."""

    def __init__(self, server: Server, token: str | None):
        self.server, self.token = server, token

    @classmethod
    async def of(cls, server: Server) -> _Progress:
        if not server.capability("window.work_done_progress"):
            return cls(server, None)
        token = str(uuid.uuid4())
        try:
            await server.work_done_progress.create_async(token)
        except Exception:  # a client may refuse
            return cls(server, None)
        server.work_done_progress.begin(token, types.WorkDoneProgressBegin(title="Torchwise: reading files"))
        return cls(server, token)

    def report(self, count: int) -> None:
        if self.token:
            report = types.WorkDoneProgressReport(message=f"{count} files")
            self.server.work_done_progress.report(self.token, report)

    def end(self, count: int) -> None:
        if self.token:
            self.server.work_done_progress.end(
                self.token, types.WorkDoneProgressEnd(message=f"{count} files")
            )
