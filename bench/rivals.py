"""`python -m bench.rivals CASES [PACKAGE ...]`: Torchwise and Pyrefly with its torch stubs on the same files.

CASES is a folder of cases (each with `case.json`, `good.py` and mostly `bad.py`), a PACKAGE has sources.
Pyrefly comes from `make rivals`, in `.rivals`. The section "Side by side" of `docs/benchmarks.md` is written
anew. Which of the errors in packages are false is for a person to say: they are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.budget import ROOT

RIVALS, PAGE = ROOT / ".rivals", ROOT / "docs" / "benchmarks.md"
HEADING = "## Side by side"
INTRODUCTION = """\
Written by `python -m bench.rivals`: small programs with one fault on tensors each, their mended twins, and
right programs that look like a fault. Found is what any finding on a line of the fault says."""
PACKAGES = """\
Sources of packages that work. Of Pyrefly only errors that speak of shapes are counted, of Torchwise all
errors and warnings. Pyrefly reads types that are written down, and its stubs; it is much the faster."""
# A type of its stubs with a shape in it: the error speaks of shapes.
SHAPED = re.compile(r"Tensor\[\[|SizeExpr|shape", re.IGNORECASE)


@dataclass(frozen=True)
class Said:
    """One error or warning."""

    path: Path
    first: int
    last: int
    text: str
    loud: bool = True  # an error or a warning, no hint


@dataclass
class Outcome:
    said: list[Said]
    seconds: float
    megabytes: float


@dataclass
class Score:
    """What one tool said of the cases."""

    found: int = 0
    as_hint: int = 0  # of those found
    bad: int = 0
    noisy: list[str] = field(default_factory=list)
    good: int = 0


def measured(command: Sequence[str | Path], cwd: Path = ROOT) -> tuple[str, float, float]:
    """Output, seconds of processor time, and the most memory of the largest process, in MB."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen([*map(str, command)], stdout=output, stderr=subprocess.DEVNULL, cwd=cwd)
        _, _, usage = os.wait4(process.pid, 0)
        output.seek(0)
        return output.read(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def torchwise(paths: Sequence[Path]) -> Outcome:
    options = ["--output-format", "json", "--isolated", "--no-cache", "--exit-zero"]
    output, *figures = measured([sys.executable, "-m", "torchwise", "check", "-j", "1", *options, *paths])
    said = [
        Said(
            Path(d["filename"]).resolve(),
            d["location"]["row"],
            d["end_location"]["row"],
            f"{d['code']} {d['message']}",
            d["severity"] != "hint",
        )
        for d in json.loads(output)
    ]
    return Outcome(said, *figures)


def pyrefly(paths: Sequence[Path]) -> Outcome:
    program = RIVALS / "bin" / "pyrefly"
    if not program.exists():
        sys.exit("bench.rivals: Pyrefly is not there: run `make rivals`")
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "pyrefly.toml")
        config.write_text(f'python-interpreter-path = "{sys.executable}"\nsearch-path = ["{RIVALS}"]\n')
        options = ["--output-format", "json", "-c", config, "--threads", "1"]
        output, *figures = measured([program, "check", *options, *paths])
    said = [
        Said(Path(ROOT, e["path"]).resolve(), e["line"], e["stop_line"], f"{e['name']} {e['description']}")
        for e in json.loads(output)["errors"]
        if e["severity"] in ("error", "warn")
    ]
    return Outcome(said, *figures)


TOOLS = {"Torchwise": torchwise, "Pyrefly with its torch stubs": pyrefly}


def score(cases: Path, outcome: Outcome) -> Score:
    """Found is what is said on a line of the fault, noise what is said of a right program."""
    result = Score()
    by_path: dict[Path, list[Said]] = {}
    for said in outcome.said:
        by_path.setdefault(said.path, []).append(said)
    for about in sorted(cases.rglob("case.json")):
        good, bad = about.parent.resolve() / "good.py", about.parent.resolve() / "bad.py"
        result.good += 1
        if loud := [said for said in by_path.get(good, []) if said.loud]:
            result.noisy.append(f"{about.parent.name}: {loud[0].text}")
        if bad.exists():
            lines = set(json.loads(about.read_text()).get("lines", []))
            here = [said for said in by_path.get(bad, []) if lines & set(range(said.first, said.last + 1))]
            result.bad += 1
            result.found += bool(here)
            result.as_hint += bool(here) and not any(said.loud for said in here)
    return result


def of_cases(cases: Path) -> list[str]:
    rows = [
        "| tool | faults found | right programs accused | processor seconds | MB |",
        "|---|---|---|---|---|",
    ]
    folders = [about.parent for about in sorted(cases.rglob("case.json"))]
    files = [path for folder in folders for path in (folder / "bad.py", folder / "good.py") if path.exists()]
    for name, run in TOOLS.items():
        outcome = run(files)
        got = score(cases, outcome)
        for noise in got.noisy:
            print(f"{name}: {noise[:160]}")
        hints = f" ({got.as_hint} as hints)" if got.as_hint else ""
        rows.append(
            f"| {name} | {got.found} of {got.bad}{hints} | {len(got.noisy)} of {got.good} "
            f"| {outcome.seconds:.0f} | {outcome.megabytes:.0f} |"
        )
    return rows


def of_package(package: Path) -> list[str]:
    rows = []
    files = sorted(package.rglob("*.py"))
    for name, run in TOOLS.items():
        outcome = run(files)
        loud = [said for said in outcome.said if said.loud]
        about_shapes = [said for said in loud if name == "Torchwise" or SHAPED.search(said.text)]
        for said in about_shapes:
            print(f"{name}: {said.path.relative_to(package.resolve())}:{said.first} {said.text[:200]}")
        rows.append(
            f"| {package.name} ({len(files)} files) | {name} | {len(about_shapes)} "
            f"| {outcome.seconds:.0f} | {outcome.megabytes:.0f} |"
        )
    return rows


def kept(page: str) -> str:
    """The section as it stands in a page, or nothing."""
    _, head, rest = page.partition(HEADING)
    return f"\n{head}{rest}" if head else ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.rivals", description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("packages", type=Path, nargs="*")
    arguments = parser.parse_args()
    lines = [HEADING, "", INTRODUCTION, "", *of_cases(arguments.cases)]
    if arguments.packages:
        lines += [
            "",
            PACKAGES,
            "",
            "| package | tool | said | processor seconds | MB |",
            "|---|---|---|---|---|",
        ]
    for package in arguments.packages:
        lines += of_package(package)
    page = PAGE.read_text(encoding="utf-8").partition(f"\n{HEADING}")[0]
    PAGE.write_text("\n".join([page, *lines, ""]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
