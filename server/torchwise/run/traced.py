"""What a file's assignments bind when it really runs: traced in a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import tempfile
from pathlib import Path

from torchwise.run.choice import Choice, visible
from torchwise.run.interpreters import Unavailable, ending, environment_of, inside, present
from torchwise.run.messages import Problem, Traced

TIME_S = 300.0
_GRACE_S = 3.0


async def traced(path: str, interpreter: str, place: Choice, time_s: float = TIME_S) -> Traced:
    """Never raises. What the file prints is dropped."""
    try:
        present(interpreter)
        with tempfile.TemporaryDirectory(prefix="torchwise-") as scratch:
            return await _traced(path, interpreter, place, time_s, Path(scratch) / "rows.json")
    except Unavailable as error:
        return Traced(problem=error.problem)


async def _traced(path: str, interpreter: str, place: Choice, time_s: float, out: Path) -> Traced:
    environment = environment_of(interpreter)
    environment.update(visible(place, environment))
    process = await asyncio.create_subprocess_exec(
        interpreter,
        "-c",
        inside("trace"),
        os.path.abspath(path),
        str(out),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )
    try:
        in_time = await _ended(process, time_s)
    finally:
        _end(process)
    if not out.exists():
        what = "the file ended the interpreter" if in_time else f"the file took longer than {time_s:g} s"
        how = f": {ending(process.returncode)}" if in_time else ""
        raise Unavailable(Problem(about="python", what=f"{what}{how}"))
    found = Traced.model_validate(json.loads(out.read_text()))
    late = f"it took longer than {time_s:g} s, and was interrupted"
    return found if in_time else found.model_copy(update={"error": late})


async def _ended(process: asyncio.subprocess.Process, time_s: float) -> bool:
    """Whether it ended in time; when it is interrupted, it still writes down what it has."""
    try:
        await asyncio.wait_for(process.wait(), time_s)
        return True
    except TimeoutError:
        process.send_signal(signal.SIGINT)
    try:
        await asyncio.wait_for(process.wait(), _GRACE_S)
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
