"""A measured figure beside its yardstick, both taken in the same run on the same machine: only their ratio
counts."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Row:
    """One line of the table. `budget` is in words; `held` says whether the figure keeps to it."""

    what: str
    figure: str
    yardstick: str
    ratio: str
    budget: str
    held: bool


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms"


def run(*arguments: str | Path, cwd: Path = ROOT) -> float:
    """Processor time, in seconds, of a Python run in this environment; output is dropped, failure raises.

    Processor time, since what else the machine is doing changes it little. The runs that are compared use
    one process.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *map(str, arguments)], cwd=cwd, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def printed_by(script: str, *arguments: str) -> str:
    """What a script prints in a process of its own, where nothing else was imported or allocated."""
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def typical(measure: Callable[[], float], times: int = 5) -> float:
    return median(measure() for _ in range(times))


def percentile_95(samples: Sequence[float]) -> float:
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
