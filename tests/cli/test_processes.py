"""Several processes say what one says; and a run that goes on while files change."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cli.conftest import Torchwise
from torchwise.cli.analysis import processes_for

FAKE = [sys.executable, str(Path(__file__).with_name("fake_engine.py"))]
Write = Callable[..., Path]


def test_results_are_the_same_with_any_number(torchwise: Torchwise, write: Write) -> None:
    for number in range(30):
        write(
            f"p{number % 3}/m{number}.py",
            "from b import shared\nold(risky(1))\n" if number % 2 else "slow(1)\n",
        )
    write("p1/b.py", "shared = bad\n")
    write("p2/crash.py", "CRASH\n")
    write("p2/broken.py", "x = (\n")
    one = torchwise("check", "--no-cache", "-j", "1", "--output-format", "json")
    three = torchwise("check", "--no-cache", "-j", "3", "--output-format", "json")
    assert one.stdout == three.stdout and one.exit_code == three.exit_code == 2
    assert "crashed on purpose" in one.stderr and "crashed on purpose" in three.stderr


def test_few_files_need_one_process() -> None:
    assert processes_for(10, 0) == 1
    assert processes_for(10, 4) == 4
    assert processes_for(2, 4) == 2
    assert 1 <= processes_for(10_000, 0) <= 8
    assert processes_for(10, 0, using_torch=10_000_000) == processes_for(10_000, 0)


def interruptible() -> None:
    """A shell lets what it runs in the background ignore interrupts, and all that this starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("library", [True, False], ids=["told", "polled"])
def test_watching_checks_again(tmp_path: Path, library: bool) -> None:
    file, out = tmp_path / "a.py", tmp_path / "out.txt"
    file.write_text("old(1)\n")
    command = [*FAKE, "check", "--watch", "--output-format", "concise", "a.py"]
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    if not library:
        (tmp_path / "without").mkdir()
        (tmp_path / "without" / "watchfiles.py").write_text("raise ImportError\n")
        env["PYTHONPATH"] = os.pathsep.join([str(tmp_path / "without"), env.get("PYTHONPATH", "")])
    with out.open("wb") as stdout:
        process = subprocess.Popen(command, stdout=stdout, cwd=tmp_path, env=env, preexec_fn=interruptible)

    def said(text: str) -> None:
        end = time.monotonic() + 20
        while text not in out.read_text():
            assert time.monotonic() < end and process.poll() is None, out.read_text()
            time.sleep(0.005)  # at once: what changes between reading and watching must not be lost

    try:
        said("a.py:1:1: warning TW901")
        file.write_text("x = 1\nrisky(1)\n")
        said("a.py:2:1: error TW902")
    finally:
        process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0


def best_s(folder: Path, *arguments: str) -> float:
    """Seconds of a processor, which are much the same on a busy machine."""
    return min(_run_s(folder, arguments) for _ in range(2))


def _run_s(folder: Path, arguments: Sequence[str]) -> float:
    process = subprocess.Popen([sys.executable, *arguments], cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_utime + used.ru_stime


RULES = "import torchwise.rules; torchwise.rules.all_rules()"


@pytest.mark.parametrize(
    ("command", "times", "base"),
    [
        (["--version"], 8, "pass"),
        (["rules", "--output-format", "json"], 1.5, RULES),
        (["check", "a.py", "--no-cache"], 1.5, f"import torchwise.engine; {RULES}"),
        (["check", "a.py"], 1, f"import torchwise.engine; {RULES}"),  # remembered
    ],
    ids=["version", "rules", "check", "check-again"],
)
def test_commands_start_quickly(tmp_path: Path, command: list[str], times: float, base: str) -> None:
    """What a command adds to what it cannot do without."""
    (tmp_path / "a.py").write_text("x = 1\n")
    assert best_s(tmp_path, "-m", "torchwise", *command) < times * best_s(tmp_path, "-c", base)


def test_a_terminal_is_shown_progress_and_colours(tmp_path: Path) -> None:
    """On a long run; and what is printed in the end is whole."""
    for number in range(60):
        (tmp_path / f"m{number}.py").write_text("old(1)\n" if number == 7 else "x = 1\n")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [*FAKE, "check", "-j", "2"], cwd=tmp_path, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            shown += os.read(ours, 65536)
        except OSError:  # the other end was closed
            break
    assert process.wait(20) == 1
    assert b"Checking" in shown and b"60/60" in shown and b"\x1b[1;33mwarning" in shown


SLOW = """
import os, pathlib, sys, time
from torchwise.cli import pool
from torchwise.cli.scan import Loaded
from torchwise.project.documents import Document
from torchwise.project.settings import Settings

def never_done(share):
    pathlib.Path(sys.argv[1], str(os.getpid())).touch()
    time.sleep(600)

pool._answered = never_done
parts = [Loaded(Settings(), {f"{n}.py": Document(f"{n}.py", b"")}, (f"{n}.py",)) for n in range(60)]
list(pool.shared_out(parts, 2))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_no_worker_outlives_a_killed_run(tmp_path: Path) -> None:
    run = subprocess.Popen([sys.executable, "-c", SLOW, tmp_path])
    until = time.monotonic() + 60
    while len(workers := [int(path.name) for path in tmp_path.iterdir()]) < 2:
        assert time.monotonic() < until
        time.sleep(0.1)
    run.kill()
    run.wait()
    while any(Path(f"/proc/{pid}").exists() for pid in workers):
        assert time.monotonic() < until, "a worker goes on"
        time.sleep(0.1)
