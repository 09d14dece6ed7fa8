"""Cuts text into its top-level statements, and class bodies into theirs, by looking at brackets and quotes alone.

Each piece is parsed on its own, so a piece that is half-typed cannot swallow its neighbours: where a line that can
only start a new definition stands inside an open bracket, the bracket is taken to be forgotten. The same is done for a
string in three quotes, but only if some string of the text never ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_SKIPPED = r"""
    \#[^\n]*
  | \"\"\"[^"\\]*(?:(?:\\.|"(?!\"\"))[^"\\]*)*\"\"\"
  | '''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''
  | (?P<endless>\"\"\"|''')
  | "[^"\\\n]*(?:\\.[^"\\\n]*)*"?
  | '[^'\\\n]*(?:\\.[^'\\\n]*)*'?
  | \\\r?\n
  | [\[({][^"'\\\#\n\[({\])}]*[\])}]
"""
_TRIVIA = re.compile(r"(?:[ \t\f\r\ufeff]*(?:#[^\n]*)?\n)*")
_CLASS_HEAD = re.compile(_SKIPPED + r"| (?P<open>[\[({]) | (?P<close>[\])}]) | (?P<colon>:)", re.S | re.X)
_LINE_END = re.compile(_SKIPPED + r"| (?P<open>[\[({]) | (?P<close>[\])}]) | (?P<line>\n)", re.S | re.X)
_COMMENT = re.compile(_SKIPPED, re.S | re.X)
_BODY = re.compile(r"[ \t\f\r]*(?:#[^\n]*)?\n(?:[ \t\f\r]*(?:#[^\n]*)?\n)*([ \t]+)(?=\S)")
_LONE_RETURN = re.compile(r"\r(?!\n)")
_DEFINITION = re.compile(r"def\b|class\b|async\b|@")


@dataclass(frozen=True, slots=True)
class Margin:
    """What the lines that start a statement look like, for one indentation."""

    indent: str
    token: re.Pattern[str]  # anything that moves the state of the cutter
    certain: re.Pattern[str]  # a line that starts a definition wherever it stands
    forgotten: re.Pattern[str]  # such a line inside a string


@lru_cache(64)
def margin(indent: str) -> Margin:
    start = re.escape(indent)
    certain = (
        r"(?:(?:async[ ]+)?def[ ]+\w+|class[ ]+\w+[ ]*[:(\[]|@[A-Za-z_]"
        r"|import[ ]+\w|from[ ]+[\w.]+[ ]+import\b|if[ ]+__name__\b)"
    )
    line = rf"\n(?={start}(?![\s\#)\]}}]|(?:else|elif|except|finally)\b))"
    return Margin(
        indent,
        re.compile(_SKIPPED + rf"| (?P<open>[\[({{]) | (?P<close>[\])}}]) | (?P<line>{line})", re.S | re.X),
        re.compile(start + certain),
        re.compile(rf"\n{start}(?:(?:async[ ]+)?def[ ]+\w+[ ]*\(|class[ ]+\w+[ ]*[:(])"),
    )


def with_plain_newlines(text: str) -> str:
    """The same text with `\\n` for a lone `\\r`: every line ends in `\\n`, and no place moves."""
    return _LONE_RETURN.sub("\n", text) if "\r" in text else text


def logical_line(text: str, position: int) -> int:
    """Where the logical line ends that starts at `position`: at a newline outside of brackets and strings."""
    depth, size = 0, len(text)
    while token := _LINE_END.search(text, position):
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
    while token := _COMMENT.search(text, position):
        position = token.end()
        if text[token.start()] == "#":
            yield token.start(), position
        elif token.lastgroup == "endless":
            return


def leading_trivia(text: str) -> int:
    """Where the first statement of a text starts."""
    found = _TRIVIA.match(text)
    return found.end() if found else 0


class Cutter:
    """Walks over a text and stops where a statement starts. Stateful: `open` tells at the end whether a string never
    ended."""

    def __init__(self, text: str, indent: str = "", distrust: bool = False) -> None:
        self.text = text
        self.margin = margin(indent)
        self.distrust = distrust
        self.open = False

    def starts(self, position: int) -> Iterator[int]:
        """The starts of all statements behind the one at `position`."""
        text, search, size = self.text, self.margin.token.search, len(self.text)
        depth, decorated = 0, self._decorator(position)
        while token := search(text, position):
            position = token.end()
            match token.lastgroup:
                case "open":
                    depth += 1
                case "close":
                    depth = depth - 1 if depth else 0
                case "line":
                    if position == size or depth and not self.margin.certain.match(text, position):
                        continue
                    depth = 0
                    glued = decorated and _DEFINITION.match(text, position + len(self.margin.indent))
                    decorated = self._decorator(position)
                    if not glued:
                        yield position
                case None if self.distrust and (start := self._forgotten(token.start(), position)):
                    depth, position = 0, start
                case "endless":
                    self.open = True
                    position = (self.distrust and self._forgotten(token.start(), size)) or size

    def _decorator(self, position: int) -> bool:
        return self.text.startswith("@", position + len(self.margin.indent))

    def _forgotten(self, start: int, end: int) -> int | None:
        """Where a string in three quotes that stands in an indented line goes over a definition: right before it."""
        line = self.text.rfind("\n", 0, start) + 1
        if self.text[start] == "#" or not self.text.startswith((" ", "\t"), line):
            return None
        found = self.margin.forgotten.search(self.text, start, end)
        return found.start() if found else None


def cut(text: str, indent: str = "") -> tuple[list[str], bool]:
    """The statements of a text with plain newlines, and whether some string of it never ends."""
    first = leading_trivia(text)
    cutter = Cutter(text, indent)
    starts = list(cutter.starts(first))
    if cutter.open:
        starts = list(Cutter(text, indent, distrust=True).starts(first))
    bounds = [0, first, *starts, len(text)] if first else [0, *starts, len(text)]
    return [text[a:b] for a, b in zip(bounds, bounds[1:]) if a < b], cutter.open


@dataclass(frozen=True, slots=True)
class ClassCut:
    """A class statement: `colon` is where its head ends; its members stand behind `body`, each after `indent`."""

    colon: int
    body: int
    indent: str


def class_body(code: str, indent: str) -> ClassCut | None:
    """How a class statement is to be cut; None where its body stands in the line of its head, or is missing."""
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


def _colon(code: str, start: int) -> int | None:
    """Where the first colon outside of brackets ends."""
    depth = 0
    for token in _CLASS_HEAD.finditer(code, start):
        match token.lastgroup:
            case "open":
                depth += 1
            case "close":
                depth -= 1
            case "colon" if depth == 0:
                return token.end()
    return None
