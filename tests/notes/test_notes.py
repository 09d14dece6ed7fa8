"""Notes are complete, name what exists, and read as prose."""

from __future__ import annotations

import pkgutil
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

from tests.notes.read import names, notes, prose

ROOT = Path(__file__).parents[2]
LESSONS = ROOT / "content" / "lessons"
KEYS = {"symbol", "also", "does", "shapes", "wrong", "claims", "lesson"}

LINK = re.compile(r"\[([^\]]+)\]\(rule:([^)]+)\)")

EACH = [pytest.param(note, id=note["symbol"]) for _, note in notes()]
each = pytest.mark.parametrize("note", EACH)


@each
def test_a_note_is_complete(note: dict[str, Any]) -> None:
    assert {"symbol", "does", "wrong", "claims"} <= set(note) <= KEYS
    assert len(note["wrong"]) == 2
    assert all(isinstance(text, str) for text in prose(note))
    assert all(len(text.split()) >= 5 for text in [note["does"], *note["wrong"]])


@each
def test_a_note_names_what_torch_has(note: dict[str, Any]) -> None:
    for name in names(note):
        assert name.startswith("torch.")
        pkgutil.resolve_name(name)


@each
def test_a_note_reads_as_prose(note: dict[str, Any]) -> None:
    for text in [note["does"], *note["wrong"]]:
        assert text.endswith((".", ".)")), text
        assert text[0].isupper() or text[0] in "`[", text
    for text in prose(note):
        assert text == " ".join(text.split()), text
        assert text.count("`") % 2 == 0, text
        assert not re.search(r"\b(TODO|FIXME|XXX)\b", text)


def test_rules_that_notes_name_exist() -> None:
    rules = {
        path.stem.replace("_", "-")
        for path in ROOT.glob("server/torchwise/rules/*/*.py")
        if path.parent.name != "vocabulary"
    }
    links = [link for _, note in notes() for text in prose(note) for link in LINK.findall(text)]
    assert {named for _, named in links} <= rules
    assert [link for link in links if link[0] != link[1]] == []


def stem(name: str) -> str:
    """`F.mse_loss` and `nn.MSELoss` are one; so are the kinds for one, two and three axes."""
    last = name.rpartition(".")[2].replace("_", "").lower()
    return re.sub(r"([123]d|withlogits)?(loss)?$", "", last)


def is_spelling_of(name: str, symbol: str) -> bool:
    """By torch's own word, or because it is the same object."""
    last = name.rpartition(".")[2].rstrip("_")
    docs = [
        getattr(pkgutil.resolve_name(name), "__doc__", ""),
        getattr(getattr(torch, last, 0), "__doc__", ""),
    ]
    same = pkgutil.resolve_name(name) is pkgutil.resolve_name(symbol)
    return same or stem(name) == stem(symbol) or any("Alias " in (text or "") for text in docs)


@each
def test_a_note_speaks_of_every_name_that_it_serves(note: dict[str, Any]) -> None:
    said = " ".join(prose(note)).replace("_", "").lower()
    words = {stem(word) for word in re.findall(r"[a-z0-9]+", said)}
    silent = [name for name in names(note) if stem(name) not in words]
    assert [name for name in silent if not is_spelling_of(name, note["symbol"])] == []


def test_no_name_has_two_notes() -> None:
    counted = Counter(name for _, note in notes() for name in names(note))
    assert [name for name, count in counted.items() if count > 1] == []


def lesson_file(lesson: str) -> Path:
    module, name = lesson.split("/")
    (found,) = LESSONS.glob(f"{module}/[0-9][0-9]-{name}.md")
    return found


def anchors(page: Path) -> set[str]:
    text = page.read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    covered = yaml.safe_load(front)["torchwise"].get("covers") or {}
    headings = re.findall(r"^##+ +(.+)$", body, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r"^\(([\w-]+)\)=$", body, re.MULTILINE)) | set(covered.values())


def test_lessons_that_notes_name_exist() -> None:
    named = {note["lesson"] for _, note in notes() if "lesson" in note}
    for lesson, _, anchor in (name.partition("#") for name in sorted(named)):
        assert not anchor or anchor in anchors(lesson_file(lesson)), f"{lesson}#{anchor}"
