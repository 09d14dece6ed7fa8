"""The API notes as they stand on disk, one file for each chapter of torch's documentation."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

NOTES = Path(__file__).parents[2] / "content" / "notes"


@cache
def notes() -> list[tuple[str, dict[str, Any]]]:
    """Each note with the name of its chapter."""
    return [
        (path.stem, note)
        for path in sorted(NOTES.glob("*.yml"))
        for note in yaml.safe_load(path.read_text(encoding="utf-8"))
    ]


def names(note: dict[str, Any]) -> list[str]:
    return [note["symbol"], *note.get("also", [])]


def prose(note: dict[str, Any]) -> list[str]:
    """What is shown to readers."""
    return [note["does"], *note["wrong"], note.get("shapes", "")]
