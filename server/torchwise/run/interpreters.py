"""Which Python runs the user's code, and what we send into it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from torchwise.run.messages import Problem


class Unavailable(Exception):
    """There is no such kernel; `problem` says why."""

    def __init__(self, problem: Problem):
        super().__init__(problem.what)
        self.problem = problem


@cache
def inside(name: str) -> str:
    """The text of a file of `inside/`."""
    return (files("torchwise.run.inside") / f"{name}.py").read_text(encoding="utf-8")


def default_interpreter(folder: str | None = None, environment: Mapping[str, str] = os.environ) -> str:
    """The environment that is active; that of the folder or one above it; the Python that runs us."""
    active = environment.get("VIRTUAL_ENV") or environment.get("CONDA_PREFIX")
    places = [Path(active)] if active else []
    if folder:
        places += [
            above / name for above in [Path(folder), *Path(folder).parents] for name in (".venv", "venv")
        ]
    for place in places:
        for python in (place / "bin" / "python", place / "Scripts" / "python.exe", place / "python.exe"):
            if python.exists():
                return str(python)
    return sys.executable


def present(interpreter: str) -> None:
    """Raises Unavailable."""
    from shutil import which

    if which(interpreter) is None:
        what = f"there is no interpreter `{interpreter}`"
        raise Unavailable(Problem(about="python", what=what, remedy="choose another one"))


def environment_of(interpreter: str, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Without what would make a Python use another one's packages, and without secrets of ours."""
    own = dict(environment)
    for name in ("TORCHWISE_TOKEN", "PYTHONHOME", "__PYVENV_LAUNCHER__"):
        own.pop(name, None)
    folder = os.path.dirname(interpreter)
    if os.path.isabs(interpreter):
        own["PATH"] = folder + os.pathsep + own.get("PATH", "")
    return own


def ending(code: int | None) -> str:
    """How a process ended: a code below 0 is a signal."""
    if code is None:
        return "it ended"
    if code >= 0:
        return f"it exited with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    told = {"SIGSEGV": "a segmentation fault", "SIGKILL": "it was killed, most likely for want of memory"}
    return told.get(name, f"it was ended by {name}")
