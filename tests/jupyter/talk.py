"""A page, as it speaks over its websocket; and a hub with a server that only writes down what it is told."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from jupyter_core.utils import ensure_event_loop

from torchwise.jupyter.hub import Hub, Page

PATIENCE_S = 60.0

Message = dict[str, Any]


def on_jupyters_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """The fixtures of pytest-jupyter live on a loop of their own, and not on that of pytest-asyncio."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        ensure_event_loop(prefer_selector_loop=True).run_until_complete(test(*args, **kwargs))

    return run


class Talk:
    """A page over a real websocket."""

    def __init__(self, socket: Any):
        self.socket, self.count, self.passed = socket, 0, []  # type: ignore[var-annotated]

    async def say(self, method: str, params: Any) -> None:
        await self.socket.write_message(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    async def ask(self, method: str, params: Any) -> Message:
        self.count += 1
        message = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
        await self.socket.write_message(json.dumps(message))
        return await self.heard(lambda heard: "method" not in heard and heard["id"] == self.count)

    async def heard(self, wanted: Callable[[Message], bool]) -> Message:
        """The first message that is wanted; what comes before it is kept in `passed`."""
        while True:
            text = await asyncio.wait_for(self.socket.read_message(), PATIENCE_S)
            assert text is not None, "the websocket was closed"
            message: Message = json.loads(text)
            if wanted(message):
                return message
            self.passed.append(message)

    async def greet(self) -> Message:
        hello = await self.ask("initialize", {"capabilities": {}})
        await self.say("initialized", {})
        return hello

    async def open(self, uri: str, text: str, version: int = 1) -> None:
        item = {"uri": uri, "languageId": "python", "version": version, "text": text}
        await self.say("textDocument/didOpen", {"textDocument": item})

    async def found(self, uri: str) -> list[Message]:
        message = await self.heard(
            lambda heard: (
                heard.get("method") == "textDocument/publishDiagnostics" and heard["params"]["uri"] == uri
            )
        )
        found: list[Message] = message["params"]["diagnostics"]
        return found


@dataclass
class FakeProcess:
    """Says hello, and keeps what it is told."""

    heard: Callable[[Message], None]
    ended: Callable[[], None]
    told: list[Message] = field(default_factory=list)
    pid: int = 1

    def send(self, message: Message) -> None:
        self.told.append(message)
        if message.get("method") == "initialize":
            self.heard({"jsonrpc": "2.0", "id": 0, "result": {"capabilities": {}}})

    async def end(self) -> None:
        pass

    def methods(self) -> list[str]:
        return [message.get("method", "answer") for message in self.told]

    def last(self, method: str) -> Message:
        return next(message for message in reversed(self.told) if message.get("method") == method)


@dataclass
class Desk:
    """A hub, its processes in the order they were started, and pages with what each was told."""

    hub: Hub
    processes: list[FakeProcess]
    told: dict[int, list[Message]] = field(default_factory=dict)

    @property
    def process(self) -> FakeProcess:
        return self.processes[-1]

    def page(self) -> Page:
        told: list[Message] = []
        page = Page(told.append)
        self.told[id(page)] = told
        self.hub.join(page)
        return page

    def told_to(self, page: Page) -> list[Message]:
        return self.told[id(page)]

    async def say(self, page: Page, method: str, params: Any, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        await self.hub.hear(page, message if number is None else {**message, "id": number})


def desk(root: str) -> Desk:
    processes: list[FakeProcess] = []

    async def start(folder: str, heard: Callable[[Message], None], ended: Callable[[], None]) -> FakeProcess:
        processes.append(FakeProcess(heard, ended, pid=len(processes) + 1))
        return processes[-1]

    return Desk(Hub(root, start), processes)
