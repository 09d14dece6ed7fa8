"""Edits of ours as edits of LSP."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.workspace import PositionCodec

from torchwise.findings import Edit
from torchwise.fixes.apply import mend
from torchwise.fixes.moved import Place, Texts
from torchwise.lsp.positions import range_of
from torchwise.lsp.snapshot import Part, Snapshot
from torchwise.syntax.notebook import Cell

if TYPE_CHECKING:
    from torchwise.lsp.server import Server


def workspace_edit(server: Server, edits: Iterable[Edit]) -> types.WorkspaceEdit:
    """On the engine's thread. An edit of a cell that no client has open has no address, and is left out."""
    codec = server.workspace.position_codec
    changed: dict[Place, list[types.TextEdit]] = {}
    for edit in edits:
        part = _part(server, edit.at.path, edit.at.cell)
        if part is not None:
            own = changed.setdefault((edit.at.path, edit.at.cell), [])
            own.append(types.TextEdit(range_of(edit.at.span, part.lines, codec), edit.text))
    return _packed(server, changed)


def mended_edit(server: Server, path: str) -> types.WorkspaceEdit:
    """On the engine's thread: what applying all safe fixes to a document, again and again, comes to."""
    analysis, codec = server.analysis, server.workspace.position_codec
    snapshot = analysis.snapshots[path]
    texts = {(path, cell): part.text for cell, part in snapshot.parts.items()}

    def put(changed: Texts) -> None:
        analysis.give(_with_texts(analysis.snapshots[path], changed))

    try:
        mended = mend(texts, analysis.findings, put, lambda f: f.fix is not None and f.fix.safe)
    finally:
        analysis.give(snapshot)
    changed = {place: list(_differences(texts[place], text, codec)) for place, text in mended.texts.items()}
    return _packed(server, changed)


def _part(server: Server, path: str, cell: int | None) -> Part | None:
    snapshot = server.analysis.snapshots.get(path)
    return snapshot.parts.get(cell) if snapshot else None


def _with_texts(snapshot: Snapshot, texts: Texts) -> Snapshot:
    new = {cell: text for (_, cell), text in texts.items()}
    parts = {cell: replace(part, text=new.get(cell, part.text)) for cell, part in snapshot.parts.items()}
    if snapshot.cells is None:
        return replace(snapshot, parts=parts)
    cells = [Cell(cell.kind, new.get(index, cell.text)) for index, cell in enumerate(snapshot.cells)]
    return replace(snapshot, parts=parts, cells=tuple(cells))


def _packed(server: Server, changed: dict[Place, list[types.TextEdit]]) -> types.WorkspaceEdit:
    """With versions where the client can check them."""
    parts = [(part, edits) for place, edits in changed.items() if (part := _part(server, *place)) and edits]
    if not server.capability("workspace.workspace_edit.document_changes"):
        return types.WorkspaceEdit(changes={part.uri: edits for part, edits in parts})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri=part.uri, version=part.version), edits
            )
            for part, edits in parts
        ]
    )


def _differences(before: str, after: str, codec: PositionCodec) -> Iterator[types.TextEdit]:
    """Whole lines."""
    old, new = Part("", None, before).lines, Part("", None, after).lines
    for kind, start, end, new_start, new_end in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if kind != "equal":
            where = types.Range(_line_start(old, start, codec), _line_start(old, end, codec))
            yield types.TextEdit(where, "".join(new[new_start:new_end]))


def _line_start(lines: Sequence[str], index: int, codec: PositionCodec) -> types.Position:
    """Behind a last line without an end, it is that line's end."""
    if index == len(lines) and lines and not lines[-1].endswith(("\n", "\r")):
        return types.Position(index - 1, codec.client_num_units(lines[-1]))
    return types.Position(index, 0)
