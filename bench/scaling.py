"""`python -m bench scaling`: how a check grows with the number of files, over one and two processes,
cold and warm.

Files are copies of the corpus where it was fetched, else of torch's layers, in packages of ten that import
nothing of each other; so the work grows with the files alone. Seconds are of the clock, memory is of the
largest process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from bench import rivals
from bench.budget import ROOT
from bench.sources import study, torch_using

SIZES = (100, 1_000, 10_000)  # files
PROCESSES = (1, 2)
PACKAGE = 10  # files
REAL = 20  # one file of so many is a real one
HEADING = "## Scaling"
PAGE = ROOT / "docs" / "benchmarks.md"

# The largest process that the run waited for, itself included; the system counts in kB.
MEASURED = """
import resource, runpy, sys
sys.argv = ["torchwise", *sys.argv[1:]]
try:
    runpy.run_module("torchwise", run_name="__main__")
finally:
    usages = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(max(usages), file=sys.stderr)
"""


@dataclass(frozen=True)
class Run:
    seconds: float
    megabytes: float


@dataclass(frozen=True)
class Point:
    """`lines` of all files together."""

    files: int
    lines: int
    processes: int
    cold: Run
    warm: Run


def points(most: int) -> Iterator[Point]:
    for files in (size for size in SIZES if size <= most):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            lines = _fill(folder, files)
            for processes in PROCESSES:
                _forget(folder)
                yield Point(files, lines, processes, _check(folder, processes), _check(folder, processes))


def _fill(folder: Path, files: int) -> int:
    """So many files; the lines in them. Each has a text of its own, else one run would answer for many."""
    lines = 0
    for number, text in enumerate(islice(_texts(), files)):
        path = folder / f"package_{number // PACKAGE}" / f"part_{number % PACKAGE}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        lines += text.count("\n")
    return lines


def _texts() -> Iterator[str]:
    """Real files and written ones in turn: a project is not all models."""
    real = cycle(torch_using(150))
    for number, path in enumerate(real):
        text = (
            study(60 + 60 * (number % 4), first=number) if number % REAL else path.read_text(encoding="utf-8")
        )
        yield f"# {number}\n{text}"


def _forget(folder: Path) -> None:
    cache = folder / ".torchwise_cache"
    for path in sorted(cache.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


def _check(folder: Path, processes: int) -> Run:
    options = ["check", "--exit-zero", "--output-format", "json", "-j", str(processes), "."]
    paths = os.pathsep.join([str(ROOT / "server"), os.environ.get("PYTHONPATH", "")])
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    taken = time.perf_counter() - start
    return Run(taken, int(done.stderr.split()[-1]) / 1e3)


def table(found: Iterable[Point]) -> str:
    rows = [
        "| files | lines | processes | cold | files a second | warm | memory cold | memory warm |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for p in found:
        pace = p.files / p.cold.seconds
        rows.append(
            f"| {p.files} | {p.lines} | {p.processes} | {p.cold.seconds:.1f} s | {pace:.0f}"
            f" | {p.warm.seconds:.1f} s | {p.cold.megabytes:.0f} MB | {p.warm.megabytes:.0f} MB |"
        )
    return "\n".join(rows) + "\n"


def page(found: Iterable[Point]) -> str:
    return f"""{HEADING}

Written by `python -m bench scaling`: projects of so many files, one of {REAL} a real one, in packages of
ten. Seconds are of the clock; memory is of the largest process.

{table(found)}"""


def kept(text: str) -> str:
    """The section as it stands in a page, or nothing."""
    _, head, rest = text.partition(f"\n{HEADING}")
    return head + rest.partition(f"\n{rivals.HEADING}")[0] if head else ""


def measure(most: int) -> int:
    found = []
    for point in points(most):
        found.append(point)
        print(table([point]).splitlines()[-1], flush=True)
    before = PAGE.read_text(encoding="utf-8")
    whole = before.replace(kept(before), "").partition(f"\n{rivals.HEADING}")[0]
    PAGE.write_text(f"{whole}\n{page(found)}{rivals.kept(before)}", encoding="utf-8")
    return 0
