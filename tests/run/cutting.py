"""A connection that can be cut: what comes is passed on to a server, until it is told to break."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass
class Cable:
    url: str
    seen: bytearray = field(default_factory=bytearray)  # what clients sent
    broken: bool = False
    writers: set[asyncio.StreamWriter] = field(default_factory=set)

    def cut(self) -> None:
        """All connections, at once; new ones are refused until `mend`."""
        self.broken = True
        for writer in self.writers:
            writer.transport.abort()

    def mend(self) -> None:
        self.broken = False


@asynccontextmanager
async def cable_to(url: str) -> AsyncIterator[Cable]:
    parts = urlsplit(url)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if cable.broken:
            writer.transport.abort()
            return
        there, here = await asyncio.open_connection("127.0.0.1", parts.port)
        cable.writers |= {writer, here}
        await asyncio.gather(_pass_on(reader, here, cable.seen), _pass_on(there, writer, bytearray()))
        cable.writers -= {writer, here}

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    cable = Cable(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{parts.path}")
    try:
        yield cable
    finally:
        cable.cut()
        server.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seen: bytearray) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(65536):
            seen += piece
            writer.write(piece)
            await writer.drain()
    writer.close()
