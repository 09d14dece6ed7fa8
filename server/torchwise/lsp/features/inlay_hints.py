"""Shapes beside the names that they belong to."""

from __future__ import annotations

from lsprotocol import types

from torchwise.findings import Hint
from torchwise.lsp.positions import range_of
from torchwise.lsp.server import Server
from torchwise.lsp.worker import Urgency


def inlay_hints(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hints_in(params: types.InlayHintParams) -> list[types.InlayHint]:
        snapshot = server.snapshot_of(params.text_document.uri)
        if snapshot is None or not server.preferences.inlay_hints:
            return []
        uri, rows = params.text_document.uri, (params.range.start.line + 1, params.range.end.line + 1)
        return await server.analysis.ask(Urgency.IN_VIEW, lambda: _hints(server, snapshot.path, uri, rows))


def _hints(server: Server, path: str, uri: str, rows: tuple[int, int]) -> list[types.InlayHint]:
    """On the engine's thread."""
    snapshot, codec = server.analysis.snapshots[path], server.workspace.position_codec
    cell = snapshot.cell_of(uri)
    if cell not in snapshot.parts:
        return []
    nothing: list[Hint] = []
    found = server.analysis.guarded(path, lambda engine: engine.hints(path, rows, cell), nothing)
    return [
        types.InlayHint(
            position=range_of(hint.at.span, snapshot.parts[cell].lines, codec).end,
            label=hint.label,
            kind=types.InlayHintKind.Type,
            tooltip=types.MarkupContent(types.MarkupKind.Markdown, hint.tooltip) if hint.tooltip else None,
            padding_left=True,
        )
        for hint in found
    ]
