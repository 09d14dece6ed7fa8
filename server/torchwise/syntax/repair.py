"""Fills lines that are half-typed, so that the lines around them are parsed as if they were not there.

A line is filled with zeros, which are as long and mean nothing; the head of a loop, `if` or `with` becomes an `if` of
as many characters, so that its block stays a block. What is filled is remembered with what it said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from torchwise.syntax.tokens import COMMENT, ENDLESS, JOINED_LINE, LONG_STRING, STRING

_HEAD = re.compile(r"(?:async[ \t]+)?(?:if|for|while|with)\b")
_KEPT = re.compile(r"(?:(?:async[ \t]+)?(?:def|class|elif|else|try|except|finally|match|case)\b|@)")
_OPENERS = {")": "(", "]": "[", "}": "{"}
_TOKEN = re.compile(
    rf"""(?: [^"'\#()\[\]{{}}\\\n]++ | {COMMENT} | {LONG_STRING} | {JOINED_LINE} )*+
    (?: (?P<open>[\[({{]) | (?P<close>[\])}}]) | (?P<line>\n) | (?P<endless>{ENDLESS}) | (?P<string>{STRING}) | \\ | \Z )""",
    re.S | re.X,
)


@dataclass(frozen=True, slots=True)
class Repaired:
    """`filled` are the lines that were, by where they start in `code`, with what they said."""

    code: str
    filled: Mapping[int, str]


def fill(code: str, positions: tuple[int, ...]) -> Repaired:
    """Fills the lines that these positions are in."""
    filled: dict[int, str] = {}
    for position in positions:
        line = code.rfind("\n", 0, position) + 1
        end = code.find("\n", position)
        said = code[line : end if end >= 0 else len(code)].rstrip(" \t\r")
        start = line + len(said) - len(said.lstrip(" \t\f"))
        words = said.strip(" \t\f")
        new = _filling(words)
        if start in filled or new is None:
            continue
        code = code[:start] + new + code[start + len(words) :]
        filled[start] = words
    return Repaired(code, filled)


def _filling(words: str) -> str | None:
    if _KEPT.match(words):
        return None
    if _HEAD.match(words):
        return f"if {'_' * (len(words) - 4)}:" if len(words) > 4 else None
    return "0" * len(words)


def half_typed(code: str) -> tuple[int, ...]:
    """Where brackets and quotes stand that have no other half, and where heads of blocks lack their colon."""
    found: list[int] = []
    open_at: list[int] = []
    position, line = 0, 0
    while token := _TOKEN.match(code, position):
        if token.end() == position:
            break
        position, kind = token.end(), token.lastgroup
        match kind:
            case "open":
                open_at.append(position - 1)
            case "close":
                found += _closed(code, open_at, position - 1)
            case "string" if not _ends(token[kind]):
                found.append(token.start(kind))
            case "endless":
                found.append(token.start(kind))
            case "line" if not open_at:
                found += _without_colon(code, line, position)
                line = position
    return tuple(sorted({*found, *open_at}))


def _closed(code: str, open_at: list[int], position: int) -> list[int]:
    """Takes away the bracket that the one at `position` closes; what has no other half is the result."""
    opener = _OPENERS[code[position]]
    for back in range(1, min(len(open_at), 4) + 1):
        if code[open_at[-back]] == opener:
            forgotten = open_at[len(open_at) - back + 1 :]
            del open_at[-back:]
            return forgotten
    return [position]


def _ends(string: str) -> bool:
    return len(string) > 1 and string[-1] == string[0]


def _without_colon(code: str, start: int, end: int) -> Iterator[int]:
    words = code[start:end].strip()
    if _HEAD.match(words) and ":" not in words:
        yield start + len(code[start:end]) - len(code[start:end].lstrip())
