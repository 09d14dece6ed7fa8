"""pygls' protocol, where it would misread what a client sends.

Lines end where LSP says they end (`str.splitlines` also breaks at form feeds, which old Python sources are
full of), a column past the end of a line is its end, and a request that cannot be understood is answered.
"""

from __future__ import annotations

import re
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.workspace import TextDocument, Workspace

from torchwise.fixes.lines import lines_of
from torchwise.lsp.positions import column

# Where str.splitlines breaks lines and LSP does not.
_NO_LINE_ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


class ExactDocument(TextDocument):
    @property
    def lines(self) -> tuple[str, ...]:
        source = self.source
        return tuple(lines_of(source) if _NO_LINE_ENDS.search(source) else source.splitlines(True))

    def _apply_incremental_change(self, change: types.TextDocumentContentChangePartial) -> None:
        source, lines = self.source, self.lines
        start = self._offset(lines, change.range.start)
        end = max(start, self._offset(lines, change.range.end))
        self._source = source[:start] + change.text + source[end:]

    def _offset(self, lines: tuple[str, ...], at: types.Position) -> int:
        before = sum(map(len, lines[: at.line]))
        if at.line >= len(lines):
            return before
        return before + column(lines[at.line], at.character, self.position_codec)


class ExactWorkspace(Workspace):
    def _create_text_document(
        self,
        doc_uri: str,
        source: str | None = None,
        version: int | None = None,
        language_id: str | None = None,
    ) -> ExactDocument:
        return ExactDocument(
            doc_uri,
            source=source,
            version=version,
            language_id=language_id,
            sync_kind=self._sync_kind,
            position_codec=self.position_codec,
        )


class Protocol(LanguageServerProtocol):
    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Any:
        result = yield from super().lsp_initialize(params)
        made = self.workspace
        folders = list(made.folders.values())
        kind = types.TextDocumentSyncKind.Incremental
        self._workspace = ExactWorkspace(made.root_uri, kind, folders, made.position_encoding)
        return result

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
            raise
