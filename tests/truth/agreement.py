"""Graph breaks as predicted, beside those that Dynamo made."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from torchwise.engine import Engine

HERE = Path(__file__).parent
PROGRAMS = sorted(HERE.joinpath("programs").glob("*.py"))


@dataclass(frozen=True)
class Row:
    """One program, and the lines of its breaks."""

    name: str
    real: frozenset[int]
    said: frozenset[int]
    reasons: dict[int, str]

    @property
    def told(self) -> str:
        if self.real == self.said:
            return f"breaks on {sorted(self.real)}" if self.real else "no break"
        missed = [f"{line} ({self.reasons[line]})" for line in sorted(self.real - self.said)]
        return f"missed {missed}, said wrongly {sorted(self.said - self.real)}"


def predicted(path: Path) -> frozenset[int]:
    engine = Engine()
    engine.set_text(str(path), path.read_text())
    found = engine.findings(str(path))
    return frozenset(f.at.span.row for f in found if f.name.startswith("graph-break"))


def observed() -> dict[Path, dict[int, str]]:
    """Dynamo is asked in a process of its own; a program that raises would prove nothing."""
    command = [sys.executable, str(HERE / "dynamo.py"), *map(str, PROGRAMS)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    found = json.loads(output)
    raised = {path: got["raised"] for path, got in found.items() if got["raised"]}
    assert not raised, raised
    return {Path(path): {int(k): v for k, v in got["breaks"].items()} for path, got in found.items()}


def compared() -> list[Row]:
    real = observed()
    return [Row(p.stem, frozenset(real[p]), predicted(p), real[p]) for p in PROGRAMS]


def agreement(rows: list[Row]) -> tuple[float, float]:
    """F1 over the lines of breaks, and the share of programs of which it is rightly said whether any breaks
    are there."""
    right = sum(len(row.real & row.said) for row in rows)
    all_ = sum(len(row.real) + len(row.said) for row in rows)
    return 2 * right / all_, sum(bool(row.real) == bool(row.said) for row in rows) / len(rows)
