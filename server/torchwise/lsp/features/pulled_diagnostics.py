"""Diagnostics for clients that ask: of a document, and of the whole workspace."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from torchwise.lsp.diagnostics import Found, fingerprint, look
from torchwise.lsp.paths import path_of
from torchwise.lsp.server import Server
from torchwise.lsp.worker import Urgency

IDLE_S = 1.0  # before the workspace is looked at

OPTIONS = types.DiagnosticOptions(
    inter_file_dependencies=True, workspace_diagnostics=True, identifier="torchwise"
)

Report = types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport
WorkspaceItem = types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport


def pulled_diagnostics(server: Server) -> None:
    told = _Told()

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, OPTIONS)
    async def document_diagnostic(params: types.DocumentDiagnosticParams) -> Report:
        await server.configured.wait()
        return await document(server, params)

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def workspace_diagnostic(
        params: types.WorkspaceDiagnosticParams,
    ) -> types.WorkspaceDiagnosticReport:
        await server.indexed.wait()
        return await workspace(server, params, told)


async def document(server: Server, params: types.DocumentDiagnosticParams) -> Report:
    uri = params.text_document.uri
    snapshot = server.snapshot_of(uri)
    path = snapshot.path if snapshot else path_of(uri)
    found = await look(server, Urgency.IN_VIEW, path)
    if snapshot and not server.is_current(snapshot):
        data = types.DiagnosticServerCancellationData(retrigger_request=True)
        raise JsonRpcException("the document has changed", types.LSPErrorCodes.ServerCancelled.value, data)
    items = _items(found, uri)
    name = fingerprint(items)
    if name == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=name)
    return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=name)


def _items(found: Found | None, uri: str) -> list[types.Diagnostic]:
    if found is None:
        return []
    cell = found.snapshot.cell_of(uri)
    return found.diagnostics.get(cell, [])


class _Told:
    """Stateful: up to which change the client knows everything."""

    count = -1


async def workspace(
    server: Server, params: types.WorkspaceDiagnosticParams, told: _Told
) -> types.WorkspaceDiagnosticReport:
    """What is new since the last answer. A client asks again at once, so without news the answer waits for
    some.
    """
    known = {entry.uri: entry.value for entry in params.previous_result_ids}
    if server.preferences.workspace_diagnostics is False:
        return types.WorkspaceDiagnosticReport([])
    first = told.count < 0
    after = told.count if known else -1
    while True:
        await server.changes.after(after)
        await server.changes.quiet(IDLE_S)
        after = server.changes.count
        items = await _workspace_items(server, known)
        told.count = after
        if items or first:
            return types.WorkspaceDiagnosticReport(items)


async def _workspace_items(server: Server, known: dict[str, str]) -> list[WorkspaceItem]:
    """Of files that are not open: the others are asked for one by one."""
    items: list[WorkspaceItem] = []
    nothing = fingerprint([])
    gone = set(known) - {part.uri for snapshot in server.open_snapshots() for part in snapshot.parts.values()}
    for path in sorted(server.analysis.snapshots.keys() - server.uris.keys()):
        found = await look(server, Urgency.SCAN, path)
        if found is None:
            continue
        for cell, part in found.snapshot.parts.items():
            gone.discard(part.uri)
            name = fingerprint(found.diagnostics[cell])
            if known.get(part.uri, nothing) != name:
                items.append(_full(part.uri, found.diagnostics[cell], name))
    return items + [_full(uri, [], nothing) for uri in sorted(gone) if known[uri] != nothing]


def _full(uri: str, items: list[types.Diagnostic], name: str) -> WorkspaceItem:
    return types.WorkspaceFullDocumentDiagnosticReport(uri=uri, items=items, version=None, result_id=name)
