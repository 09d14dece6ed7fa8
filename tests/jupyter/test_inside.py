"""The scripts that pages send, in a real kernel."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.manager import AsyncKernelManager

from torchwise.jupyter.inside import script

OBSERVED = "application/vnd.torchwise.observed+json"
COMPILED = "application/vnd.torchwise.compiled+json"


@asynccontextmanager
async def kernel() -> AsyncIterator[AsyncKernelClient]:
    manager = AsyncKernelManager(kernel_name="python3")
    await manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        await client.wait_for_ready(timeout=90)
        yield client
    finally:
        client.stop_channels()
        await manager.shutdown_kernel(now=True)


async def ran(client: AsyncKernelClient, *cells: str) -> str:
    said: list[str] = []
    for cell in cells:
        reply = await client.execute_interactive(
            cell, timeout=90, output_hook=lambda message: said.append(message["content"].get("text", ""))
        )
        assert reply["content"]["status"] == "ok", reply["content"]
    return "".join(said)


def calling(name: str, function: str, *values: Any) -> str:
    """As a page does: in a namespace of its own."""
    given = "".join(f", __import__('json').loads({json.dumps(value)!r})" for value in values)
    space = "{'__name__': 'torchwise_inside'}"
    return (
        f"(lambda space: (exec({script(name)!r}, space), space[{function!r}](globals(){given})))({space})[1]"
    )


async def shown(client: AsyncKernelClient, code: str, kind: str) -> Any:
    found: list[Any] = []
    await client.execute_interactive(
        code,
        silent=True,
        timeout=90,
        output_hook=lambda message: found.append(message["content"].get("data", {}).get(kind)),
    )
    return next(data for data in found if data is not None)


async def test_what_a_kernel_holds_is_told_and_nothing_is_left_behind() -> None:
    async with kernel() as client:
        assert (await shown(client, calling("observe", "main"), OBSERVED))["observed"] == {}
        await ran(client, "import torch\nx = torch.zeros(2, 3, requires_grad=True)\n_y = x\nn = 3")
        before = await ran(client, "print(sorted(globals()))")
        told = await shown(client, calling("observe", "main"), OBSERVED)
        form = {"shape": [2, 3], "dtype": "float32", "device": "cpu", "requiresGrad": True}
        assert told["observed"] == {"x": form}
        after = await ran(client, "print(sorted(globals()))")
        assert _own(after) == _own(before)


def _own(names: str) -> list[str]:
    return [name for name in names.split("'") if name.isidentifier() and not name.startswith("_")]


STEP = "import torch\ndef step(x):\n    y = x * 2\n    print('seen')\n    return y + 1"


async def explained(client: AsyncKernelClient, source: str) -> Any:
    return await shown(client, calling("explain", "explain", source), COMPILED)


async def test_a_call_in_a_cell_is_asked_about_with_what_the_kernel_holds() -> None:
    async with kernel() as client:
        await ran(client, STEP, "fast = torch.compile(step, backend='eager')\nbatch = torch.ones(4)")
        told = await explained(client, "%time out = fast(batch)")
        assert (told["entry"], told["graphs"]) == ("fast", 2)
        (broken,) = told["breaks"]
        assert (broken["row"], broken["source"]) == (4, STEP + "\n" * broken["source"].endswith("\n"))
        handlers = "import logging\nprint([len(v.handlers) for v in [logging.getLogger('torch._dynamo')]])"
        before = await ran(client, handlers)
        await explained(client, "fast(batch)")
        assert await ran(client, handlers) == before


async def test_what_cannot_be_asked_is_told_as_such() -> None:
    async with kernel() as client:
        assert "torch has not been imported" in (await explained(client, "f(1)"))["impossible"]
        await ran(client, STEP)
        cases: Sequence[tuple[str, str]] = [
            ("x = 1", "no call of a compiled function"),
            ("step(missing)", "run the cells before it"),
            ("step(", "not Python"),
        ]
        for source, said in cases:
            assert said in (await explained(client, source))["impossible"], source
        assert "error" in await explained(client, "step(None)")


async def test_a_lesson_begins_in_a_folder_of_its_own_with_a_device() -> None:
    async with kernel() as client:
        await ran(client, "import os\nhere = os.getcwd()")
        await ran(client, calling("lesson", "begin"))
        assert await ran(client, "print(device, os.getcwd() != here, os.listdir('.'))") == "cpu True []\n"


async def test_a_program_runs_beside_the_lesson_and_its_traceback_has_its_lines() -> None:
    async with kernel() as client:
        await ran(client, calling("lesson", "begin"), "x = 'of the lesson'")
        parts = [("exercise", "import shapes\nx = shapes.three"), ("check", "assert x == 3")]
        await ran(client, calling("lesson", "run", parts, {"shapes.py": "three = 3"}))
        assert await ran(client, "print(x)") == "of the lesson\n"
        failing = [("exercise", "def double(y):\n    assert y == 2  # no\n\ndouble(1)")]
        said: list[dict[str, Any]] = []
        reply = await client.execute_interactive(
            calling("lesson", "run", failing, {}),
            timeout=90,
            output_hook=lambda message: said.append(message["content"]),
        )
        assert reply["content"]["status"] == "error"
        (error,) = [content for content in said if "traceback" in content]
        text = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error["traceback"]))
        assert error["ename"] == "AssertionError" and "assert y == 2" in text and "double(1)" in text
        assert "lambda" not in text and "Stopped" not in text, "frames of ours tell nothing"
