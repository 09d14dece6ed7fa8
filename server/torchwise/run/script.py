"""A script of ours in the chosen interpreter: a process that writes its answer to a file, within a time."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import tempfile
from pathlib import Path
from typing import Any

from torchwise.run.choice import Choice, visible
from torchwise.run.interpreters import Unavailable, ending, environment_of, inside, present
from torchwise.run.messages import Problem

_GRACE_S = 3.0


async def written_by(
    script: str, argument: str, interpreter: str, place: Choice, time_s: float
) -> tuple[Any, bool]:
    """What a script of `inside/` wrote, and whether it ended in time. What it prints is dropped.

    Raises Unavailable where it wrote nothing.
    """
    present(interpreter)
    with tempfile.TemporaryDirectory(prefix=f"torchwise-{os.getpid()}-") as scratch:
        out = Path(scratch) / "out.json"
        process = await _started(script, argument, out, interpreter, place)
        try:
            in_time = await _ended(process, time_s)
        finally:
            _end(process)
        if out.exists():
            return json.loads(out.read_text()), in_time
    if not in_time:
        raise Unavailable(Problem(about="python", what=f"it took longer than {time_s:g} s"))
    raise Unavailable(Problem(about="python", what=f"the interpreter ended: {ending(process.returncode)}"))


async def _started(
    script: str, argument: str, out: Path, interpreter: str, place: Choice
) -> asyncio.subprocess.Process:
    environment = environment_of(interpreter)
    environment.update(visible(place, environment))
    return await asyncio.create_subprocess_exec(
        interpreter,
        "-c",
        inside(script),
        argument,
        str(out),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )


async def _ended(process: asyncio.subprocess.Process, time_s: float) -> bool:
    """Whether it ended in time; when it is interrupted, it still writes down what it has."""
    try:
        async with asyncio.timeout(time_s):
            await process.wait()
        return True
    except TimeoutError:
        process.send_signal(signal.SIGINT)
    try:
        async with asyncio.timeout(_GRACE_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
    return False


def _end(process: asyncio.subprocess.Process) -> None:
    """With all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (AttributeError, OSError):
        if process.returncode is None:
            process.kill()
