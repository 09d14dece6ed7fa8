"""What is known of the value under the pointer."""

from __future__ import annotations

from lsprotocol import types

from torchwise.lsp.positions import place_of, range_of
from torchwise.lsp.server import Server
from torchwise.lsp.worker import Urgency


def hover(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover_at(params: types.HoverParams) -> types.Hover | None:
        snapshot = server.snapshot_of(params.text_document.uri)
        if snapshot is None:
            return None
        return await server.analysis.ask(
            Urgency.POINTED_AT,
            lambda: _hover(server, snapshot.path, params.text_document.uri, params.position),
        )


def _hover(server: Server, path: str, uri: str, at: types.Position) -> types.Hover | None:
    """On the engine's thread."""
    snapshot, codec = server.analysis.snapshots[path], server.workspace.position_codec
    cell = snapshot.cell_of(uri)
    if cell not in snapshot.parts:
        return None
    lines = snapshot.parts[cell].lines
    row, col = place_of(at, lines, codec)
    found = server.analysis.guarded(path, lambda engine: engine.hover(path, row, col, cell), None)
    if found is None:
        return None
    content = types.MarkupContent(types.MarkupKind.Markdown, found.markdown)
    return types.Hover(content, range_of(found.at.span, lines, codec))
