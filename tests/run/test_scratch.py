"""What a killed process left behind goes; what may be in use stays."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from torchwise.run.scratch import DAY_S, scratch_folder, sweep


def test_only_old_folders_of_dead_processes_go(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    names = {
        "old and dead": f"torchwise-{ended.pid}-a",
        "new and dead": f"torchwise-{ended.pid}-b",
        "old and alive": f"torchwise-{os.getpid()}-c",
        "not ours": "torchwise-words",
    }
    for what, name in names.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "kernel.json").touch()
        if not what.startswith("new"):
            os.utime(tmp_path / name, (time.time() - 2 * DAY_S,) * 2)
    sweep(tmp_path)
    left = {what for what, name in names.items() if (tmp_path / name).exists()}
    assert left == {"new and dead", "old and alive", "not ours"}


def test_a_scratch_folder_is_for_this_user_alone() -> None:
    folder = Path(scratch_folder())
    assert folder.stat().st_mode & 0o077 == 0
    folder.rmdir()
