"""Every rule file is its own test: its examples become test cases, and torch is the judge of the harm."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest
import torch.distributed

from tests.rules.examples import PATH, clean, findings, marked, program
from torchwise import rules
from torchwise.fixes.apply import edited
from torchwise.rules import all_rules
from torchwise.rules.rule import Example, Rule

RULES = all_rules()
PAIRS = [pytest.param(r, e, id=f"{r.name}-{i}") for r in RULES for i, e in enumerate(r.examples)]
SILENT = [pytest.param(r, s, id=f"{r.name}-{i}") for r in RULES for i, s in enumerate(r.silent)]


@pytest.mark.parametrize(("rule", "example"), PAIRS)
def test_bad_is_flagged_where_the_carets_stand(rule: Rule, example: Example) -> None:
    text, marks = marked(program(example, example.bad))
    assert marks, "an example without a caret line proves nothing"
    found = findings(text, example.files)
    assert [(f.name, f.at.span.row, f.at.span.col) for f in found] == [
        (rule.name, m.row, m.col) for m in marks
    ]
    for mark, finding in zip(marks, found, strict=True):
        assert mark.words in finding.message
        assert finding.at.span.end_row > mark.row or finding.at.span.end_col == mark.end_col


@pytest.mark.parametrize(("rule", "example"), PAIRS)
def test_good_is_silent_under_every_rule(rule: Rule, example: Example) -> None:
    assert findings(program(example, example.good), example.files) == []


@pytest.mark.parametrize(("rule", "example"), PAIRS)
def test_the_fix_turns_bad_into_good(rule: Rule, example: Example) -> None:
    text, _ = marked(program(example, example.bad))
    found = [f for f in findings(text, example.files) if f.fix is not None]
    if not found:
        return  # a rule without a fix
    mended = edited(text, [e for f in found for e in f.fix.edits])  # type: ignore[union-attr]
    compile(mended, PATH, "exec")
    assert mended == program(example, example.good)


@pytest.mark.parametrize(("rule", "text"), SILENT)
def test_a_near_miss_stays_silent(rule: Rule, text: str) -> None:
    assert findings(clean(text)) == []


@contextlib.contextmanager
def put_back(module: ModuleType) -> Iterator[None]:
    """What a program replaces in the module is there again; what it imported into it stays."""
    before = dict(vars(module))
    try:
        yield
    finally:
        vars(module).update(before)


def ran(text: str) -> dict[str, object]:
    """The namespace of a program after it ran."""
    space: dict[str, object] = {"__name__": "__main__"}
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        patch.dict(os.environ),
        put_back(torch.distributed),
    ):
        warnings.simplefilter("ignore")
        exec(compile(text, PATH, "exec"), space)
    return space


@pytest.mark.parametrize(("rule", "example"), [p for p in PAIRS if p.values[1].harm is not None])
def test_torch_confirms_the_harm(rule: Rule, example: Example) -> None:
    if example.files:
        pytest.fail("an example over several files is proven by a test of its own")
    bad, _ = marked(program(example, example.bad))
    good = ran(program(example, example.good))
    if isinstance(example.harm, type):
        with pytest.raises(example.harm):
            ran(bad)
    else:
        assert example.harm is not None
        assert example.harm(ran(bad), good)


def test_codes_are_distinct() -> None:
    codes = [r.code for r in RULES]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_a_rule_is_complete(rule: Rule) -> None:
    assert rule.summary.endswith(".")
    assert "Source: " in rule.doc
    assert rule.examples
    assert rule.level == "hint" or any(e.harm is not None for e in rule.examples), (
        "an accusation needs a proof"
    )


def test_no_table_of_a_rule_hides_another() -> None:
    for path in sorted(Path(rules.__file__).parent.glob("*/*.py")):
        names = [
            target.id
            for node in ast.parse(path.read_text("utf-8")).body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        ]
        assert len(set(names)) == len(names), path.name
