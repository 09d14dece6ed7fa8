"""Fills lines that are half-typed, so that the lines around them are parsed as if they were not there.

A line is filled with zeros, which are as long and mean nothing; the head of a loop, `if` or `with` in front
of a block becomes an `if` of as many characters, so that the block stays one. What is filled is remembered
with what it said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from torchwise.record import record
from torchwise.syntax.tokens import COMMENT, ENDLESS, JOINED_LINE, LONG_STRING, STRING

_HEAD = re.compile(r"(?:async[ \t]+)?(?:if|for|while|with)\b")
_DEFINITION = re.compile(r"(?:async[ \t]+)?(?:def|class)\b")
_CLAUSE = re.compile(r"(?:elif|else|try|except|finally|match|case)\b|@")
_DECORATED = re.compile(r"\s*+(?:\#[^\n]*+\s*+)*+(?:@|def\b|class\b|async\b)")
_LINE = re.compile(r"([ \t\f]*)([^\r\n]*)")
_NEXT = re.compile(r"(?:[ \t\f\r]*(?:#[^\n]*)?\n)*([ \t]*)(?=[^\s#])")
_OPENERS = {")": "(", "]": "[", "}": "{"}
_TOKEN = re.compile(
    rf"""(?: [^"'\#()\[\]{{}}\\\n]++ | {COMMENT} | {LONG_STRING} | {JOINED_LINE} )*+
    (?: (?P<open>[\[({{]) | (?P<close>[\])}}]) | (?P<line>\n)
        | (?P<endless>{ENDLESS}) | (?P<string>{STRING}) | \\ | \Z )""",
    re.S | re.X,
)


@record
class Repaired:
    """`filled` are the lines that were, by where they start in `code`, with what they said."""

    code: str
    filled: Mapping[int, str]


def fill(code: str, positions: Sequence[int]) -> Repaired:
    """Fills the lines that these positions are in. Bodies go with the heads of functions and classes."""
    filled: dict[int, str] = {}
    for position in positions:
        line = _LINE.match(code, code.rfind("\n", 0, position) + 1)
        assert line, "it matches the empty string"
        words = line[2].rstrip()
        if line.start(2) in filled or not words:
            continue
        body = _NEXT.match(code, line.end() + 1)
        deeper = body is not None and len(body[1]) > len(line[1])
        if deeper and _DEFINITION.match(words):
            code = _without_body(code, line.end() + 1, len(line[1]), filled)
            new: str | None = "0" * len(words)
        else:
            new = _filling(words) if deeper else "0" * len(words)
        if new is not None:
            code = code[: line.start(2)] + new + code[line.start(2) + len(words) :]
            filled[line.start(2)] = words
    return Repaired(code, filled)


def _filling(words: str) -> str | None:
    """What stands for a line in front of a block."""
    if _HEAD.match(words) and len(words) > 4:
        return f"if {'_' * (len(words) - 4)}:"
    return None if _CLAUSE.match(words) else "0" * len(words)


def _without_body(code: str, position: int, indent: int, filled: dict[int, str]) -> str:
    """The names that a body binds are its own, so its lines are filled and nothing of them is remembered."""
    while position < len(code) and (line := _LINE.match(code, position)):
        words = line[2].rstrip()
        if words and len(line[1]) <= indent:
            break
        if words:
            code = code[: line.start(2)] + "0" * len(words) + code[line.start(2) + len(words) :]
            filled[line.start(2)] = ""
        position = code.find("\n", line.start(2)) + 1 or len(code)
    return code


def half_typed(code: str) -> tuple[int, ...]:
    """Where brackets and quotes stand that have no other half, and lines that lack their colon or what they
    decorate."""
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
            case "string" if not _ends(token[kind]) or _lacks_a_brace(code, token.start(kind), token[kind]):
                found.append(token.start(kind))
            case "endless":
                found.append(token.start(kind))
            case "line" if not open_at:
                found += _without_rest(code, line, position)
                line = position
    return tuple(sorted({*found, *open_at}))


def start_of_row(code: str, row: int) -> int:
    """Rows count from 1."""
    position = 0
    for _ in range(row - 1):
        position = code.find("\n", position) + 1
    return position


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


def _lacks_a_brace(code: str, start: int, string: str) -> bool:
    """Of a formatted string: `f"{x"`."""
    if code[start - 1 : start].lower() not in ("f", "t") and code[start - 2 : start - 1].lower() != "f":
        return False
    inner = string.replace("{{", "").replace("}}", "")
    return inner.count("{") != inner.count("}")


def _without_rest(code: str, start: int, end: int) -> Iterator[int]:
    words = code[start:end].strip()
    lacks_colon = _HEAD.match(words) and ":" not in words
    lacks_definition = words.startswith("@") and not _DECORATED.match(code, end)
    if lacks_colon or lacks_definition:
        yield start + len(code[start:end]) - len(code[start:end].lstrip())
