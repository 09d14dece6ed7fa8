"""Over what a file has compiled: a lens that asks Dynamo itself.

The command is one of the client's, so it is only offered to a client that says it has it, in
`experimental.commands.commands` of its capabilities. Its argument is `{uri, entry}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lsprotocol import types

from torchwise.lsp.plain import plain
from torchwise.lsp.positions import range_of
from torchwise.lsp.server import Server
from torchwise.lsp.worker import Urgency

if TYPE_CHECKING:
    from torchwise.engine.entries import Entry

CHECK_GRAPH_BREAKS = "torchwise.checkGraphBreaks"
TITLE = "Check graph breaks for real"


def code_lens(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    async def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        snapshot = server.snapshot_of(uri)
        if snapshot is None or snapshot.cells is not None or not _has(server, CHECK_GRAPH_BREAKS):
            return []  # Dynamo is asked about a file; a notebook's cells are in none
        return await server.analysis.ask(Urgency.IN_VIEW, lambda: _lenses(server, snapshot.path, uri))


def _has(server: Server, command: str) -> bool:
    table = plain(server.client_capabilities.experimental)
    commands = table.get("commands") if isinstance(table, Mapping) else None
    known = commands.get("commands") if isinstance(commands, Mapping) else None
    return isinstance(known, list) and command in known


def _lenses(server: Server, path: str, uri: str) -> list[types.CodeLens]:
    """On the engine's thread."""
    snapshot = server.analysis.snapshots[path]
    nothing: list[Entry] = []
    found = server.analysis.guarded(path, lambda engine: engine.entries(path), nothing)
    lines, codec = snapshot.parts[None].lines, server.workspace.position_codec
    return [
        types.CodeLens(
            range_of(entry.at.span, lines, codec),
            command=types.Command(
                title=TITLE, command=CHECK_GRAPH_BREAKS, arguments=[{"uri": uri, "entry": entry.name}]
            ),
        )
        for entry in found
    ]
