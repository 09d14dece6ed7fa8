"""Fixes on disk: what changes, and above all what does not."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Torchwise

Write = Callable[..., Path]


def notebook(*sources: Any) -> dict[str, Any]:
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in sources]
    return {"cells": cells, "metadata": {"name": "é"}, "nbformat": 4, "nbformat_minor": 5}


@pytest.mark.parametrize("command", [["fix"], ["check", "--fix"]])
def test_safe_fixes_are_applied(torchwise: Torchwise, write: Write, command: list[str]) -> None:
    path = write("a.py", "old(old(1))\nrisky(2)\n")
    result = torchwise(*command)
    assert path.read_text() == "new(new(1))\nrisky(2)\n"
    assert "Fixed 2 problems in 1 file" in result.stderr


def test_unsafe_ones_on_request(torchwise: Torchwise, write: Write) -> None:
    path = write("a.py", "old(risky(2))\n")
    assert torchwise("fix", "--unsafe-fixes").exit_code == 0
    assert path.read_text() == "new(calm(2))\n"


def test_check_reports_what_is_left(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "old(1)\nrisky(2)\n")
    result = torchwise("check", "--fix", "--output-format", "concise")
    assert "TW901" not in result.stdout and "a.py:2:1: error TW902" in result.stdout
    assert result.exit_code == 1
    assert torchwise("fix").exit_code == 0  # what it cannot do is no failure of its own


@pytest.mark.parametrize("command", [["fix", "--diff"], ["check", "--diff"]])
def test_a_diff_changes_nothing(torchwise: Torchwise, write: Write, command: list[str]) -> None:
    path = write("sub/a.py", "old(1)")
    result = torchwise(*command)
    expected = "--- sub/a.py\n+++ sub/a.py\n@@ -1 +1 @@\n-old(1)\n\\ No newline at end of file\n+new(1)\n"
    assert result.stdout == f"{expected}\\ No newline at end of file\n"
    assert result.exit_code == 1 and path.read_text() == "old(1)"
    path.write_text("new(1)\n")
    assert torchwise(*command).exit_code == 0


def test_a_fix_that_ruins_a_file_is_taken_back(torchwise: Torchwise, write: Write) -> None:
    path = write("a.py", "ruin(1)\nold(2)\nruin(3)\n")
    torchwise("fix")
    assert path.read_text() == "ruin(1)\nnew(2)\nruin(3)\n"


@pytest.mark.parametrize(
    "raw",
    [
        b"\xef\xbb\xbfold(1)\r\nx = 2\r\n",
        b"# coding: latin-1\nold('\xe9')\n",
        b"old(1)\rx = '\x0c'\r",
        "old('é')\n".encode("utf-16"),
        b"old('\xff\xfe')",
    ],
)
def test_encoding_and_line_ends_stay(torchwise: Torchwise, write: Write, raw: bytes) -> None:
    path = write("a.py", raw)
    torchwise("fix")
    if raw.startswith(b"\xff\xfe"):
        assert path.read_bytes().decode("utf-16") == "new('é')\n"
    else:
        assert path.read_bytes() == raw.replace(b"old", b"new")


@pytest.mark.parametrize(
    "written", [{"indent": 1}, {"indent": 1, "ensure_ascii": False}, {}, {"separators": (",", ":")}]
)
def test_nothing_else_changes_in_a_notebook(
    torchwise: Torchwise, write: Write, written: dict[str, Any]
) -> None:
    before = notebook(["%magic é\n", "old(1)\n", "x = 'é'"], "old(2)\n", [], ["risky(3)"])
    after = notebook(["%magic é\n", "new(1)\n", "x = 'é'"], "new(2)\n", [], ["risky(3)"])
    path = write("a.ipynb", json.dumps(before, **written) + "\n\n")
    torchwise("fix")
    assert path.read_text() == json.dumps(after, **written) + "\n\n"


def test_a_diff_of_a_notebook_is_one_of_its_cells(torchwise: Torchwise, write: Write) -> None:
    write("a.ipynb", json.dumps(notebook("x = 1", "old(2)\n")))
    assert torchwise("fix", "--diff").stdout.startswith(
        "--- a.ipynb:cell 2\n+++ a.ipynb:cell 2\n@@ -1 +1 @@\n-old(2)\n"
    )


def test_permissions_and_links_stay(torchwise: Torchwise, write: Write) -> None:
    real = write("real.py", "old(1)\n")
    real.chmod(0o750)
    os.symlink("real.py", "link.py")
    torchwise("fix", "link.py")
    assert real.read_text() == "new(1)\n" and os.path.islink("link.py")
    assert stat.S_IMODE(real.stat().st_mode) == 0o750


def test_a_file_that_changed_meanwhile_is_left_alone(
    torchwise: Torchwise, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("a.py", "old(1)\n")
    from torchwise.cli import mending

    def meddle(document: Any, raw: bytes) -> None:
        path.write_text("typed meanwhile\n")
        real(document, raw)

    real = mending.write_document
    monkeypatch.setattr(mending, "write_document", meddle)
    result = torchwise("fix")
    assert result.exit_code == 2 and "changed while it was being checked" in result.stderr
    assert path.read_text() == "typed meanwhile\n"
    assert os.listdir() == ["a.py", ".torchwise_cache"] or sorted(os.listdir()) == [
        ".torchwise_cache",
        "a.py",
    ]


def test_no_disk_no_harm(torchwise: Torchwise, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a.py", "old(1)\n")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    result = torchwise("fix", "--no-cache")
    assert result.exit_code == 2 and "a.py: No space left on device" in result.stderr
    assert path.read_text() == "old(1)\n" and os.listdir() == ["a.py"]
