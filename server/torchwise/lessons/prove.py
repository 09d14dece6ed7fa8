"""Proves lessons by running them: `python -m torchwise.lessons.prove [--cuda] [PATH...]`.

Each lesson runs in a process and a scratch folder of its own, in the order of its text; so does each
exercise, once broken and once mended. Cells that need CUDA run where it is asked for. What the analyser says
of them must be what their cells declare.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from torchwise.engine import Engine
from torchwise.lessons.course import content_folder, files_of, read_course
from torchwise.lessons.model import Cell, Course, Exercise, Lesson
from torchwise.syntax.notebook import Cell as NotebookCell

RUNNER = Path(__file__).with_name("inside") / "cells.py"
IMPORTS = (
    "torch",
    "torch._dynamo",
    "functorch.compile",
    "networkx",
    "matplotlib.pyplot",
)  # what takes long to import
CUDA = "--cuda"
LESSON_S, EXERCISE_S = 120.0, 30.0


class Processes:
    """Stateful: one process that has imported torch, and forks one for each program."""

    def __init__(self, python: str = sys.executable, accelerators: bool = False) -> None:
        # small sums side by side: more threads than that wait for each other
        environment = {"OMP_NUM_THREADS": "1", **os.environ, "MPLBACKEND": "Agg"}
        if not accelerators:
            environment["CUDA_VISIBLE_DEVICES"] = ""
        self._process = subprocess.Popen(
            [python, str(RUNNER), *IMPORTS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )

    def __enter__(self) -> Processes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def run(self, cells: Sequence[Cell], names: Sequence[str], seconds: float, outputs: bool = False) -> Any:
        assert self._process.stdin and self._process.stdout
        rows = [
            {"name": name, "code": cell.source, "raises": cell.meta.raises is not None}
            for cell, name in zip(cells, names)
        ]
        with tempfile.TemporaryDirectory(prefix="lesson-", ignore_cleanup_errors=True) as folder:
            job = {"cells": rows, "folder": folder, "seconds": seconds, "outputs": outputs}
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())


# -- what is wrong with a lesson -----------------------------------------------------------------------------


def wrong_with_snippets(lesson: Lesson, processes: Processes, accelerators: bool = False) -> list[str]:
    """What the run shows: each line names the file and the row."""
    cells = [cell for cell in lesson.snippets if accelerators or cell.role != "cuda"]
    told = processes.run(cells, [_place(lesson, cell) for cell in cells], LESSON_S)
    out = [f"{lesson.path}: the lesson {told['ended']}"] if told["ended"] else []
    for cell, row in zip(cells, told["cells"]):
        if said := _mismatch(cell.meta.raises, row):
            out.append(f"{_place(lesson, cell)}: {said}")
    return out


def wrong_with_exercise(lesson: Lesson, exercise: Exercise, processes: Processes) -> list[str]:
    where = f"{lesson.path}:{exercise.start.row}: exercise `{exercise.name}`"
    out = []
    start = _run(processes, lesson, exercise.start, exercise.check)
    if start["ended"]:
        out.append(f"{where}: the start {start['ended']}")
    elif said := _mismatch(exercise.start.meta.raises, start["cells"][0]):
        out.append(f"{where}: the start: {said}")
    elif exercise.start.meta.raises is None:
        check = start["cells"][1]["error"]
        if check is None:
            out.append(f"{where}: the check holds for the start: it does not see the fault")
        elif "AssertionError" not in check["classes"]:
            trace = start["cells"][1]["traceback"]
            out.append(f"{where}: after the start the check fails by other than an assert\n{trace}")
    mended = _run(processes, lesson, exercise.solution, exercise.check)
    if mended["ended"]:
        out.append(f"{where}: the solution {mended['ended']}")
    for name, row in zip(("solution", "check of the solution"), mended["cells"]):
        if row["error"]:
            out.append(f"{where}: the {name} fails\n{row['traceback']}")
    return out


def _run(processes: Processes, lesson: Lesson, *cells: Cell) -> Any:
    return processes.run(cells, [_place(lesson, cell) for cell in cells], EXERCISE_S)


def _mismatch(raises: str | None, row: Any) -> str | None:
    error = row["error"]
    if raises is None:
        return f"it raises\n{row['traceback']}" if error else None
    name, _, part = raises.partition(": ")
    if error is None:
        return f"it should raise `{raises}`, and does not"
    if name.rpartition(".")[2] not in error["classes"] or part not in error["message"]:
        return f"it should raise `{raises}`, and raises {error['classes'][0]}: {error['message']}"
    return None


def _place(lesson: Lesson, cell: Cell) -> str:
    return f"{lesson.path}:{cell.row}: `{cell.meta.name or f'{cell.meta.exercise}, {cell.role}'}`"


# -- what the analyser says ----------------------------------------------------------------------------------


def wrong_with_analysis(lesson: Lesson) -> list[str]:
    """Where the analyser says other than what the cells declare."""
    engine, out = Engine(), []
    cells = [cell for cell in lesson.cells if cell.role in ("text", "snippet", "cuda", "shadow")]
    path = f"{lesson.id}.ipynb"
    engine.set_notebook(path, [NotebookCell(cell.kind, cell.source) for cell in cells])
    found: dict[int, set[str]] = {}
    words: list[str] = []
    for finding in engine.findings(path):
        found.setdefault(finding.at.cell or 0, set()).add(finding.name)
        words.append(f"{finding.name}: {finding.message} (cell {finding.at.cell}, row {finding.at.span.row})")
    for index, cell in enumerate(cells):
        out += _differs(lesson, cell, found.get(index, set()), words)
    for exercise in lesson.exercises:
        out += _of_program(lesson, exercise.start, exercise.start.source)
        mended = f"{exercise.solution.source}\n{exercise.check.source}\n"
        out += _of_program(lesson, exercise.solution, mended)
    return out + [f"{lesson.path}: the analyser crashed: {crash}" for crash in engine.crashes]


def _of_program(lesson: Lesson, cell: Cell, text: str) -> list[str]:
    engine = Engine()
    engine.set_text("exercise.py", text)
    found = engine.findings("exercise.py")
    words = [f"{each.name}: {each.message} (row {each.at.span.row})" for each in found]
    out = _differs(lesson, cell, {each.name for each in found}, words)
    return out + [f"{_place(lesson, cell)}: the analyser crashed: {crash}" for crash in engine.crashes]


def _differs(lesson: Lesson, cell: Cell, found: set[str], words: list[str]) -> list[str]:
    declared = set(cell.meta.finds)
    if found == declared:
        return []
    said = [f"    {line}" for line in words if line.partition(":")[0] in found - declared]
    what = f"the analyser finds {_listed(found)}; the cell declares {_listed(declared)}"
    return ["\n".join([f"{_place(lesson, cell)}: {what}", *said])]


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"


# -- counting ------------------------------------------------------------------------------------------------


def counts(found: Course) -> Counter[str]:
    """Lessons, snippets, exercises, and asserts in both."""
    out: Counter[str] = Counter()
    for lesson in found.lessons.values():
        out["lessons"] += 1
        out["snippets"] += len(lesson.snippets)
        out["exercises"] += len(lesson.exercises)
        out["asserts"] += sum(asserts(cell.source) for cell in lesson.cells if cell.kind == "code")
    return out


def asserts(code: str) -> int:
    """How many claims it makes: asserts, and calls of torch's own `assert_close`."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return 0
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = [call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls]
    return sum(isinstance(node, ast.Assert) for node in ast.walk(tree)) + names.count("assert_close")


def wrong_with(lesson: Lesson, processes: Processes, cuda: bool) -> Iterator[str]:
    yield from wrong_with_snippets(lesson, processes, cuda)
    for exercise in lesson.exercises:
        yield from wrong_with_exercise(lesson, exercise, processes)
    yield from wrong_with_analysis(lesson)


def main(arguments: Sequence[str]) -> int:
    """Prints what is wrong, and the counts; 0 where all holds."""
    cuda, paths = CUDA in arguments, [each for each in arguments if each != CUDA]
    lessons = content_folder() / "lessons"
    wanted = [Path(path).resolve() for path in paths] or [lessons.resolve()]
    files = [
        path for path in files_of(lessons) if any(path.resolve().is_relative_to(root) for root in wanted)
    ]
    found = read_course(lessons, files)
    wrong = [str(fault) for fault in found.faults]
    with Processes(accelerators=cuda) as processes:
        for lesson in found.lessons.values():
            begun = time.monotonic()
            here = list(wrong_with(lesson, processes, cuda))
            verdict, took = "wrong" if here else "holds", time.monotonic() - begun
            print(f"{verdict} {took:5.1f} s  {lesson.id}", file=sys.stderr, flush=True)
            wrong += here
    print(*wrong, sep="\n")
    print(", ".join(f"{count} {what}" for what, count in counts(found).items()))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
