"""What a hover says of an API: its signature, the values of this call, the note, pitfalls and the lesson."""

from __future__ import annotations

import re
from pathlib import Path

from torchwise.findings import Called
from torchwise.lessons import signatures
from torchwise.lessons.course import NoCourse
from torchwise.lessons.notes import Note, markdown, note_of
from torchwise.lessons.pitfalls import rules_about
from torchwise.rules import DOCS, all_rules
from torchwise.rules.rule import Rule

SITE = DOCS.removesuffix("rules/")
MOST_RULES = 4
_OURS = re.compile(r"\[([^\[\]]+)\]\((rule|note|lesson):([^()\[\]\s]+)\)")


def api_hover(found: Called, packages: Path | None) -> str | None:
    """In markdown; None where nothing is known of what is called. `packages`: where the user's torch is."""
    symbol = found.names[0]
    note = _note(symbol)
    written = signatures.signatures(packages, symbol) if packages else ()
    if note is None and not written:
        return None
    parts = [f"```python\n{signatures.shown(symbol, written)}\n```" if written else f"`{symbol}`"]
    parts += [text for text in (_here(found), markdown(note) if note else "") if text]
    parts += [text for text in (_pitfalls(symbol, note), _lesson(note)) if text]
    return linked("\n\n".join(parts))


def _note(symbol: str) -> Note | None:
    """Without the extra that reads notes, there are none."""
    try:
        return note_of(symbol)
    except NoCourse:
        return None


def _here(found: Called) -> str:
    given = ", ".join(f"{name} `{text}`" for name, text in found.arguments)
    result = f"→ `{found.result}`" if found.result else ""
    return f"Here: {' '.join(part for part in (given, result) if part)}" if given or result else ""


def _pitfalls(symbol: str, note: Note | None) -> str:
    """The rules that the note does not name anyway."""
    told = " ".join(note.wrong) if note else ""
    rules = [rule for rule in rules_about(symbol) if f"rule:{rule.name})" not in told]
    return "\n".join(f"- {_link(rule)}: {rule.summary}" for rule in rules[:MOST_RULES])


def _link(rule: Rule) -> str:
    return f"[{rule.name}]({rule.url})"


def _lesson(note: Note | None) -> str:
    return f"Lesson: [{note.lesson}](lesson:{note.lesson})" if note and note.lesson else ""


def linked(text: str) -> str:
    """With links of ours made into addresses of the site."""
    return _OURS.sub(lambda match: _address(match[1], match[2], match[3]), text)


def _address(text: str, kind: str, target: str) -> str:
    if kind == "note":
        return text
    if kind == "rule":
        url = next((rule.url for rule in all_rules() if target in (rule.name, rule.code)), "")
        return f"[{text}]({url})" if url else text
    lesson, hash_, anchor = target.partition("#")
    return f"[{text}]({SITE}lessons/{lesson}{hash_}{anchor})"
