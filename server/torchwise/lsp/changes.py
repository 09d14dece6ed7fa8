"""Tells whoever waits that something changed, and when it has been quiet for a while."""

from __future__ import annotations

import asyncio
import time


class Changes:
    """Stateful: the time of the last change, and those who wait for the next."""

    def __init__(self) -> None:
        self.count = 0
        self._last_s = 0.0
        self._waiting: list[asyncio.Future[None]] = []

    def note(self) -> None:
        self.count += 1
        self._last_s = time.monotonic()
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def after(self, count: int) -> None:
        """When there have been more than `count` changes."""
        while self.count <= count:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            await future

    async def none_until_quiet(self, count: int, seconds: float) -> bool:
        """Whether nothing has changed for so long; not so as soon as there are more than `count` changes."""
        left = self._last_s + seconds - time.monotonic()
        if left <= 0 or self.count > count:
            return self.count <= count
        try:
            async with asyncio.timeout(left):
                await self.after(count)
        except TimeoutError:
            return True
        return False

    async def quiet(self, seconds: float) -> None:
        """When nothing has changed for so long."""
        while (left := self._last_s + seconds - time.monotonic()) > 0:
            await asyncio.sleep(left)
