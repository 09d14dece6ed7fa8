"""What is known of the value under the pointer, and of the API that is called there."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from torchwise.findings import Called
from torchwise.lsp.positions import place_of, range_of
from torchwise.lsp.server import Server
from torchwise.lsp.worker import Urgency

RULER = "\n\n---\n\n"


def hover(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover_at(params: types.HoverParams) -> types.Hover | None:
        snapshot = server.snapshot_of(params.text_document.uri)
        if snapshot is None:
            return None
        value, called = await server.analysis.ask(
            Urgency.POINTED_AT,
            lambda: _asked(server, snapshot.path, params.text_document.uri, params.position),
        )
        about = await asyncio.to_thread(_about, server, called[0]) if called else None
        parts = [part for part in (value, (about, called[1]) if about and called else None) if part]
        if not parts:
            return None
        text = RULER.join(text for text, _ in parts)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), parts[-1][1])


def _asked(
    server: Server, path: str, uri: str, at: types.Position
) -> tuple[tuple[str, types.Range] | None, tuple[Called, types.Range] | None]:
    """On the engine's thread: the value there, and the API whose name stands there; each with its range."""
    snapshot, codec = server.analysis.snapshots[path], server.workspace.position_codec
    cell = snapshot.cell_of(uri)
    if cell not in snapshot.parts:
        return None, None
    lines = snapshot.parts[cell].lines
    row, col = place_of(at, lines, codec)
    found = server.analysis.guarded(path, lambda engine: engine.hover(path, row, col, cell), None)
    called = server.analysis.guarded(path, lambda engine: engine.called(path, row, col, cell), None)
    value = (found.markdown, range_of(found.at.span, lines, codec)) if found else None
    return value, (called, range_of(called.at.span, lines, codec)) if called else None


def _about(server: Server, called: Called) -> str | None:
    """Reads notes and the sources of the user's torch, beside the event loop."""
    from torchwise.lessons.hovers import api_hover
    from torchwise.lessons.signatures import packages_of
    from torchwise.run.interpreters import default_interpreter

    root = next(iter(server.analysis.configuration.roots), None)
    return api_hover(called, packages_of(default_interpreter(root)) or packages_of(None))
