"""The list of judged findings, `reviewed.json`: one line for each error or warning that was ever found in a
package."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

REVIEWED = Path(__file__).parent / "reviewed.json"
UNREVIEWED = "unreviewed"
Verdict = Literal["true", "false", "debatable", "unreviewed"]


class Key(NamedTuple):
    """What a finding is recognised by: the text of its line, not its number, and which of equals it is in its
    file."""

    package: str
    file: str
    rule: str
    line: str  # a hash of the line's text
    nth: int  # from 0


@dataclass(frozen=True)
class Review:
    """A verdict and a word why; `message` helps whoever judges, and is no part of the key."""

    verdict: Verdict
    why: str
    message: str


def keyed(package: str, folder: Path, findings: Iterable[dict]) -> dict[Key, dict]:
    """The findings of one package by their keys."""
    found: dict[Key, dict] = {}
    for finding in findings:
        path = Path(finding["filename"])
        path = path if path.is_absolute() else Path.cwd() / path
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        row = finding["location"]["row"]
        text = lines[row - 1].strip() if row <= len(lines) else ""
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        key = Key(package, path.relative_to(folder).as_posix(), finding["name"], digest, 0)
        while key in found:
            key = key._replace(nth=key.nth + 1)
        found[key] = finding
    return found


def load() -> dict[Key, Review]:
    if not REVIEWED.exists():
        return {}
    reviews = {}
    for entry in json.loads(REVIEWED.read_text(encoding="utf-8")):
        judgement = Review(entry.pop("verdict"), entry.pop("why"), entry.pop("message"))
        reviews[Key(**entry)] = judgement
    return reviews


def save(reviews: dict[Key, Review]) -> None:
    """One line for each, sorted, so that a change of a verdict shows as one line."""
    lines = [
        json.dumps({**key._asdict(), **vars(reviews[key])}, ensure_ascii=False) for key in sorted(reviews)
    ]
    REVIEWED.write_text("[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n", encoding="utf-8")
