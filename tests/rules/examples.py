"""Reads the examples of rule files: code with caret lines, and what they point at."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import dedent

from torchwise.engine import Engine
from torchwise.findings import Finding
from torchwise.rules.rule import Example

CARETS = re.compile(r"^( *)(\^+) ?(.*)$")
PATH = "/project/example.py"


@dataclass(frozen=True)
class Mark:
    row: int
    col: int
    end_col: int
    words: str


def clean(text: str) -> str:
    return dedent(text).strip("\n") + "\n" if text.strip() else ""


def program(example: Example, code: str) -> str:
    return clean(example.setup) + clean(code)


def marked(text: str) -> tuple[str, list[Mark]]:
    """The text without its caret lines, and what they mark: always the line above."""
    kept: list[str] = []
    marks = []
    for line in text.splitlines():
        if found := CARETS.match(line):
            marks.append(Mark(len(kept), found.start(2), found.end(2), found.group(3).strip()))
        else:
            kept.append(line)
    return "\n".join(kept) + "\n", marks


def findings(text: str, files: dict[str, str] | None = None) -> list[Finding]:
    engine = Engine()
    for name, other in (files or {}).items():
        engine.set_text(f"/project/{name}", clean(other))
    engine.set_text(PATH, text)
    found = engine.findings(PATH)
    assert engine.crashes == []
    return found
