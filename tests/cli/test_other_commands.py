"""`rules`, `explain` and `shapes`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Torchwise
from torchwise.rules import all_rules

Write = Callable[..., Path]


def test_rules_are_listed(torchwise: Torchwise) -> None:
    assert "TW901  old-call" in torchwise("rules").stdout
    entries = json.loads(torchwise("rules", "--output-format", "json").stdout)
    assert [entry["code"] for entry in entries] == ["TW901", "TW902", "TW903", "TW904", "TW905"]
    assert set(entries[0]) == {"code", "name", "family", "severity", "summary", "lesson", "url"}


def test_a_rule_is_explained_by_code_or_name(torchwise: Torchwise) -> None:
    pages = {torchwise("explain", word).stdout for word in ("TW901", "tw901", "old-call", "old_call")}
    (page,) = pages
    for text in ("old-call (TW901)", "A call of old, which new replaces.", "y = old(x)", "# noqa: TW901"):
        assert text in page


def test_the_nearest_rule_is_suggested(torchwise: Torchwise) -> None:
    result = torchwise("explain", "odl-call")
    assert result.exit_code == 2 and "there is no rule `odl-call`; did you mean `old-call`?" in result.stderr
    assert "`torchwise rules` lists all" in torchwise("explain", "zzz").stderr


def test_every_real_rule_has_a_page(monkeypatch: object) -> None:
    from click.testing import CliRunner

    from torchwise.cli import main

    for rule in all_rules():
        assert CliRunner().invoke(main, ["explain", rule.name]).exit_code == 0, rule.name


def test_shapes_of_a_file(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "import torch\nx = 1\n")
    assert torchwise("shapes", "a.py").stdout.splitlines()[1].split() == [
        "2",
        "x",
        "[2,",
        "B,",
        "?]",
        "float32",
        "cpu",
        "no",
    ]
    (row,) = json.loads(torchwise("shapes", "--output-format", "json", "a.py").stdout)
    assert row == {
        "row": 2,
        "name": "x",
        "shape": [2, "B", None],
        "dtype": "float32",
        "device": "cpu",
        "requires_grad": False,
    }


def test_shapes_of_a_notebook_name_the_cell(torchwise: Torchwise, write: Write) -> None:
    cells = [{"cell_type": "markdown", "source": "x"}, {"cell_type": "code", "source": "x = 1"}]
    write("a.ipynb", json.dumps({"cells": cells}))
    (row,) = json.loads(torchwise("shapes", "--output-format", "json", "a.ipynb").stdout)
    assert (row["cell"], row["row"]) == (2, 1)


def test_a_file_without_tensors_says_so(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "")
    result = torchwise("shapes", "a.py")
    assert (result.stdout, result.stderr) == ("No tensors are known in a.py\n", "")
    assert torchwise("shapes", "missing.py").exit_code == 2
