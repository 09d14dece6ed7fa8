"""Temporary folders, each named for the process that it belongs to.

A process that is killed leaves its own behind. A later one takes them away: after a day, since a process that
cannot be seen may live in another container with the same folder for temporary files.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path

DAY_S = 86_400.0
_OURS = re.compile(r"torchwise-(\d+)-\w+")


def scratch_folder() -> str:
    """A new one, that only this user may enter."""
    _sweep_once(tempfile.gettempdir())
    return tempfile.mkdtemp(prefix=f"torchwise-{os.getpid()}-")


@cache
def _sweep_once(parent: str) -> None:
    sweep(Path(parent))


def sweep(parent: Path) -> None:
    if os.name != "posix":  # where asking for a process would end it
        return
    for path in parent.glob("torchwise-*"):
        name = _OURS.fullmatch(path.name)
        if name and _is_left_behind(path, int(name[1])):
            shutil.rmtree(path, ignore_errors=True)


def _is_left_behind(path: Path, owner: int) -> bool:
    try:
        known = path.lstat()
        if known.st_uid != os.getuid() or time.time() - known.st_mtime < DAY_S:
            return False
        os.kill(owner, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
