"""Each output format against a file that was read and found right. `UPDATE_GOLDEN=1` writes them anew."""

from __future__ import annotations

import io
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.report.example import FINDINGS, FOLDER, RULE, run
from torchwise import __version__
from torchwise.report import format_named, format_names
from torchwise.report.run import Run
from torchwise.report.statistics import write_statistics, write_statistics_json

GOLDEN = Path(__file__).parent / "golden"
WRITERS = {
    **{name: format_named(name) for name in format_names()},
    "statistics": write_statistics,
    "statistics-json": write_statistics_json,
}


def written(name: str, what: Run) -> str:
    out = io.StringIO()
    WRITERS[name](what, out)
    return out.getvalue().replace(__version__, "VERSION")


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of a known width, without colours; and one rule that does not change."""
    monkeypatch.setattr("torchwise.rules.all_rules", lambda: (RULE,))
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("FORCE_COLOR", "NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", WRITERS)
def test_a_format_is_as_it_was(name: str) -> None:
    golden, text = GOLDEN / f"{name}.txt", written(name, run())
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.mark.parametrize("name", WRITERS)
def test_no_format_fails_on_nothing(name: str) -> None:
    text = written(name, replace(run(), findings=(), crashes=()))
    if name in ("json", "gitlab", "statistics-json"):
        assert json.loads(text) == []
    elif name in ("text", "concise", "statistics"):
        assert text == "No problems in 9 files\n"


@pytest.mark.parametrize("name", ["text", "concise", "github", "statistics"])
def test_nothing_that_a_terminal_obeys_is_printed(name: str) -> None:
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f]", written(name, run()))


def test_colours_are_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in written("text", run())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;31m" in written("text", run())


def test_json_has_the_keys_that_tools_read() -> None:
    first, *others = json.loads(written("json", run()))
    keys = "filename cell code name severity message location end_location related fix url"
    assert all(list(entry) == keys.split() for entry in (first, *others))
    assert first["location"] == {"row": 4, "column": 6} and first["end_location"] == {"row": 4, "column": 15}
    assert first["fix"]["edits"][0]["content"] == "reshape"
    assert others[2]["cell"] == 3 and others[2]["filename"] == f"{FOLDER}/look.ipynb"


def test_gitlab_tells_equal_findings_apart() -> None:
    twice = replace(run(), findings=(FINDINGS[0], FINDINGS[0]))
    one, other = json.loads(written("gitlab", twice))
    assert one["fingerprint"] != other["fingerprint"]


def test_sarif_is_sound() -> None:
    """What the schema asks of the parts that we write; it was validated whole when the golden file was
    made.
    """
    log: dict[str, Any] = json.loads(written("sarif", run()))
    (body,) = log["runs"]
    rules = body["tool"]["driver"]["rules"]
    assert log["version"] == "2.1.0" and len(body["results"]) == len(FINDINGS)
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in body["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note") and result["message"]["text"]
        for location in [*result["locations"], *result.get("relatedLocations", [])]:
            place = location["physicalLocation"]
            assert re.fullmatch(r"(file:///)?[\w./%-]+", place["artifactLocation"]["uri"])
            assert all(number >= 1 for number in place.get("region", {}).values())
