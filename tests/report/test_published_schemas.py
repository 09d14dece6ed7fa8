"""SARIF against the schema that its makers publish."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from tests.report.example import FINDINGS, run
from torchwise.report.formats.sarif import write_sarif
from torchwise.report.run import Run
from torchwise.rules import all_rules

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0-rtm.5.json").read_bytes())
VALIDATOR = Draft4Validator(SCHEMA, format_checker=Draft4Validator.FORMAT_CHECKER)


def problems(log: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(log)]


def sarif(what: Run) -> Any:
    out = io.StringIO()
    write_sarif(what, out)
    return json.loads(out.getvalue())


@pytest.mark.parametrize(
    "what",
    [run(), replace(run(), findings=()), replace(run(), crashes=()), replace(run(), findings=FINDINGS * 2)],
    ids=["all", "no findings", "no crashes", "twice"],
)
def test_sarif_is_valid(what: Run) -> None:
    assert problems(sarif(what)) == []


def test_sarif_of_every_rule_is_valid() -> None:
    found = tuple(replace(FINDINGS[0], code=rule.code, name=rule.name) for rule in all_rules())
    assert problems(sarif(replace(run(), findings=found))) == []


def test_the_schema_refuses_what_is_wrong() -> None:
    log = sarif(run())
    log["runs"][0]["results"][0]["level"] = "loud"
    del log["runs"][0]["tool"]
    assert len(problems(log)) == 2
