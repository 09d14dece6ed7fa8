"""`python -m bench.shapes_of_models [NAME ...]`: inferred shapes of real model files against those of a run.

Files of torchvision and timm (see `.corpus/`, which `make corpus` fills), each with a small program that
runs it on an example input. A wrong size must not be; what is unknown may be a quarter.
Writes docs/shapes.md.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from bench.budget import ROOT
from bench.model_programs import PROGRAMS, Program
from torchwise.engine import Engine
from torchwise.findings import ShapeRow

CORPUS, PAGE = ROOT / ".corpus" / "src", ROOT / "docs" / "shapes.md"
MOST_UNKNOWN = 0.25
KINDS = ("exact", "partly", "unknown", "wrong")
LOADED = (
    "*.py",
    "layers/*.py",
    "ops/*.py",
    "utils/*.py",
    "models/_*.py",
)  # of a package, beside the model's file
HEAD = """# Shapes of model files

Written by `python -m bench.shapes_of_models`: what is inferred for model files, from a program that calls
each on an example input, beside what a run with torch gives. *Exact*: each size a number, and right.
*Partly*: the rank right, and every number that is told. *Wrong* must be 0, *unknown* at most a quarter.
Seconds count reading the package.

| file | exact | partly | unknown | wrong | seconds |
|---|---|---|---|---|---|
"""


def packages(folder: Path) -> None:
    """Copies of the Python files, so that nothing is written beside the sources."""
    for name in ("timm", "torchvision"):
        source = next(CORPUS.glob(f"{name}-*"), None)
        if source is None:
            sys.exit(f"{name} is not below {CORPUS}: run `make corpus` first")
        plain = shutil.ignore_patterns("*.so", "*.pyc", "*.pyi", "__pycache__")
        shutil.copytree(source / name, folder / name, ignore=plain)


def ran(program: Program, folder: Path) -> list[tuple[int, str, list[tuple[list[int], str]]]]:
    """What the run binds: line, name, and each shape with its dtype."""
    script, out = folder / "program.py", folder / "seen.json"
    script.write_text(program.text)
    command = [sys.executable, "-m", "bench.traced", str(folder / program.file), str(script), str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=300)
    return json.loads(out.read_text())  # type: ignore[no-any-return]


def inferred(program: Program, folder: Path) -> dict[tuple[int, str], ShapeRow]:
    engine = Engine()
    package = folder / program.file.partition("/")[0]
    for path in sorted({p for pattern in LOADED for p in package.glob(pattern)} | {folder / program.file}):
        engine.set_text(str(path), path.read_text())
    engine.set_text(str(folder / "program.py"), program.text)
    return {(row.row, row.name): row for row in engine.shapes(str(folder / program.file))}


def kind_of(row: ShapeRow | None, shapes: list[tuple[list[int], str]]) -> str:
    if row is None or row.shape is None:
        return "unknown"
    said = row.shape
    for real, dtype in shapes:
        fits = len(real) == len(said) and all(not isinstance(s, int) or s == r for s, r in zip(said, real))
        if not fits or row.dtype not in (None, dtype):
            return "wrong"
    return "exact" if all(isinstance(s, int) for s in said) else "partly"


def measured(program: Program, folder: Path) -> tuple[Counter[str], float]:
    seen = ran(program, folder)
    start = time.perf_counter()
    said = inferred(program, folder)
    seconds = time.perf_counter() - start
    return Counter(kind_of(said.get((line, name)), shapes) for line, name, shapes in seen), seconds


def main(names: list[str]) -> int:
    total: Counter[str] = Counter()
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        packages(Path(scratch))
        for program in PROGRAMS:
            if names and not any(name in program.file for name in names):
                continue
            count, seconds = measured(program, Path(scratch))
            total += count
            lines.append(f"| {program.file} | {' | '.join(str(count[k]) for k in KINDS)} | {seconds:.1f} |")
            print(lines[-1], flush=True)
    share = total["unknown"] / max(1, sum(total.values()))
    lines.append(f"| **all** | {' | '.join(str(total[k]) for k in KINDS)} | |")
    if not names:
        PAGE.write_text(HEAD + "\n".join(lines) + f"\n\nUnknown: {share:.0%}.\n")
    print(f"{lines[-1]}  unknown {share:.0%}")
    return 1 if total["wrong"] or share > MOST_UNKNOWN else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
