"""A kernel that dies is reported with what was lost, and replaced; all others go on. None is left behind."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.run.desk import desk
from torchwise.run.interpreters import default_interpreter, environment_of
from torchwise.run.kernel import answer_of
from torchwise.run.local import LocalKernel

CRASH = "import ctypes\ndef crash():\n    ctypes.string_at(0)"


def ours() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


async def test_an_exit_is_told_with_what_was_lost() -> None:
    async with desk() as at:
        await at.run("weights = [1.0]", name="lesson#make")
        result = await at.run("import os\nos._exit(3)", name="lesson#end")
        assert result.ended == "died" and result.message == "the kernel died: it exited with code 3"
        assert result.lost and result.lost.names == ["weights"]
        assert result.lost.snippets == ["lesson#make", "lesson#end"]
        await at.until(lambda: at.states[-1] == "idle")  # another one is there before it is asked for
        assert (await at.run("weights")).ended == "failed" and at.failure.name == "NameError"


async def test_a_segmentation_fault_is_told_with_its_line() -> None:
    async with desk() as at:
        await at.run(CRASH, name="lesson#define", first_row=11)
        result = await at.run("\ncrash()", name="lesson#use", first_row=50)
        assert result.message == "the kernel died: a segmentation fault, in line 13 of lesson#define"
        assert (await at.run("print('on')")).ended == "done"


async def test_a_kernel_that_is_killed_is_told() -> None:
    async with desk() as at:
        result = await at.run("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
        assert "for want of memory" in (result.message or "")


async def test_a_death_between_two_runs_is_noticed() -> None:
    async with desk() as at:
        await at.run("import os\nprint(os.getpid())")
        os.kill(int(at.text()), signal.SIGKILL)
        await asyncio.sleep(0.3)
        assert (await at.run("1")).ended == "done" and "died" in at.states


async def test_others_go_on() -> None:
    async with desk() as at:
        await at.run("a = 1", folder="/tmp")
        await at.run("import os; os._exit(1)", folder="/")
        assert (await at.run("a", folder="/tmp")).ended == "done"


async def test_workers_end_with_their_kernel() -> None:
    start = "import subprocess, os\nprint(subprocess.Popen(['sleep', '600']).pid)"
    async with desk() as at:
        await at.run(start)
        first = int(at.text())
        await at.run("os._exit(1)")
        await at.until(lambda: not psutil.pid_exists(first))
        await at.run(start)
        second = int(at.text())
    await asyncio.sleep(0.1)
    assert not psutil.pid_exists(second) or psutil.Process(second).status() == "zombie"


@pytest.fixture
def scratch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary folders are made; nothing may be left in it."""
    folder = Path(tempfile.mkdtemp(prefix="tw-"))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    shutil.rmtree(folder)


async def test_twenty_kernels_leave_nothing_behind(scratch: Path) -> None:
    before, python, files = ours(), default_interpreter(), []

    async def one() -> None:
        kernel = await LocalKernel.start(python, environment_of(python), "/", 60.0)
        wrong, _ = await answer_of(kernel, "import subprocess; subprocess.Popen(['sleep', '600'])", 30.0)
        assert wrong is None and len(ours() - before) >= 2
        files.append(len(os.listdir("/proc/self/fd")))
        await kernel.stop()

    for _ in range(10):
        await asyncio.gather(one(), one())
    await asyncio.sleep(0.2)
    assert not {pid for pid in ours() - before if psutil.Process(pid).status() != "zombie"}
    assert not list(scratch.iterdir()) and max(files[-4:]) <= max(files[:4]) + 4  # nor files, nor sockets


@pytest.mark.parametrize("moment_s", [0.0, 0.05, 0.3, 0.6])
async def test_closing_while_a_kernel_starts_leaves_nothing(moment_s: float) -> None:
    before = ours()
    async with desk() as at:
        run = at.begin("1")
        await asyncio.sleep(moment_s)
        await at.sessions.close()
        await asyncio.wait([run], timeout=20)
        assert run.done()
        if run.result().ended == "unavailable":  # on a quick machine it may have run before
            assert "stopped" in (run.result().message or "")
    await asyncio.sleep(0.2)
    assert not {pid for pid in ours() - before if psutil.Process(pid).status() != "zombie"}
