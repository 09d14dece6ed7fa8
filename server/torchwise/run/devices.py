"""What an interpreter has: asked in a process of its own, so that neither torch nor a driver enters ours."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Mapping

from torchwise.run.interpreters import Unavailable, ending, environment_of, inside, present
from torchwise.run.kernel import Kernel, answer_of
from torchwise.run.messages import Device, Devices, Problem
from torchwise.run.tokens import Token

TIMEOUT_S = 90.0  # importing torch takes long on a cold disk
FRESH_S = 300.0  # free memory changes

_MARK = "torchwise-probe:"  # as in inside/probe.py
_known: dict[tuple[str, str | None], tuple[float, Devices]] = {}


async def devices_of(
    interpreter: str,
    fresh: bool = False,
    timeout_s: float = TIMEOUT_S,
    environment: Mapping[str, str] = os.environ,
) -> Devices:
    """Never raises: what went wrong stands among the problems."""
    key = interpreter, environment.get("CUDA_VISIBLE_DEVICES")
    when, known = _known.get(key, (0.0, None))
    if known is not None and not fresh and time.monotonic() - when < FRESH_S:
        return known
    try:
        present(interpreter)
        found = await _ask(interpreter, timeout_s, environment)
    except Unavailable as error:
        return Devices(where=interpreter, problems=[error.problem])
    _known[key] = time.monotonic(), found
    return found


async def _ask(interpreter: str, timeout_s: float, environment: Mapping[str, str]) -> Devices:
    process = await asyncio.create_subprocess_exec(
        interpreter,
        "-c",
        inside("probe"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment_of(interpreter, environment),
        cwd=os.path.dirname(sys.executable),  # not where a `torch.py` of the user may lie
    )
    try:
        async with asyncio.timeout(timeout_s):
            out, err = await process.communicate()
    except TimeoutError:
        what = f"asking `{interpreter}` for its devices took longer than {timeout_s:g} s"
        raise Unavailable(
            Problem(about="torch", what=what, remedy="see whether `import torch` ends in it")
        ) from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    answer = answered(out.decode(errors="replace"), interpreter)
    if answer is None:
        last = (err.decode(errors="replace").strip().splitlines() or [""])[-1][:300]
        what = f"importing torch ended the interpreter: {ending(process.returncode)}{last and f' ({last})'}"
        remedy = f"{interpreter} -m pip install --force-reinstall torch"
        raise Unavailable(Problem(about="torch", what=what, remedy=remedy))
    return answer


async def devices_of_server(url: str, token: Token, patience_s: float = TIMEOUT_S) -> Devices:
    """What a kernel of a Jupyter server has; it is started for the question. Never raises."""
    from torchwise.run.remote import RemoteKernel

    try:
        kernel = await RemoteKernel.start(url, token, patience_s)
    except Unavailable as error:
        return Devices(where=url, problems=[error.problem])
    try:
        return await devices_in(kernel, patience_s)
    except Unavailable as error:
        return Devices(where=url, problems=[error.problem])
    finally:
        await kernel.stop()


async def devices_in(kernel: Kernel, patience_s: float) -> Devices:
    """Of the interpreter that a kernel runs in. Raises Unavailable."""
    wrong, printed = await answer_of(kernel, f"exec({inside('probe')!r}, {{}})", patience_s)
    found = answered(printed, kernel.where)
    if found is None:
        what = f"the kernel on {kernel.where} did not tell its devices: {wrong or 'no answer'}"
        raise Unavailable(Problem(about="kernel", what=what))
    return found


def answered(printed: str, where: str) -> Devices | None:
    """What the probe printed, among whatever else was."""
    for line in reversed(printed.splitlines()):
        if line.startswith(_MARK):
            return Devices(where=where, **json.loads(line.removeprefix(_MARK)))
    return None


def found_in(devices: Devices, device: str) -> Device:
    """Raises Unavailable, with the reason that was found."""
    for row in devices.devices:
        if row.id == device:
            return row
    kind = device.split(":")[0]
    about = {problem.about: problem for problem in devices.problems}
    problem = about.get(kind) or about.get("python") or about.get("torch")  # type: ignore[call-overload]
    if problem is None:
        there = ", ".join(row.id for row in devices.devices) or "none"
        problem = Problem(about="torch", what=f"there is no {device}; there are: {there}")
    raise Unavailable(problem)
