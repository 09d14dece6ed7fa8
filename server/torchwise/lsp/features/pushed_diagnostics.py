"""Diagnostics for clients that do not ask for them.

The changed document is looked at first, at once where that is quick; when typing pauses, the other open ones,
whose findings may have changed with it. An answer about an old version is dropped: the change that made it
old starts the next round.
"""

from __future__ import annotations

from lsprotocol import types

from torchwise.lsp.diagnostics import Found, fingerprint, look
from torchwise.lsp.server import Server
from torchwise.lsp.snapshot import Part
from torchwise.lsp.worker import Urgency

IDLE_S = 1.0  # before files that are not open are looked at


def pushed_diagnostics(server: Server) -> None:
    server.background.append(lambda: follow(Told(server)))


class Told:
    """Stateful: what the client knows, by address."""

    def __init__(self, server: Server):
        self.server = server
        self.known: dict[str, tuple[int | None, str]] = {}

    def tell(self, part: Part, items: list[types.Diagnostic]) -> None:
        """Each version is answered; without a new version only what is new is said."""
        news = part.version, fingerprint(items)
        if self.known.get(part.uri) != news or part.uri in self.server.opened_anew:
            self.known[part.uri] = news
            self.server.opened_anew.discard(part.uri)
            self.server.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri=part.uri, version=part.version, diagnostics=items)
            )

    def tell_file(self, found: Found) -> None:
        for cell, part in found.snapshot.parts.items():
            items = found.diagnostics[cell]
            if items or part.version is not None or part.uri in self.known:
                self.tell(part, items)

    def withdraw_all_but(self, uris: set[str]) -> None:
        for uri in self.known.keys() - uris:
            if self.known.pop(uri)[1] != fingerprint([]):
                self.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


async def follow(told: Told) -> None:
    server, changes, seen = told.server, told.server.changes, -1
    if server.client_pulls:
        return
    await server.configured.wait()
    while True:
        await changes.after(seen)
        seen = changes.count
        if not await changes.none_until_quiet(seen, _wait_s(server)) or not await open_files(told, seen):
            continue
        if server.preferences.workspace_diagnostics and await changes.none_until_quiet(seen, IDLE_S):
            await other_files(told, seen)


def _wait_s(server: Server) -> float:
    """Before the document that was changed last is looked at."""
    path = next(reversed(server.uris), "")
    return server.analysis.wait_s(path, server.preferences.delay_ms / 1000)


async def open_files(told: Told, seen: int) -> bool:
    """Whether they were all looked at before the next change."""
    server, uris = told.server, set()
    for place, snapshot in enumerate(server.open_snapshots()):
        if place == 1:
            await server.changes.none_until_quiet(seen, server.preferences.delay_ms / 1000)
        if server.changes.count != seen:
            return False
        found = await look(server, Urgency.IN_VIEW, snapshot.path)
        if found is None or not server.is_current(found.snapshot):
            return False
        told.tell_file(found)
        uris |= {part.uri for part in found.snapshot.parts.values()}
    if not server.preferences.workspace_diagnostics:
        told.withdraw_all_but(uris)
    return True


async def other_files(told: Told, seen: int) -> None:
    server = told.server
    uris = {part.uri for snapshot in server.open_snapshots() for part in snapshot.parts.values()}
    for path in sorted(server.analysis.snapshots.keys() - server.uris.keys()):
        found = await look(server, Urgency.SCAN, path)
        if server.changes.count != seen:
            return
        if found is not None and path not in server.uris:
            told.tell_file(found)
            uris |= {part.uri for part in found.snapshot.parts.values()}
    told.withdraw_all_but(uris)
