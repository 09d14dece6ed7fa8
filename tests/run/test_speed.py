"""From the click to the first output, in multiples of a bare ipykernel from its start to its first output."""

from __future__ import annotations

import os
import sys
import time

from jupyter_client.manager import AsyncKernelManager

from tests.run.desk import Desk, desk

TURNS = 3


async def bare_s() -> float:
    """A kernel, its client, and one `print`, with nothing of ours."""
    began = time.monotonic()
    manager = AsyncKernelManager()
    await manager.start_kernel(env={**os.environ, "IPYTHON": sys.executable})
    client = manager.client()
    client.start_channels()
    try:
        await client.wait_for_ready(timeout=60)
        client.execute("print(1)")
        while (await client.get_iopub_msg(timeout=60))["msg_type"] != "stream":
            pass
        return time.monotonic() - began
    finally:
        client.stop_channels()
        await manager.shutdown_kernel(now=True)


async def first_output_s(at: Desk) -> float:
    began = time.monotonic()
    run = at.begin("print(1)")
    await at.until(at.text)
    took = time.monotonic() - began
    await run
    return took


async def cold_s() -> float:
    async with desk() as at:
        return await first_output_s(at)


async def warm_s() -> float:
    async with desk() as at:
        await at.run("1")
        return min([await first_output_s(at) for _ in range(3)])


async def test_a_click_costs_little_more_than_a_bare_kernel() -> None:
    turns = [(await bare_s(), await cold_s(), await warm_s()) for _ in range(TURNS)]  # in turn: loads change
    bare, cold, warm = map(min, zip(*turns))
    print(f"bare {bare:.2f} s; cold {cold / bare:.2f}; warm {warm / bare:.3f}")
    assert cold < 1.5 * bare and warm < 0.2 * bare
