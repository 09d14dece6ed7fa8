"""Notebooks that a client has open: all their cells are one program."""

from __future__ import annotations

from lsprotocol import types

from torchwise.lsp.server import Server


def notebook_documents(server: Server) -> None:
    """pygls has applied a change before these are called."""

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenNotebookDocumentParams) -> None:
        server.opened(params.notebook_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeNotebookDocumentParams) -> None:
        server.opened_or_changed(params.notebook_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseNotebookDocumentParams) -> None:
        server.closed(params.notebook_document.uri)
