"""What the snippets of a lesson print and draw: run once, and kept until the lesson or torch changes."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from torchwise.lessons.model import Cell, Lesson
from torchwise.lessons.prove import LESSON_S, Processes

FORMAT = 1
MOST_LINES = 40  # of what a cell prints


@dataclass(frozen=True)
class Output:
    text: str = ""
    error: str = ""
    pictures: tuple[bytes, ...] = ()


class DidNotRun(Exception):
    """A snippet of a lesson failed where it should not: `make test` says more."""


def outputs_of(lesson: Lesson, kept: Path, processes: Processes) -> dict[str, Output]:
    """By the name of the snippet. Raises DidNotRun."""
    cells = [cell for cell in lesson.snippets if cell.role != "cuda"]
    path = kept / f"{lesson.id.replace('/', '-')}-{_key(cells)}.json"
    if not path.exists():
        told = processes.run(cells, [str(cell.meta.name) for cell in cells], LESSON_S, outputs=True)
        failed = [
            row["name"] for cell, row in zip(cells, told["cells"]) if row["error"] and not cell.meta.raises
        ]
        if failed or told["ended"]:
            raise DidNotRun(f"{lesson.path}: {told['ended'] or f'`{failed[0]}` fails'}")
        kept.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(told["cells"]), "utf-8")
    return {row["name"]: _output(row) for row in json.loads(path.read_text("utf-8"))}


def _key(cells: list[Cell]) -> str:
    text = "\0".join([str(FORMAT), version("torch"), *(cell.source for cell in cells)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _output(row: dict[str, object]) -> Output:
    lines = str(row["stdout"]).rstrip("\n").splitlines()
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"... and {len(lines) - MOST_LINES} more lines"]
    error = row["error"]
    said = ""
    if isinstance(error, dict):
        said = f"{error['classes'][0]}: {error['message']}".rstrip()
    pictures = row["pictures"] if isinstance(row["pictures"], list) else []
    return Output("\n".join(lines), said, tuple(base64.b64decode(each) for each in pictures))
