"""Strings, comments, brackets and lines of a text, by regular expressions: what one can tell without
parsing."""

from __future__ import annotations

import re
from collections.abc import Iterator

COMMENT = r"\#[^\n]*"
STRING = r"""
    (?!\"\"\"|''') (?: "[^"\\\n]*+(?:\\(?:\r\n|.)[^"\\\n]*+)*+"? | '[^'\\\n]*+(?:\\(?:\r\n|.)[^'\\\n]*+)*+'? )
"""
LONG_STRING = r"""
    (?: \"\"\"[^"\\]*+(?:(?:\\.|"(?!\"\"))[^"\\]*+)*+\"\"\" | '''[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+''' )
"""
JOINED_LINE = r"\\\r?\n"
ENDLESS = r"\"\"\"|'''"
PLAIN_BRACKETS = r"""[\[({][^"'\\\#\n\[({\])}]*+[\])}]"""  # nothing inside of them counts
OPERATORS = (
    r"\-+*/%@&|^~<>=!.:"  # a line that ends in one of these goes on, and one that ends in one of these words
)
WORDS = ("and", "or", "not", "in", "is", "if", "else", "del", "assert", "await", "from", "import", "as")

_LONE_RETURN = re.compile(r"\r(?!\n)")
_FINISHED = re.compile(
    r"(?<![\w.])\d[\d_]*\.$|(?:\.\.\.|\bimport[ \t]*\*)$"
    r"|^[ \t]*(?:async|case|class|def|elif|else|except|finally|for|if|match|try|while|with)\b.*:$"
)
_QUOTED = re.compile(f"{LONG_STRING} | {STRING}", re.S | re.X)
_LINE_END = re.compile(
    rf"""(?: [^"'\#()\[\]{{}}\\\n]++ | {COMMENT} | {LONG_STRING} | {STRING}
        | {JOINED_LINE} | {PLAIN_BRACKETS} )*+
    (?: (?P<open>[\[({{]) | (?P<close>[\])}}]) | (?P<line>\n) | (?P<endless>{ENDLESS}) | \\ )""",
    re.S | re.X,
)
_NEXT_COMMENT = re.compile(
    rf"""(?: [^"'\#\\]++ | {LONG_STRING} | {STRING} | \\(?!["']) | \\["'] )*+ (?P<comment>{COMMENT})""",
    re.S | re.X,
)


def with_plain_newlines(text: str) -> str:
    """The same text with `\\n` for a lone `\\r`: every line ends in `\\n`, and no place moves."""
    return _LONE_RETURN.sub("\n", text) if "\r" in text else text


def is_unfinished(text: str, position: int) -> bool:
    """Whether a line that ends at `position` wants more: not after `1.`, `...`, `import *` and `else:`.

    A line that goes on or ends a bracket of an earlier line does not stand for itself, and is left alone.
    """
    start = text.rfind("\n", 0, position) + 1
    if text[max(start - 3, 0) : start].rstrip("\r\n").endswith("\\"):
        return False
    line = text[start : position + 1]
    if _FINISHED.search(line) or "#" in line:
        return False
    line = _QUOTED.sub("", line)
    return not any(line.count(one) < line.count(other) for one, other in ("()", "[]", "{}"))


def logical_line(text: str, position: int) -> int:
    """Where the logical line ends that starts at `position`: at a newline outside of brackets and strings."""
    depth, size = 0, len(text)
    while token := _LINE_END.match(text, position):
        position = token.end()
        match token.lastgroup:
            case "open":
                depth += 1
            case "close":
                depth = depth - 1 if depth else 0
            case "line" if not depth:
                return position
            case "endless":
                return size
    return size


def comments(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each comment of a text."""
    position = 0
    while found := _NEXT_COMMENT.match(text, position):
        position = found.end()
        yield found.span("comment")
