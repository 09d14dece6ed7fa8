"""A client of pytest-lsp with a server of its own, and the few things that tests do with them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

FAKE = [sys.executable, str(Path(__file__).parent.parent / "cli" / "fake_engine.py"), "server"]
REAL = [sys.executable, "-m", "torchwise", "server"]
PATIENCE_S = 20.0

Told = types.PublishDiagnosticsParams


@dataclass
class Session:
    client: LanguageClient
    root: Path
    told: list[Told] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)  # of the server
    result: types.InitializeResult | None = None

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def open(self, name: str, text: str, version: int = 1) -> str:
        item = types.TextDocumentItem(self.uri(name), "python", version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return item.uri

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        )

    def change(
        self, uri: str, version: int, text: str, where: tuple[int, int, int, int] | None = None
    ) -> None:
        """The range (lines and columns from 0, in the client's units) or the whole document."""
        document = types.VersionedTextDocumentIdentifier(version=version, uri=uri)
        change: types.TextDocumentContentChangeEvent = types.TextDocumentContentChangeWholeDocument(text)
        if where:
            change = types.TextDocumentContentChangePartial(range_of(*where), text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    async def diagnostics(self, uri: str, version: int | None = None) -> Sequence[types.Diagnostic]:
        """What was pushed last for a document, once it is about this version."""
        told = await until(lambda: [t for t in self.told if t.uri == uri and version in (None, t.version)])
        return told[-1].diagnostics

    async def codes(self, uri: str, version: int | None = None) -> list[Any]:
        return [item.code for item in await self.diagnostics(uri, version)]

    async def pull(self, uri: str, previous: str | None = None) -> Any:
        document = types.TextDocumentIdentifier(uri)
        params = types.DocumentDiagnosticParams(document, previous_result_id=previous)
        return await self.client.text_document_diagnostic_async(params)

    async def actions(
        self, uri: str, where: tuple[int, int, int, int], only: list[str] | None = None
    ) -> list[types.CodeAction]:
        context = types.CodeActionContext([], only=only)  # type: ignore[arg-type]
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), range_of(*where), context)
        found = await self.client.text_document_code_action_async(params)
        return [action for action in found or [] if isinstance(action, types.CodeAction)]

    async def hover(self, uri: str, line: int, character: int) -> types.Hover | None:
        position = types.Position(line, character)
        return await self.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri), position)
        )


def range_of(line: int, character: int, end_line: int, end_character: int) -> types.Range:
    return types.Range(types.Position(line, character), types.Position(end_line, end_character))


async def until(found: Callable[[], Any], seconds: float = PATIENCE_S) -> Any:
    """The first answer that is not empty."""
    end = asyncio.get_running_loop().time() + seconds
    while not (answer := found()):
        assert asyncio.get_running_loop().time() < end, "waited in vain"
        await asyncio.sleep(0.01)
    return answer


def capabilities(pulls: bool = False, **more: Any) -> types.ClientCapabilities:
    """A client with everything, that is told or asks for diagnostics."""
    return types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(
            diagnostic=types.DiagnosticClientCapabilities() if pulls else None,
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(version_support=True),
            **more,
        ),
        notebook_document=types.NotebookDocumentClientCapabilities(
            types.NotebookDocumentSyncClientCapabilities()
        ),
        workspace=types.WorkspaceClientCapabilities(
            configuration=True,
            workspace_folders=True,
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True),
            inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=True),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
        ),
        window=types.WindowClientCapabilities(work_done_progress=True),
    )


@asynccontextmanager
async def connected(
    root: Path,
    can: types.ClientCapabilities | None = None,
    command: Sequence[str] = FAKE,
    options: Any = None,
    folders: Sequence[Path] = (),
) -> AsyncIterator[Session]:
    """A server that has been greeted. Its configuration is asked of `session.client.set_configuration`."""
    client = LanguageClient(converter_factory=default_converter)
    session = Session(client, root)

    def told(params: Told) -> None:
        session.told.append(params)
        client.diagnostics[params.uri] = params.diagnostics

    def register(params: types.RegistrationParams) -> None:
        session.requests += [entry.method for entry in params.registrations]

    def refresh(params: None) -> None:
        session.requests.append(types.WORKSPACE_INLAY_HINT_REFRESH)

    own = {
        types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: told,
        types.CLIENT_REGISTER_CAPABILITY: register,
        types.WORKSPACE_INLAY_HINT_REFRESH: refresh,
    }
    register_lsp_features(client, {**DEFAULT_CLIENT_FEATURES, **own})
    if isinstance(options, dict):
        client.set_configuration({"torchwise": options})
    await client.start_io(*command)
    session.result = await client.initialize_session(
        types.InitializeParams(
            capabilities=can or capabilities(),
            root_uri=root.as_uri(),
            workspace_folders=[types.WorkspaceFolder(path.as_uri(), path.name) for path in folders or [root]],
            initialization_options=options,
        )
    )
    try:
        yield session
    finally:
        await client.shutdown_session()
        await client.stop()
