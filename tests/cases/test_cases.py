"""Whole programs: of each pair one has a fault, in the form in which it hides in real code, and one has not.

A case is a folder with `good.py`, `case.json` and, unless it is there for being right, `bad.py`. Nothing loud
is said of a good one; of a bad one something is, on one of its lines, unless the case says that it is missed.
All of them have been run under torch.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from torchwise.engine import Engine

HERE = Path(__file__).parent / "fixtures"
CASES = [path.parent.relative_to(HERE).as_posix() for path in sorted(HERE.rglob("case.json"))]
FAULTY = [case for case in CASES if (HERE / case / "bad.py").exists()]


def said(case: str, name: str) -> list[tuple[int, str, str]]:
    """The line, the severity and the rule of each finding."""
    engine, path = Engine(), f"/project/{name}"
    engine.set_text(path, (HERE / case / name).read_text(encoding="utf-8"))
    found = engine.findings(path)
    assert engine.crashes == []
    return [(f.at.span.row, f.severity, f.name) for f in found]


@pytest.mark.parametrize("case", CASES)
def test_of_a_right_program_nothing_loud_is_said(case: str) -> None:
    assert [one for one in said(case, "good.py") if one[1] != "hint"] == []


@pytest.mark.parametrize("case", FAULTY)
def test_a_fault_is_found_where_it_is(case: str) -> None:
    about = json.loads((HERE / case / "case.json").read_text(encoding="utf-8"))
    hits = [one for one in said(case, "bad.py") if one[0] in about["lines"]]
    assert bool(hits) is not about.get("missed", False)
