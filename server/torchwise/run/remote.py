"""A kernel on a Jupyter server or gateway, by REST and a websocket.

A connection that breaks is made again with the same session, and the server sends what it kept meanwhile.
If that fails for a while the run ends with a message: an editor never waits for a server that is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, WebSocketException

from torchwise.run.interpreters import Unavailable
from torchwise.run.kernel import NOTICE, Death, Heard
from torchwise.run.messages import Problem
from torchwise.run.server_api import ServerApi
from torchwise.run.tokens import Token

RECONNECT_S = 8.0
_SETTLE_S = 2.0
_PING_S = 10.0  # a connection that answers no ping for as long again is broken
_LARGEST = 64 * 2**20  # bytes of one message
_GONE = {"dead": "the kernel died", "restarting": "the kernel died", "autorestarting": "the kernel died"}

# At its finest level it would write headers, and the token is one.
_silent = logging.getLogger("torchwise.run.websocket")
_silent.setLevel(logging.CRITICAL)


class RemoteKernel:
    """Stateful: a connection, and a kernel that ends with it."""

    def __init__(self, api: ServerApi, kernel: str):
        self.where, self._api, self._kernel = api.url, api, kernel
        self._session = uuid.uuid4().hex
        self._heard: asyncio.Queue[Heard] = asyncio.Queue(256)
        self._open: ClientConnection | None = None
        self._connected = asyncio.Event()
        self._death: Death | None = None
        self._reader: asyncio.Task[None] | None = None
        self._stopping = False
        self._asked = ""  # the request that is not answered yet
        self._count = 0  # of messages
        self._settling: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, url: str, token: Token, patience_s: float) -> RemoteKernel:
        """Raises Unavailable."""
        api = ServerApi(url, token)
        try:
            kernel = cls(api, await api.start())
        except BaseException:
            await api.close()
            raise
        try:
            kernel._open = await kernel._connect()
            kernel._connected.set()
            kernel._reader = asyncio.create_task(kernel._read())
            await kernel._wait_until_ready(patience_s)
        except BaseException:
            await kernel.stop()
            raise
        return kernel

    async def _connect(self) -> ClientConnection:
        """Raises Unavailable."""
        try:
            return await connect(
                self._api.channels(self._kernel, self._session),
                additional_headers=self._api.headers,
                max_size=_LARGEST,
                open_timeout=_PING_S,
                ping_interval=_PING_S,
                ping_timeout=_PING_S,
                close_timeout=1.0,
                logger=_silent,
            )
        except (OSError, TimeoutError, WebSocketException) as error:
            told = "refuses the connection" if isinstance(error, InvalidHandshake) else "cannot be reached"
            raise Unavailable(Problem(about="server", what=f"the server {self.where} {told}")) from None

    async def _wait_until_ready(self, patience_s: float) -> None:
        end = time.monotonic() + patience_s
        while True:
            asked = await self._send("kernel_info_request", {})
            until = min(end, time.monotonic() + 2.0)
            while time.monotonic() < until:
                heard = await self.hear(0.2)
                if heard is not None and heard.parent == asked and heard.channel == "shell":
                    return
                if self._death is not None:
                    raise Unavailable(
                        Problem(about="server", what=self._death.why, remedy=self._death.remedy)
                    )
            if time.monotonic() >= end:
                what = f"the kernel on {self.where} did not answer for {patience_s:g} s"
                raise Unavailable(Problem(about="server", what=what))

    # -- the connection -------------------------------------------------------------------------------------

    async def _read(self) -> None:
        while self._death is None and not self._stopping:
            assert self._open is not None
            with contextlib.suppress(WebSocketException):
                async for frame in self._open:
                    await self._take(frame)
            if not self._stopping and self._death is None:
                await self._reconnect()

    async def _take(self, frame: str | bytes) -> None:
        if isinstance(frame, bytes):  # only messages with buffers, which widgets use
            return
        message = json.loads(frame)
        content = message.get("content") or {}
        state = str(content.get("execution_state"))
        if message.get("msg_type") == "status" and state in _GONE:
            self._death = Death(_GONE[state])
            return
        parent = str((message.get("parent_header") or {}).get("msg_id", ""))
        await self._heard.put(
            Heard(str(message.get("channel")), str(message.get("msg_type")), parent, content)
        )

    async def _reconnect(self) -> None:
        self._connected.clear()
        end, pause = time.monotonic() + RECONNECT_S, 0.2
        await self._note("connection", "The connection broke; it is being made again")
        while time.monotonic() < end and not self._stopping:
            with contextlib.suppress(Unavailable):
                if await self._api.state(self._kernel) is None:
                    self._death = Death(f"the server {self.where} does not have the kernel any more")
                    return
                self._open = await self._connect()
                self._connected.set()
                await self._note("connection", "The connection stands again")
                self._settling = asyncio.create_task(self._settle(self._asked))
                return
            await asyncio.sleep(pause)
            pause = min(2 * pause, 2.0)
        why = f"the connection to {self.where} broke and could not be made again"
        remedy = "see whether the server runs; what ran may still be running"
        self._death = Death(why, reachable=False, remedy=remedy)

    async def _note(self, reason: str, text: str) -> None:
        if self._asked:
            await self._heard.put(Heard("iopub", NOTICE, self._asked, {"reason": reason, "text": text}))

    async def _settle(self, asked: str) -> None:
        """The end of a snippet may have passed while nobody listened, where the server keeps nothing."""
        seen = -1
        while asked and self._asked == asked and self._death is None:
            quiet, seen = seen == self._count, self._count
            with contextlib.suppress(Unavailable):
                if quiet and await self._api.state(self._kernel) == "idle":
                    await self._note("output-lost", "What came while the connection was broken is lost")
                    self._asked = ""
                    await self._heard.put(Heard("shell", "execute_reply", asked, {"status": "unknown"}))
                    await self._heard.put(Heard("iopub", "status", asked, {"execution_state": "idle"}))
            await asyncio.sleep(_SETTLE_S)

    async def _send(self, kind: str, content: Mapping[str, Any]) -> str:
        """A message that cannot be sent counts as sent: that the connection is gone shows when listening."""
        name = uuid.uuid4().hex
        self._asked = name if kind == "execute_request" else self._asked
        header = {
            "msg_id": name,
            "username": "torchwise",
            "session": self._session,
            "date": datetime.now(UTC).isoformat(),
            "msg_type": kind,
            "version": "5.3",
        }
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": dict(content)}
        with contextlib.suppress(WebSocketException, TimeoutError):
            async with asyncio.timeout(RECONNECT_S + 1):
                await self._connected.wait()
            if self._open is not None:
                await self._open.send(json.dumps({"channel": "shell", "buffers": [], **message}))
        return name

    # -- what a run needs -----------------------------------------------------------------------------------

    async def ask(self, code: str, silent: bool, expressions: Mapping[str, str]) -> str:
        content = {
            "code": code,
            "silent": silent,
            "store_history": not silent,
            "user_expressions": dict(expressions),
            "allow_stdin": False,
            "stop_on_error": False,
        }
        return await self._send("execute_request", content)

    async def hear(self, patience_s: float) -> Heard | None:
        try:
            async with asyncio.timeout(min(patience_s, 0.2)):
                return await self._heard.get()
        except TimeoutError:
            return None

    async def interrupt(self) -> None:
        await self._api.interrupt(self._kernel)

    async def death(self) -> Death | None:
        return self._death

    async def stop(self) -> None:
        if self._stopping:
            return
        self._stopping = True
        reachable = self._death is None or self._death.reachable
        self._death = self._death or Death("it was stopped")
        tasks = [task for task in (self._reader, self._settling) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._open is not None:
            await self._open.close()
        if reachable:
            await self._api.delete(self._kernel)
        await self._api.close()
