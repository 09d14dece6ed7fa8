"""The language server as a process: JSON-RPC messages in and out, framed as LSP frames them."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence
from typing import Any

Message = dict[str, Any]

PATIENCE_S = 2.0  # for a server that was told to end
MOST_BYTES = 2**26  # of one message

# -P: the folder that it starts in is the user's, and a `click.py` in there is not to be imported.
COMMAND = (sys.executable, "-P", "-m", "torchwise", "server")


class ServerProcess:
    """Stateful: a process, until it ends. `heard` gets its messages, `ended` is called once."""

    def __init__(self, process: Process, heard: Callable[[Message], None], ended: Callable[[], None]):
        self._process, self._heard, self._ended = process, heard, ended
        self._reading = asyncio.ensure_future(self._read())

    @classmethod
    async def start(
        cls,
        folder: str | None,
        heard: Callable[[Message], None],
        ended: Callable[[], None],
        command: Sequence[str] = COMMAND,
    ) -> ServerProcess:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, cwd=folder, limit=MOST_BYTES
        )
        return cls(process, heard, ended)

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: Message) -> None:
        """A process that has just died takes nothing; that it ended is told by `ended`."""
        body = json.dumps(message).encode()
        stdin = self._process.stdin
        if stdin is not None and not stdin.is_closing():
            stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async def _read(self) -> None:
        try:
            while (message := await self._message()) is not None:
                self._heard(message)
        finally:
            self._ended()

    async def _message(self) -> Message | None:
        out, length = self._process.stdout, 0
        assert out is not None, "its output is a pipe"
        while line := (await out.readline()).strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            return None
        try:
            message: Message = json.loads(await out.readexactly(length))
        except asyncio.IncompleteReadError:
            return None
        return message

    async def end(self) -> None:
        """At the end of its input it ends by itself; one that hangs is killed."""
        self._ended = lambda: None
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        self._reading.cancel()
