"""What the interpreter sees in a piece of code, in a form that tests can read."""

from __future__ import annotations

from textwrap import dedent

from torchwise.engine import Engine
from torchwise.findings import ShapeRow

PATH = "/project/code.py"


def engine(code: str, **files: str) -> Engine:
    """An engine with the code, and other files by module name."""
    made = Engine()
    for name, text in files.items():
        made.set_text(f"/project/{name}.py", dedent(text))
    made.set_text(PATH, dedent(code))
    made.findings(PATH)
    assert made.crashes == []
    return made


def shapes(code: str, **files: str) -> dict[str, str]:
    """By name, the shape of the last tensor bound to it: "2 B ?", or "?" where the rank is not known."""
    return {row.name: shown(row) for row in engine(code, **files).shapes(PATH)}


def shown(row: ShapeRow) -> str:
    return "?" if row.shape is None else " ".join("?" if d is None else str(d) for d in row.shape)


def events(code: str, *kinds: str, **files: str) -> list[tuple[str, str]]:
    """The events of these kinds, with the source that they are about; each once."""
    made = engine(code, **files)
    out: dict[tuple[str, str], None] = {}
    for path in made.program.files:
        for run in made.runs(path):
            for event in run.facts.events:
                if event.kind in kinds:
                    out.setdefault((event.kind, run.text_of(run.facts.key, event.at)))
    return list(out)
