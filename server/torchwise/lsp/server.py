"""The server: what is open, what is known of it, and the features that stand in `features/`."""

from __future__ import annotations

import asyncio
import importlib
import logging
import pkgutil
import sys
import traceback
from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from torchwise import __version__
from torchwise.lsp import features
from torchwise.lsp.analysis import Analysis
from torchwise.lsp.changes import Changes
from torchwise.lsp.ordinary import demote_the_ordinary
from torchwise.lsp.paths import path_of
from torchwise.lsp.plain import plain
from torchwise.lsp.preferences import Preferences, Table
from torchwise.lsp.protocol import Protocol
from torchwise.lsp.snapshot import Part, Snapshot
from torchwise.syntax.notebook import Cell

log = logging.getLogger(__name__)

MOST_CRASHES = 20  # that are told; one fault may show in every file

NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithNotebook(
            notebook=kind, cells=[types.NotebookCellLanguage(language="python")]
        )
        for kind in ("jupyter-notebook", "torchwise-lesson")
    ],
    save=True,
)


class Server(LanguageServer):
    """Stateful: it mirrors what a client has open."""

    def __init__(self) -> None:
        super().__init__("torchwise", __version__, notebook_document_sync=NOTEBOOKS, protocol_cls=Protocol)
        self.uris: dict[str, str] = {}  # of open files and notebooks, by path; the last one changed last
        self.analysis = Analysis(self._confess, self.uris.__contains__)
        self.preferences = Preferences()
        self.sent: Table = {}  # configuration that the client told unasked
        self.changes = Changes()
        self.opened_anew: set[str] = set()  # texts that the client opened and has not been told of since
        self.background: list[Callable[[], Coroutine[Any, Any, None]]] = []  # what features do on their own
        self.configured = asyncio.Event()
        self.index: Callable[[], Coroutine[Any, Any, None]]  # reads the workspace; given by its feature
        self.indexed = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._confessed: set[str] = set()

    def begin(self) -> None:
        """Once there is a client."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._tasks = [self._loop.create_task(self._guarded(work)) for work in self.background]

    async def _guarded(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await work()
        except Exception:
            self._confess(traceback.format_exc())

    # -- what is open --------------------------------------------------------------------------------------

    def snapshot_of(self, uri: str) -> Snapshot | None:
        """Of an open document, given its address or that of one of its cells; None for what is not Python."""
        notebook = self.workspace.get_notebook_document(notebook_uri=uri)
        if notebook is not None:
            return self._notebook(notebook)
        notebook = self.workspace.get_notebook_document(cell_uri=uri)
        if notebook is not None:
            program = next((program_of(cell) for cell in notebook.cells if cell.document == uri), "")
            return self._notebook(notebook, program)
        document = self.workspace.text_documents.get(_key(uri))
        if document is None or document.language_id not in ("python", "", None):
            return None
        return Snapshot(path_of(uri), {None: Part(uri, document.version, document.source)})

    def _notebook(self, notebook: types.NotebookDocument, program: str = "") -> Snapshot:
        parts: dict[int | None, Part] = {}
        cells = []
        for index, cell in enumerate(notebook.cells):
            document = self.workspace.text_documents.get(_key(cell.document))
            text = document.source if document else ""
            is_code = cell.kind == types.NotebookCellKind.Code and program_of(cell) == program
            if document and is_code and document.language_id == "python":
                parts[index] = Part(cell.document, document.version, text)
                cells.append(Cell("code", text))
            else:
                cells.append(Cell("markdown", text))
        path = path_of(notebook.uri)
        return Snapshot(f"{path}#{program}" if program else path, parts, tuple(cells))

    def _programs(self, uri: str) -> list[str]:
        """The address of the document, and for each further program in it that of a cell."""
        notebook = self.workspace.get_notebook_document(notebook_uri=uri)
        cells = notebook.cells if notebook else []
        return [uri, *{name: cell.document for cell in cells if (name := program_of(cell))}.values()]

    def opened(self, uri: str) -> None:
        snapshot = self.snapshot_of(uri)
        if snapshot is not None:
            self.opened_anew |= {part.uri for part in snapshot.parts.values()}
        self.opened_or_changed(uri)

    def opened_or_changed(self, uri: str) -> None:
        for each in self._programs(uri):
            snapshot = self.snapshot_of(each)
            if snapshot is None:
                return
            self.begin()
            self.uris.pop(snapshot.path, None)
            self.uris[snapshot.path] = each
            self.analysis.put(snapshot)
        self.changes.note()

    def closed(self, uri: str) -> None:
        """What stands on disk is true again."""
        path = path_of(uri)
        for each in [known for known in self.uris if known == path or known.startswith(f"{path}#")]:
            del self.uris[each]
            self.analysis.reload(each)
            self.changes.note()

    def open_snapshots(self) -> list[Snapshot]:
        """The last one changed first."""
        found = [self.snapshot_of(uri) for uri in reversed(self.uris.values())]
        return [snapshot for snapshot in found if snapshot is not None]

    def is_current(self, snapshot: Snapshot) -> bool:
        uri = self.uris.get(snapshot.path)
        now = self.snapshot_of(uri) if uri else None
        return now is not None and now.same_versions(snapshot)

    # -- what the client can do ----------------------------------------------------------------------------

    @property
    def client_pulls(self) -> bool:
        """A client that asks for diagnostics is sent none: it would show them twice."""
        text = self.client_capabilities.text_document
        return text is not None and text.diagnostic is not None

    def capability(self, path: str) -> Any:
        """`workspace.configuration`: what the client says there, or None."""
        value: Any = self.client_capabilities
        for name in path.split("."):
            value = getattr(value, name, None)
        return value

    def refresh(self) -> None:
        """Asks the client to ask again: what it was told may not be true any more."""
        if self.capability("workspace.diagnostics.refresh_support"):
            self.workspace_diagnostic_refresh(None)
        if self.capability("workspace.inlay_hint.refresh_support"):
            self.workspace_inlay_hint_refresh(None)

    # -- what goes wrong -----------------------------------------------------------------------------------

    def say_wrong(self, message: str) -> None:
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"Torchwise: {message}"))

    def say_wrong_soon(self, message: str) -> None:
        """From any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self.say_wrong, message)

    def _confess(self, crash: str) -> None:
        """A fault of ours, from the engine's thread: each is logged once, and the first is shown."""
        if crash in self._confessed or len(self._confessed) >= MOST_CRASHES:
            return
        first = not self._confessed
        self._confessed.add(crash)
        log.error("%s", crash)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._show_crash, crash, first)

    def _show_crash(self, crash: str, first: bool) -> None:
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, crash))
        if first:
            text = "Torchwise met a fault of its own; its log says which. Everything else goes on"
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, text))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """A message that cannot be understood, or a feature that failed: the log is the place for it."""
        if getattr(error, "code", None) == types.LSPErrorCodes.ServerCancelled:
            return  # the client was told to ask again
        log.error("%s: %s", getattr(source, "__name__", source), error)
        if self._loop is not None and self.protocol.writer is not None:
            text = f"{type(error).__name__}: {error}"
            self.window_log_message(types.LogMessageParams(types.MessageType.Error, text))


def program_of(cell: types.NotebookCell) -> str:
    """A notebook is one program, unless its client says that some cells stand beside it: an exercise of a
    lesson.
    """
    table = plain(cell.metadata)
    own = table.get("torchwise") if isinstance(table, Mapping) else None
    name = own.get("program") if isinstance(own, Mapping) else None
    return name if isinstance(name, str) else ""


def _key(uri: str) -> str:
    """pygls keeps documents by their unquoted address."""
    return unquote(uri)


def make_server() -> Server:
    sys.setswitchinterval(
        0.001
    )  # the engine's thread lets go of the interpreter quickly when a message comes
    demote_the_ordinary()
    server = Server()
    for name in feature_names():
        module = importlib.import_module(f"{features.__name__}.{name}")
        getattr(module, name)(server)
    return server


def feature_names() -> Iterator[str]:
    return (info.name for info in pkgutil.iter_modules(features.__path__))
