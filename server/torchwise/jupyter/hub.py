"""One language server for all pages of a user server, and what each page has open.

Every page (a browser tab) speaks as if it had a server of its own. The hub gives its requests numbers that
are unique, answers `initialize` from what the server said to the hub, and knows what each page has open.
Where pages have the same document open and their texts differ, the server holds that of the page that spoke
of it last: before another page's message about it is passed on, its state takes the place of the first one's,
and questions of the first that are still open are answered with "content modified". So every answer is about
the text of who asked. Pages whose texts are the same (they edit together) share one state, and each is told
in its own versions.

When the server dies it is started again and all that is open is opened in it; the pages are told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torchwise.jupyter.borders import OutOfBounds, allowed
from torchwise.jupyter.documents import CLOSING, FOLLOWED, OPENING, Opened, Params, subject
from torchwise.jupyter.process import Message, ServerProcess
from torchwise.jupyter.speech import (
    CAPABILITIES,
    CONTENT_MODIFIED,
    INVALID,
    REQUEST_FAILED,
    answer,
    in_versions_of,
    refusal,
)

log = logging.getLogger(__name__)

DELAYS_S = (0.0, 0.5, 2.0, 5.0, 15.0, 30.0)  # before the server is started again, and again
STEADY_S = 60.0  # a server that lived so long is not counted as failing

Start = Callable[..., Any]


@dataclass(eq=False)
class Page:
    """A websocket: what it has open, and how it is told something."""

    tell: Callable[[Message], None]
    opened: dict[str, Opened] = field(default_factory=dict)  # by the document's address


@dataclass(frozen=True)
class Asked:
    page: Page
    number: Any  # as the page counts
    uri: str | None


class Hub:
    """Stateful: a process, pages, and which page's text the process has."""

    def __init__(self, root: str | None, start: Start = ServerProcess.start):
        self.root = str(Path(root).resolve()) if root else None
        self.pages: list[Page] = []
        self.pid: int | None = None
        self._start_process = start
        self._process: ServerProcess | None = None
        self._starting: asyncio.Task[None] | None = None
        self._holders: dict[str, Page] = {}  # whose state the server has, by document
        self._texts: dict[str, str] = {}  # the document that a text belongs to
        self._told: dict[str, Message] = {}  # diagnostics of open texts, as they came last
        self._asked: dict[int, Asked] = {}
        self._count = 0
        self._deaths = 0
        self._born = 0.0
        self._hello: asyncio.Future[Any] | None = None
        self._known: dict[str, Message] = {}  # diagnostics of files that no page has open
        self._settings: Params = {}
        self._trusted: Message | None = None
        self._closed = False

    # -- pages ---------------------------------------------------------------------------------------------

    def join(self, page: Page) -> None:
        self.pages.append(page)
        self._awake()

    def leave(self, page: Page) -> None:
        self.pages.remove(page)
        for number in [number for number, asked in self._asked.items() if asked.page is page]:
            self._forget(number)
        for uri in list(page.opened):
            self._close(page, uri)

    async def hear(self, page: Page, message: Message) -> None:
        """A message of a page. What it may not say is answered, or noted where no answer is expected."""
        try:
            hello = await self._capabilities()
            if page not in self.pages:
                return
            if message.get("method") == "initialize":
                page.tell(answer(message["id"], hello))
                for known in self._known.values():
                    page.tell(known)
            elif message.get("method") in ("initialized", "$/cancelRequest") or "method" not in message:
                self._cancel(page, message)
            else:
                allowed(message, self.root)
                self._pass_on(page, message)
        except OutOfBounds as error:
            self._refuse(page, message, INVALID, str(error))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            self._refuse(page, message, INVALID, f"not understood: {type(error).__name__}: {error}")

    def _refuse(self, page: Page, message: Message, code: int, text: str) -> None:
        log.warning("a message was not passed on: %s", text)
        if "id" in message:
            page.tell(refusal(message["id"], code, text))

    async def _capabilities(self) -> Any:
        """Once there is a server; a page that comes while it starts waits."""
        self._awake()
        assert self._hello is not None, "a server that starts will say hello"
        return await asyncio.shield(self._hello)

    def _cancel(self, page: Page, message: Message) -> None:
        number = (message.get("params") or {}).get("id")
        if message.get("method") == "$/cancelRequest":
            for own, asked in list(self._asked.items()):
                if asked.page is page and asked.number == number:
                    self._forget(own)

    def _forget(self, number: int) -> None:
        self._asked.pop(number, None)
        self._send("$/cancelRequest", {"id": number})

    # -- from a page to the server -------------------------------------------------------------------------

    def _pass_on(self, page: Page, message: Message) -> None:
        method: str = message["method"]
        params: Any = message.get("params")
        if method in FOLLOWED:
            self._follow(page, method, params)
        elif method == "workspace/didChangeConfiguration":
            self._settings = params["settings"]
            self._send(method, params)
        elif "id" in message:
            self._ask(page, message["id"], method, params)
        else:
            if method == "torchwise/trust":
                self._trusted = params
            self._send(method, params)

    def _follow(self, page: Page, method: str, params: Params) -> None:
        uri = subject(params)
        if uri is None:
            raise ValueError("it names no document")
        if method in OPENING:
            self._close(page, uri)
            page.opened[uri] = Opened(method, params)
            self._hold(page, uri)
            self._tell_what_is_known(page, uri)
        elif method in CLOSING:
            self._close(page, uri)
        elif uri in page.opened:
            held = self._holders.get(uri) is page
            page.opened[uri].change(params)
            if held:
                self._note_texts(page.opened[uri])
                self._send(method, params)
            else:
                self._hold(page, uri)
                self._tell_what_is_known(page, uri)

    def _ask(self, page: Page, number: Any, method: str, params: Any) -> None:
        text = subject(params)
        uri = next((at for at, opened in page.opened.items() if text in {at, *opened.uris()}), None)
        if uri is not None:
            self._hold(page, uri)
        self._count += 1
        self._asked[self._count] = Asked(page, number, uri)
        self._send(method, params, self._count)

    def _hold(self, page: Page, uri: str) -> None:
        """The server shall have this page's state of the document."""
        holder, opened = self._holders.get(uri), page.opened[uri]
        if holder is page or (holder is not None and holder.opened[uri].reads_as(opened)):
            return
        if holder is not None:
            self._send(*holder.opened[uri].closing())
            self._drop_questions(uri)
        self._holders[uri] = page
        self._note_texts(opened)
        self._send(opened.method, opened.params)

    def _close(self, page: Page, uri: str) -> None:
        opened = page.opened.pop(uri, None)
        if opened is None or self._holders.get(uri) is not page:
            return
        del self._holders[uri]
        self._send(*opened.closing())
        self._texts = {text: document for text, document in self._texts.items() if document != uri}
        self._told = {text: message for text, message in self._told.items() if text in self._texts}
        if other := next((other for other in self.pages if uri in other.opened), None):
            self._hold(other, uri)

    def _note_texts(self, opened: Opened) -> None:
        kept = {text: document for text, document in self._texts.items() if document != opened.uri}
        self._texts = {**kept, **dict.fromkeys(opened.uris(), opened.uri)}

    def _drop_questions(self, uri: str) -> None:
        for number, asked in list(self._asked.items()):
            if asked.uri == uri:
                del self._asked[number]
                asked.page.tell(
                    refusal(asked.number, CONTENT_MODIFIED, "the document is open elsewhere, too")
                )

    def _send(self, method: str, params: Any, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if self._process is not None and self._hello is not None and self._hello.done():
            self._process.send(message if number is None else {**message, "id": number})

    # -- from the server to pages --------------------------------------------------------------------------

    def _heard(self, message: Message) -> None:
        if "method" not in message:
            self._answered(message)
        elif "id" in message:
            self._asked_by_server(message)
        elif message["method"] == "textDocument/publishDiagnostics":
            self._tell_diagnostics(message)
        else:
            self._tell_all(message)

    def _answered(self, message: Message) -> None:
        asked = self._asked.pop(message.get("id", -1), None)
        if asked is not None:
            opened = asked.page.opened.get(asked.uri or "")
            own = message if opened is None else in_versions_of(opened, message)
            asked.page.tell({**own, "id": asked.number})
        elif message.get("id") == 0 and self._hello is not None and not self._hello.done():
            self._hello.set_result(message["result"])
            self._greet()

    def _asked_by_server(self, message: Message) -> None:
        """Pages need not be asked: settings are those of the user, and edits come with code actions."""
        result: Any = None
        if message["method"] == "workspace/configuration":
            result = [self._settings for _ in message["params"]["items"]]
        if self._process is not None:
            self._process.send(answer(message["id"], result))

    def _tell_diagnostics(self, message: Message) -> None:
        """To the page whose text it is about; about files that are open nowhere, to all."""
        text = message["params"]["uri"]
        document = self._texts.get(text)
        holder = self._holders.get(document) if document else None
        if document is not None and holder is not None:
            self._told[text] = message
            for page in self.pages:
                if document in page.opened:
                    self._tell_text(page, holder, document, text)
            return
        self._known.pop(text, None)
        if message["params"]["diagnostics"]:
            self._known[text] = message
        self._tell_all(message)

    def _tell_text(self, page: Page, holder: Page, document: str, text: str) -> None:
        """What was found in a text, if it is known and the page has the same."""
        message, own, held = self._told.get(text), page.opened[document], holder.opened[document]
        if message is None or not own.reads_as(held):
            return
        version = held.items()[text]["version"]
        if page is holder or message["params"].get("version") == version:
            params = {**message["params"], "version": own.items()[text]["version"]}
            page.tell(message if page is holder else {**message, "params": params})

    def _tell_what_is_known(self, page: Page, uri: str) -> None:
        holder = self._holders.get(uri)
        if holder is not None and holder is not page:
            for text in list(page.opened[uri].uris()):
                self._tell_text(page, holder, uri, text)

    def _tell_all(self, message: Message) -> None:
        for page in list(self.pages):
            page.tell(message)

    def _tell_state(self, state: str) -> None:
        params = {"state": state, "pid": self.pid}
        self._tell_all({"jsonrpc": "2.0", "method": "torchwise/server", "params": params})

    # -- the process ---------------------------------------------------------------------------------------

    def _awake(self) -> None:
        """Starts the server where there is none."""
        if self._process is None and self._starting is None and not self._closed:
            if self._hello is None or self._hello.done():
                self._hello = asyncio.get_running_loop().create_future()
            self._starting = asyncio.ensure_future(self._begin())

    async def _begin(self) -> None:
        while self._process is None:
            await asyncio.sleep(DELAYS_S[min(self._deaths, len(DELAYS_S) - 1)])
            try:
                self._process = await self._start_process(self.root, self._heard, self._ended)
            except OSError as error:
                self._deaths += 1
                log.warning("the language server cannot be started: %s", error)
        self._starting = None
        self._born, self.pid = asyncio.get_running_loop().time(), self._process.pid
        log.info("language server: process %s", self.pid)
        root = Path(self.root).as_uri() if self.root else None
        folders = [{"uri": root, "name": "root"}] if root else None
        hello = {
            "processId": None,
            "rootUri": root,
            "workspaceFolders": folders,
            "capabilities": CAPABILITIES,
        }
        params = {**hello, "initializationOptions": self._settings}
        self._process.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})

    def _greet(self) -> None:
        """What it would know had it been there all the time."""
        self._send("initialized", {})
        if self._trusted is not None:
            self._send("torchwise/trust", self._trusted)
        for uri, holder in self._holders.items():
            self._send(holder.opened[uri].method, holder.opened[uri].params)
        self._tell_state("ready")

    def _ended(self) -> None:
        lived = asyncio.get_running_loop().time() - self._born
        self._deaths = 1 if lived > STEADY_S else self._deaths + 1
        self._process, self.pid = None, None
        log.warning("the language server has ended; it is started again")
        asked, self._asked = self._asked, {}
        for question in asked.values():
            text = "the language server has ended; it is started again"
            question.page.tell(refusal(question.number, REQUEST_FAILED, text))
        self._known = {}
        self._tell_state("ended")
        if self.pages:
            self._awake()

    async def close(self) -> None:
        self._closed = True
        if self._starting is not None:
            self._starting.cancel()
        if self._process is not None:
            await self._process.end()
