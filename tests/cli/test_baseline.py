"""Known findings that a project lives with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Torchwise = Callable[..., Result]
Write = Callable[..., Path]


def test_only_new_findings_are_told(torchwise: Torchwise, write: Write) -> None:
    write("pkg/a.py", "old(1)\n")
    written = torchwise("check", "--write-baseline")
    assert (written.exit_code, written.stderr) == (0, "Wrote 1 finding to torchwise-baseline.json\n")
    write("pkg/a.py", "\n\nx = 1\nold(1)\nold(2)\n")
    again = torchwise("check", "--baseline", "torchwise-baseline.json", "--output-format", "concise")
    assert again.exit_code == 1
    assert [line.split(":")[1] for line in again.stdout.splitlines()[:-1]] == ["5"]


def test_equal_lines_are_counted(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "old(1)\nold(1)\n")
    torchwise("check", "--write-baseline", "--baseline", "known.json")
    assert torchwise("check", "--baseline", "known.json").exit_code == 0
    write("a.py", "old(1)\nold(1)\nold(1)\n")
    assert "Found 1 problem" in torchwise("check", "--baseline", "known.json").stdout


def test_what_is_gone_is_said(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "old(1)\n")
    write("b.py", "old(1)\n")
    torchwise("check", "--write-baseline", "--baseline", "known.json")
    write("a.py", "new(1)\n")
    gone = "1 known finding of known.json gone: --write-baseline takes note\n"
    assert torchwise("check", "--baseline", "known.json").stderr == gone
    assert torchwise("check", "b.py", "--baseline", "known.json").stderr == ""


def test_the_configuration_may_name_it(torchwise: Torchwise, write: Write) -> None:
    write("torchwise.toml", 'baseline = "ci/known.json"\n')
    write("ci/x.txt", "")
    write("a.py", "old(1)\n")
    assert torchwise("check").exit_code == 2  # it is not there yet
    assert "known.json" in torchwise("check", "--write-baseline").stderr
    assert torchwise("check").exit_code == 0


def test_what_is_no_baseline_is_said_and_hides_nothing(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "old(1)\n")
    for text in ("{", "[]", '{"version": 1}', json.dumps({"version": 9, "findings": []})):
        write("known.json", text)
        run = torchwise("check", "--baseline", "known.json")
        assert run.exit_code == 2
        assert "known.json" in run.stderr
        assert "old(1)" in run.stdout
