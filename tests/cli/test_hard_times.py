"""Disks that are full, folders that are read-only, files that vanish: what can be checked is checked."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cli.conftest import Torchwise
from torchwise.cli import cache
from torchwise.cli import scan as scanning
from torchwise.project.documents import Document

Write = Callable[..., Path]
# Root may read and write everything, unless it gives that up.
WITHOUT_POWERS: Sequence[str] = (
    ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
)


def torchwise_in(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, that may do what others may."""
    command = [*WITHOUT_POWERS, sys.executable, "-P", "-m", "torchwise", *arguments]
    path = {"PATH": os.environ["PATH"], "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    return subprocess.run(
        command, cwd=folder, env={**path, **environment}, capture_output=True, text=True, timeout=60
    )


def test_what_may_not_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = (\n")
    (tmp_path / "b.py").write_text("x = 1\n")
    (tmp_path / "b.py").chmod(0)
    (tmp_path / "inner").mkdir(mode=0)
    done = torchwise_in(tmp_path, "check", "--output-format", "concise")
    assert done.returncode == 2 and "b.py: Permission denied" in done.stderr
    assert "a.py:1:" in done.stdout


def test_a_folder_that_is_read_only_is_checked_and_stays_as_it_is(tmp_path: Path) -> None:
    text = "import torch\nx = torch.ones(2, 3).t().view(6)\n"
    (tmp_path / "a.py").write_text(text)
    tmp_path.chmod(0o555)
    try:
        assert torchwise_in(tmp_path, "check").returncode == 1
        fixing = torchwise_in(tmp_path, "fix")
        assert fixing.returncode == 2 and "a.py: Permission denied" in fixing.stderr
        noting = torchwise_in(tmp_path, "check", "--write-baseline")
        assert noting.returncode == 2 and "Traceback" not in noting.stderr
    finally:
        tmp_path.chmod(0o755)
    assert os.listdir(tmp_path) == ["a.py"] and (tmp_path / "a.py").read_text() == text


@pytest.mark.parametrize("home", [{}, {"HOME": "/nonexistent"}, {"HOME": ""}], ids=["none", "wrong", "empty"])
def test_no_home_is_needed(tmp_path: Path, home: dict[str, str]) -> None:
    (tmp_path / "a.py").write_text("x = (\n")
    done = torchwise_in(tmp_path, "check", **home)
    assert done.returncode == 1 and done.stderr == ""


def test_a_full_disk_costs_only_the_memory_of_the_run(
    torchwise: Torchwise, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.py", "old(1)\n")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cache.json, "dump", full)
    done = torchwise("check")
    assert done.exit_code == 1 and done.stderr == ""
    assert not list(Path(".torchwise_cache").glob("*.part")) and not list(
        Path(".torchwise_cache").glob("*.json")
    )


def test_a_file_that_vanishes_is_said_and_the_rest_is_checked(
    torchwise: Torchwise, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.py", "old(1)\n")
    write("b/c.py", "old(1)\n")
    real = scanning.read_document

    def read(path: str) -> Document:
        shutil.rmtree("b", ignore_errors=True)
        return real(path)

    monkeypatch.setattr(scanning, "read_document", read)
    done = torchwise("check", "--no-cache", "--output-format", "concise")
    assert done.exit_code == 2 and "c.py: No such file or directory" in done.stderr
    assert "a.py:1:1" in done.stdout


EDITS = """
from torchwise.engine import Engine

engine = Engine()
head = "import torch\\n\\ndef f(x: torch.Tensor):\\n"
body = "    y{0} = x.view(-1, {1})\\n    return y{0} @ torch.ones({1}, 2)\\n"
for edit in range(10_000):
    engine.set_text("/project/a.py", head + body.format(edit, edit % 97))
    engine.findings("/project/a.py")
    if edit % 1_000 == 999:
        status = open("/proc/self/status").read()
        print(int(status.partition("VmRSS:")[2].split()[0]) / 1024, flush=True)
assert engine.crashes == []
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_stays_flat_over_ten_thousand_edits() -> None:
    """In a process of its own: one that holds torch and other tests gives memory back when it likes."""
    done = subprocess.run([sys.executable, "-c", EDITS], capture_output=True, text=True, check=True)
    used = [float(line) for line in done.stdout.split()]
    assert len(used) == 10
    assert used[-1] - used[2] < 3, used
