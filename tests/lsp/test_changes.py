"""Who waits for quiet can be ended at any moment."""

from __future__ import annotations

import asyncio

import pytest

from torchwise.lsp.changes import Changes


@pytest.mark.parametrize("turns", range(6))
async def test_a_change_just_before_the_end_does_not_keep_who_waits(turns: int) -> None:
    changes = Changes()

    async def follow() -> None:
        seen = -1
        while True:
            await changes.after(seen)
            seen = changes.count
            await changes.none_until_quiet(seen, 60)

    changes.note()
    following = asyncio.create_task(follow())
    await asyncio.sleep(0.01)
    changes.note()
    for _ in range(turns):  # of the loop, before the server is told to exit
        await asyncio.sleep(0)
    following.cancel()
    await asyncio.wait([following], timeout=5)
    assert following.cancelled()


async def test_quiet_is_told_from_change() -> None:
    changes = Changes()
    changes.note()
    assert await changes.none_until_quiet(changes.count, 0.02)
    seen = changes.count
    waiting = asyncio.create_task(changes.none_until_quiet(seen, 60))
    await asyncio.sleep(0.01)
    changes.note()
    assert not await waiting
