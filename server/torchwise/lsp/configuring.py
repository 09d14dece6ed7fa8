"""Asks the client for its configuration, and gives it to the analysis."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from torchwise.lsp.paths import path_of
from torchwise.lsp.plain import plain
from torchwise.lsp.preferences import Configuration, Table, preferences
from torchwise.lsp.worker import Urgency

if TYPE_CHECKING:
    from torchwise.lsp.server import Server

SECTION = "torchwise"
PATIENCE_S = 3.0  # with a client that does not answer


def section(options: Any) -> Table:
    """The table itself, or under the name of the section."""
    table = plain(options)
    inner = table.get(SECTION) if isinstance(table, Mapping) else None
    return inner if isinstance(inner, Mapping) else table if isinstance(table, Mapping) else {}


async def configure(server: Server) -> None:
    """What the client sent unasked holds where it does not answer."""
    sent = server.sent
    roots = root_uris(server)
    asked = await _ask(server, ["", *roots]) if server.capability("workspace.configuration") else None
    tables = {"": sent, **{path_of(uri): sent for uri in roots}}
    if asked:
        answered = dict(zip(["", *map(path_of, roots)], asked))
        tables = {root: {**sent, **answered.get(root, {})} for root in tables}
    server.preferences = preferences(tables[path_of(roots[0]) if roots else ""])
    chosen = Configuration(tuple(map(path_of, roots)), tables, server.say_wrong_soon)
    await server.analysis.ask(Urgency.POINTED_AT, lambda: server.analysis.configure(chosen))
    server.changes.note()
    server.refresh()


async def _ask(server: Server, scopes: list[str]) -> list[Table] | None:
    items = [types.ConfigurationItem(scope_uri=scope or None, section=SECTION) for scope in scopes]
    asked = server.workspace_configuration_async(types.ConfigurationParams(items))
    try:
        async with asyncio.timeout(PATIENCE_S):
            answers = await asked
    except Exception:  # a client may answer with an error, or not at all
        return None
    return [section(answer) for answer in answers]


def root_uris(server: Server) -> list[str]:
    folders = [folder.uri for folder in server.workspace.folders.values()]
    root = server.workspace.root_uri
    return folders or ([root] if root else [])
