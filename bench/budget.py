"""A measured figure beside its yardstick, both taken in the same run on the same machine: only their ratio
counts."""

from __future__ import annotations

import subprocess
import sys
import time
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
    """Wall time, in seconds, of a Python run in this environment; output is dropped, failure raises."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *map(str, arguments)], cwd=cwd, check=True, capture_output=True)
    return time.perf_counter() - start


def printed_by(script: str, *arguments: str) -> str:
    """What a script prints in a process of its own, where nothing else was imported or allocated."""
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def typical(measure: Callable[[], float], times: int = 5) -> float:
    return median(measure() for _ in range(times))


def percentile_95(samples: Sequence[float]) -> float:
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
