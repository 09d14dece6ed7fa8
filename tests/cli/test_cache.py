"""Remembered results: never stale, never in the way."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Torchwise
from tests.cli.fake_engine import Engine
from torchwise.cli import cache

Write = Callable[..., Path]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that an engine was asked about."""
    seen: list[str] = []
    real = Engine.survey

    def survey(self: Engine, path: str) -> list[object]:
        seen.append(Path(path).name)
        return list(real(self, path))

    monkeypatch.setattr(Engine, "survey", survey)
    return seen


def test_a_second_run_asks_no_engine(torchwise: Torchwise, write: Write, asked: list[str]) -> None:
    write("a.py", "import torch\nold(risky(slow(1)))\n")
    write("b.ipynb", json.dumps({"cells": [{"cell_type": "code", "source": "old(1)"}]}))
    first = torchwise("check", "--output-format", "json")
    assert asked == ["a.py", "b.ipynb"]
    again = torchwise("check", "--output-format", "json")
    assert asked == ["a.py", "b.ipynb"]
    assert (again.stdout, again.exit_code) == (first.stdout, first.exit_code)


@pytest.mark.parametrize(
    "change",
    [
        lambda write: write("b.py", "shared = bad\n"),
        lambda write: write("later.py", ""),
        lambda write: os.unlink("b.py"),
        lambda write: write("torchwise.toml", 'ignore = ["TW902"]\n'),
    ],
    ids=["edited", "added", "removed", "configured"],
)
def test_whatever_changes_is_checked_anew(
    torchwise: Torchwise, write: Write, asked: list[str], change: Callable[[Write], object]
) -> None:
    write("a.py", "from b import shared\nimport later\n")
    write("b.py", "shared = good\n")
    torchwise("check")
    asked.clear()
    change(write)
    torchwise("check")
    assert "a.py" in asked


def test_what_no_import_leads_to_is_not_checked_anew(
    torchwise: Torchwise, write: Write, asked: list[str]
) -> None:
    write("a.py", "import b\n")
    write("b.py", "old(1)\n")
    write("other.py", "old(1)\n")
    first = torchwise("check", "--output-format", "json").stdout
    asked.clear()
    write("other.py", "old(1)\n\n")
    assert torchwise("check", "--output-format", "json").stdout == first
    assert asked == ["other.py"]


@pytest.mark.parametrize("option", ["--no-cache", "--isolated"])
def test_it_can_be_left_out(torchwise: Torchwise, write: Write, option: str) -> None:
    write("a.py", "old(1)\n")
    torchwise("check", option)
    assert os.listdir() == ["a.py"]


def test_a_crash_is_not_remembered(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "CRASH\n")
    assert torchwise("check").exit_code == torchwise("check").exit_code == 2


def test_it_says_what_it_is_and_keeps_out_of_git(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "old(1)\n")
    torchwise("check")
    folder = Path(".torchwise_cache")
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")
    assert (folder / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("damage", [b"", b"{", b"[[1]]", b'{"x": [[1]]}', b"\xff", b"null"])
def test_a_damaged_entry_is_made_anew(torchwise: Torchwise, write: Write, damage: bytes) -> None:
    write("a.py", "old(1)\n")
    before = torchwise("check").stdout
    (entry,) = Path(".torchwise_cache").glob("*.json")
    entry.write_bytes(damage)
    assert torchwise("check").stdout == before
    assert json.loads(entry.read_bytes())


def test_where_nothing_can_be_written_nothing_is_remembered(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "old(1)\n")
    write(".torchwise_cache", "a file is in the way")
    assert torchwise("check").exit_code == 1
    os.unlink(".torchwise_cache")
    (Path.cwd() / "elsewhere").mkdir()
    os.symlink("elsewhere", ".torchwise_cache")
    result = torchwise("check")
    assert result.exit_code == 1 and not result.stderr
    assert os.listdir("elsewhere") == []


def test_it_does_not_grow_for_ever(
    torchwise: Torchwise, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MOST_ENTRIES", 3)
    for number in range(6):
        write(f"a{number}.py", "old(1)\n")
        torchwise("check", f"a{number}.py")
    assert len(list(Path(".torchwise_cache").glob("*.json"))) == 3


def test_its_place_can_be_chosen(torchwise: Torchwise, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py", "old(1)\n")
    write("torchwise.toml", 'cache-dir = "made/here"\n')
    torchwise("check")
    assert list(Path("made/here").glob("*.json"))
    monkeypatch.setenv("TORCHWISE_CACHE_DIR", str(Path.cwd() / "there"))
    torchwise("check")
    assert list(Path("there").glob("*.json"))
