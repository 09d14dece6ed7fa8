"""A language server in this process: messages go in as they are on the wire, and what it says is kept."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from typing import Any

from lsprotocol import types
from pygls.io_ import run_async

from torchwise.lsp.server import make_server

PATIENCE_S = 60.0
logging.getLogger("pygls").setLevel(logging.CRITICAL)
logging.getLogger("torchwise").setLevel(logging.CRITICAL)


class Desk:
    """Stateful: a server, and what it has said. `async with` starts and ends it."""

    def __init__(self) -> None:
        self.server = make_server()
        self.answers: dict[str, dict[str, Any]] = {}
        self.told: list[dict[str, Any]] = []
        self.failed: list[str] = []  # messages and features that the server could do nothing with
        self.server.report_server_error = self._failed  # type: ignore[method-assign]
        self.server.protocol.set_writer(self)  # type: ignore[arg-type]
        self._news = asyncio.Event()
        self._reader = asyncio.StreamReader()

    async def __aenter__(self) -> Desk:
        ended = threading.Event()
        self._task = asyncio.create_task(
            run_async(ended, self._reader, self.server.protocol, error_handler=self._failed)
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """The thread of the engine goes with its server: many are started one after the other."""
        self._reader.feed_eof()
        await asyncio.wait([self._task])
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        self.server.analysis.worker.end()
        self.server.shutdown()
        if not self._task.cancelled() and isinstance(error := self._task.exception(), Exception):
            raise error

    @property
    def gone(self) -> bool:
        return self._task.done()

    # -- what the server writes to

    def write(self, said: bytes) -> None:
        message = json.loads(said.partition(b"\r\n\r\n")[2])
        if "method" in message:
            self.told.append(message)
        else:
            self.answers[repr(message.get("id"))] = message  # True is 1, to a table
        self._news.set()

    def close(self) -> None: ...

    def _failed(self, error: Exception, source: Any) -> None:
        if getattr(error, "code", None) == types.LSPErrorCodes.ServerCancelled:
            return
        self.failed.append(f"{getattr(source, '__name__', source)}: {error!r}")

    # -- what a client does

    async def send(self, body: bytes) -> None:
        self._reader.feed_data(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        await asyncio.sleep(0)

    async def noise(self, line: bytes) -> None:
        self._reader.feed_data(line)
        await asyncio.sleep(0)

    async def answer(self, number: Any) -> dict[str, Any] | None:
        """None where the server has ended."""

        async def come() -> None:
            while repr(number) not in self.answers and not self.gone:
                self._news.clear()
                waiting = asyncio.create_task(self._news.wait())
                await asyncio.wait([waiting, self._task], return_when=asyncio.FIRST_COMPLETED)

        async with asyncio.timeout(PATIENCE_S):
            await come()
        return self.answers.get(repr(number))
