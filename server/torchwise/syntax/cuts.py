"""Cuts text into its top-level statements, and class bodies into theirs, by looking at brackets and quotes
alone.

Each piece is parsed on its own, so a piece that is half-typed cannot swallow its neighbours: where a line
that can only start a new definition stands inside an open bracket, the bracket is taken to be forgotten. The
same is done for a string in three quotes, but only if some string of the text never ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from torchwise.record import record
from torchwise.syntax.tokens import (
    COMMENT,
    ENDLESS,
    JOINED_LINE,
    LONG_STRING,
    OPERATORS,
    PLAIN_BRACKETS,
    STRING,
    WORDS,
    is_unfinished,
)

_TRIVIA = re.compile(r"(?:[ \t\f\r\ufeff]*(?:#[^\n]*)?\n)*")
_DEFINITION = re.compile(r"def\b|class\b|async\b|@")
_CERTAIN = (
    r"(?:(?:async[ ]+)?def[ ]+\w+|class[ ]+\w+[ ]*[:(\[]|@[A-Za-z_]"
    r"|import[ ]+\w|from[ ]+[\w.]+[ ]+import\b|if[ ]+__name__\b)"
)
_CLASS_HEAD = re.compile(
    rf"""(?: [^"'\#()\[\]{{}}\\:]++ | {COMMENT} | {LONG_STRING} | {STRING}
        | {JOINED_LINE} | {PLAIN_BRACKETS} )*+
    (?: (?P<open>[\[({{]) | (?P<close>[\])}}]) | (?P<colon>:) | \\ )""",
    re.S | re.X,
)
_BODY = re.compile(r"[ \t\f\r]*(?:#[^\n]*)?\n(?:[ \t\f\r]*(?:#[^\n]*)?\n)*([ \t]+)(?=\S)")

Matching = Callable[[str, int], re.Match[str] | None]


@record
class Margin:
    """What the lines that start a statement look like, for one indentation."""

    indent: str
    token: Matching  # up to what moves the state of the cutter next
    wary: Matching  # the same, which stops at all strings in three quotes
    certain: re.Pattern[str]  # a line that starts a definition wherever it stands
    forgotten: re.Pattern[str]  # such a line inside a string


@lru_cache(64)
def margin(indent: str) -> Margin:
    start = re.escape(indent)
    line = rf"\n(?={start}(?![\s\#)\]}}]|(?:else|elif|except|finally)\b))"
    return Margin(
        indent,
        _token(line, f"{LONG_STRING} | "),
        _token(line, ""),
        re.compile(start + _CERTAIN),
        re.compile(rf"\n{start}(?:(?:async[ ]+)?def[ ]+\w+[ ]*\(|class[ ]+\w+[ ]*[:(])"),
    )


def _token(line: str, strings: str) -> Matching:
    ends = "".join({word[-1] for word in WORDS})
    words = "".join(rf"(?<!\b{word}{space})" for word in WORDS for space in ("", "[ ]"))
    return re.compile(
        rf"""
        (?: [^"'\#()\[\]{{}}\\\n{OPERATORS}]++
          | [{OPERATORS}](?![ \t]*(?:{COMMENT})?[\r\n])
          | (?: (?<![{ends} ]) | {words} ) (?!{line})\n
          | {strings} {STRING} | {COMMENT} | {PLAIN_BRACKETS} | {JOINED_LINE}
        )*+
        (?: (?P<open>[\[({{]) | (?P<close>[\])}}]) | (?P<line>{line}) | (?P<unfinished>[{OPERATORS}]|\n)
          | (?P<string>{LONG_STRING}) | (?P<endless>{ENDLESS}) | \\ )
        """,
        re.S | re.X,
    ).match


@record
class Cut:
    """Where the statements of a text start. `unfinished` are operators at the end of a line that nothing
    follows."""

    starts: tuple[int, ...]
    unfinished: tuple[int, ...]
    endless: bool  # some string in three quotes never ends


class Cutter:
    """Walks over a text and stops where a statement starts. Stateful: it can be stopped, and tells what it
    saw."""

    def __init__(self, text: str, indent: str = "", distrust: bool = False) -> None:
        self.text = text
        self.margin = margin(indent)
        self.distrust = distrust
        self.endless = False
        self.unfinished: list[int] = []

    def starts(self, position: int) -> Iterator[int]:
        """The starts of all statements behind the one at `position`."""
        text, size, depth, decorated = self.text, len(self.text), 0, self._decorator(position)
        next_token = self.margin.wary if self.distrust else self.margin.token
        while token := next_token(text, position):
            position = token.end()
            match token.lastgroup:
                case "open":
                    depth += 1
                case "close":
                    depth = depth - 1 if depth else 0
                case "line":
                    if position == size or (depth and not self.margin.certain.match(text, position)):
                        continue
                    depth = 0
                    glued = decorated and _DEFINITION.match(text, position + len(self.margin.indent))
                    decorated = self._decorator(position)
                    if not glued:
                        yield position
                case "unfinished" if not depth:
                    self._line_end(position - 1)
                case "string" | "endless" as kind:
                    depth, position = self._string(token.start(kind), position, kind == "endless", depth)

    def _line_end(self, position: int) -> None:
        """A line ends in an operator, which stands here, or in a word right before here."""
        end = position - 1 if self.text[position] == "\n" else position
        if is_unfinished(self.text, end):
            self.unfinished.append(end)

    def _decorator(self, position: int) -> bool:
        return self.text.startswith("@", position + len(self.margin.indent))

    def _string(self, start: int, end: int, endless: bool, depth: int) -> tuple[int, int]:
        """The depth and the position to go on from behind a string in three quotes."""
        self.endless |= endless
        end = len(self.text) if endless else end
        forgotten = self._forgotten(start, end) if self.distrust else None
        return (depth, end) if forgotten is None else (0, forgotten)

    def _forgotten(self, start: int, end: int) -> int | None:
        """Where a string that starts in an indented line goes over a definition: right before it."""
        line = self.text.rfind("\n", 0, start) + 1
        if not self.text.startswith((" ", "\t"), line):
            return None
        found = self.margin.forgotten.search(self.text, start, end)
        return found.start() if found else None


def leading_trivia(text: str) -> int:
    """Where the first statement of a text starts."""
    found = _TRIVIA.match(text)
    return found.end() if found else 0


def cut(text: str, indent: str = "") -> Cut:
    """Cuts a text with plain newlines."""
    first = leading_trivia(text)
    cutter = Cutter(text, indent)
    starts = list(cutter.starts(first))
    endless = cutter.endless
    if endless:
        cutter = Cutter(text, indent, distrust=True)
        starts = list(cutter.starts(first))
    return Cut(tuple([0, first, *starts] if first else [0, *starts]), tuple(cutter.unfinished), endless)


@record
class ClassCut:
    """A class statement: `colon` is where its head ends; its members stand behind `body`, each after
    `indent`."""

    colon: int
    body: int
    indent: str


def class_body(code: str, indent: str) -> ClassCut | None:
    """How a class statement is to be cut; None where its body stands in the line of its head, or is
    missing."""
    start = code.find("class") if code.startswith(("class ", "class\t"), len(indent)) else -1
    if start < 0 and code.startswith("@", len(indent)):
        found = re.compile(rf"^{re.escape(indent)}class\s", re.M).search(code)
        start = found.start() if found else -1
    colon = _colon(code, start) if start >= 0 else None
    if colon is None or not (body := _BODY.match(code, colon)):
        return None
    inner = body.group(1)
    if not inner.startswith(indent) or len(inner) <= len(indent):
        return None
    return ClassCut(colon, body.start(1), inner)


def _colon(code: str, position: int) -> int | None:
    """Where the first colon outside of brackets ends."""
    depth = 0
    while token := _CLASS_HEAD.match(code, position):
        position = token.end()
        match token.lastgroup:
            case "open":
                depth += 1
            case "close":
                depth -= 1
            case "colon" if depth == 0:
                return position
    return None
