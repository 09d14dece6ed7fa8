"""Programs: examples of the rules, cut up and sewn together again, with all that an editor may hold."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent, indent

from fuzz.choices import Choices, often, one_of, shuffled
from torchwise.rules import all_rules
from torchwise.syntax.notebook import Cell

_CARETS = re.compile(r"^ *\^+.*\n?", re.M)
_NAME = re.compile(r"\b[a-zA-Z_]\w*\b")
_NUMBER = re.compile(r"\b\d+\b")
MOST_LINES = 150

# One fragment a line, so that one with spaces needs no quotes; what no line can hold follows.
ODD = tuple(Path(__file__).with_name("fragments.txt").read_text(encoding="utf-8").splitlines())
ODD += ("\0", "\x0c", "\ufeff", "\r", "\r\n", "\t", "\x1a", "\u2028", "\x85", "\ud800", "\U0001f34e")
HEADS = """
if x:
for i in range(3):
while x:
def f(x, y=None, *a, **k):
async def f(x):
class Net(nn.Module):
try:
else:
with torch.no_grad():
with torch.autocast('cuda'), x as y:
match x:
case {**rest}:
""".strip().split("\n")
MAGICS = ("", "", "", "%%time\n", "%%bash\n", "%matplotlib inline\n", "!pip list\n", "?x\n", "%%\n")
NUMBERS = ("0", "1", "-1", "2", "3", "7", "64", "None", "n", "2**40", "0.5", "x.shape[0]", "len(x)", "True")


@functools.cache
def seeds() -> tuple[str, ...]:
    found = []
    for rule in all_rules():
        for example in rule.examples:
            head = dedent(example.setup).strip("\n")
            bad = _CARETS.sub("", dedent(example.bad).strip("\n") + "\n")
            found += [f"{head}\n{code}" for code in (bad, dedent(example.good).strip("\n"))]
        found += [dedent(text).strip("\n") for text in rule.silent]
    return tuple(found)


def program(choices: Choices) -> str:
    match choices.number(0, 7):
        case 0:
            return "".join(choices.text() for _ in range(choices.number(0, 8)))
        case 1:
            return _deep(choices)
        case 2:
            first, second = one_of(choices, seeds()), one_of(choices, seeds())
            lines = f"{first}\n{second}".split("\n")
        case _:
            lines = one_of(choices, seeds()).split("\n")
    for _ in range(choices.number(0, 10)):
        lines = one_of(choices, CHANGES)(choices, lines)[:MOST_LINES] or [""]
    return _dressed(choices, "\n".join(lines))


def edited(choices: Choices, text: str) -> str:
    """As after a keystroke or two, or after something was pasted."""
    lines = text.split("\n")
    for _ in range(choices.number(1, 3)):
        lines = one_of(choices, CHANGES)(choices, lines)[:MOST_LINES] or [""]
    return "\n".join(lines)


def cells(choices: Choices) -> list[Cell]:
    lines = program(choices).split("\n")
    found: list[Cell] = []
    while lines and len(found) < 8:
        size = choices.number(1, 12)
        head = one_of(choices, MAGICS)
        kind = "code" if not often(choices, 6) else "markdown"
        found.append(Cell(kind, head + "\n".join(lines[:size])))
        lines = lines[size:]
    return found


# -- changes of lines ----------------------------------------------------------------------------------------


def _at(choices: Choices, lines: list[str]) -> int:
    return choices.number(0, len(lines) - 1)


def _drop(choices: Choices, lines: list[str]) -> list[str]:
    at = _at(choices, lines)
    return lines[:at] + lines[at + choices.number(1, 3) :]


def _double(choices: Choices, lines: list[str]) -> list[str]:
    at = _at(choices, lines)
    return lines[: at + 1] + lines[at : at + choices.number(1, 4)] + lines[at + 1 :]


def _swap(choices: Choices, lines: list[str]) -> list[str]:
    at, size = _at(choices, lines), choices.number(2, 4)
    return lines[:at] + shuffled(choices, lines[at : at + size]) + lines[at + size :]


def _rename(choices: Choices, lines: list[str]) -> list[str]:
    """A name stands where another one of the program stood."""
    text = "\n".join(lines)
    names = sorted(set(_NAME.findall(text))) or ["x"]
    old, new = one_of(choices, names), one_of(choices, names)
    return re.sub(rf"\b{old}\b", new, text, count=choices.number(0, 3)).split("\n")


def _number(choices: Choices, lines: list[str]) -> list[str]:
    at = _at(choices, lines)
    new = one_of(choices, NUMBERS)
    return [*lines[:at], _NUMBER.sub(new, lines[at], count=choices.number(0, 2)), *lines[at + 1 :]]


def _odd(choices: Choices, lines: list[str]) -> list[str]:
    at = _at(choices, lines)
    new = one_of(choices, ODD) if not often(choices, 6) else choices.text()
    column = choices.number(0, len(lines[at]))
    return [*lines[:at], lines[at][:column] + new + lines[at][column:], *lines[at + 1 :]]


def _cut(choices: Choices, lines: list[str]) -> list[str]:
    """As if someone were typing the line."""
    at = _at(choices, lines)
    return [*lines[:at], lines[at][: choices.number(0, len(lines[at]))], *lines[at + 1 :]]


def _shift(choices: Choices, lines: list[str]) -> list[str]:
    at, size, by = _at(choices, lines), choices.number(1, 8), one_of(choices, ("    ", " ", "\t", ""))
    moved = [by + line if by else line[4:] for line in lines[at : at + size]]
    return [*lines[:at], *moved, *lines[at + size :]]


def _wrap(choices: Choices, lines: list[str]) -> list[str]:
    at, size = _at(choices, lines), choices.number(1, 20)
    inside = lines[at : at + size]
    margin = re.match(r"\s*", inside[0])[0]  # type: ignore[index]
    head = indent(one_of(choices, HEADS), margin).split("\n")
    return [*lines[:at], *head, *[f"    {line}" for line in inside], *lines[at + size :]]


def _other(choices: Choices, lines: list[str]) -> list[str]:
    """Some lines of another example stand in between."""
    at, other = _at(choices, lines), one_of(choices, seeds()).split("\n")
    start = _at(choices, other)
    margin = re.match(r"\s*", lines[at])[0]  # type: ignore[index]
    inside = dedent("\n".join(other[start : start + choices.number(1, 6)])).split("\n")
    return [*lines[:at], *[margin + line for line in inside], *lines[at:]]


CHANGES: tuple[Callable[[Choices, list[str]], list[str]], ...]
CHANGES = (_other, _rename, _number, _double, _swap, _wrap, _drop, _cut, _odd, _shift)


def _deep(choices: Choices) -> str:
    """Nested as deep as nobody nests."""
    depth = one_of(choices, (3, 20, 99, 120, 300, 1200))
    match choices.number(0, 6):
        case 0:
            return "x = " + "(" * depth + "1" + ")" * choices.number(0, depth)
        case 1:
            return "\n".join(
                " " * n + one_of(choices, ("if x:", "for x in y:", "def f(x):", "with x:", "class A:"))
                for n in range(depth)
            )
        case 2:
            return "x = torch.ones(2, 3)\nx = x" + ".t()" * depth
        case 3:
            return "x = " + " + ".join(["x"] * depth)
        case 4:
            return "x = " + "f(" * depth + "x" + ")" * depth
        case 5:
            return "x = " + "-" * depth + "1\ny = " + "not " * depth + "x\nz = x" + "[0]" * depth
        case _:
            return "x = " + "lambda: " * depth + "x\n" + "if x:\n pass\n" + "elif x:\n pass\n" * depth


def _dressed(choices: Choices, text: str) -> str:
    match choices.number(0, 11):
        case 7:
            return text.replace("\n", "\r\n")
        case 8:
            return text.replace("\n", "\r")
        case 9:
            return text.replace("    ", "\t")
        case 10:
            return "\ufeff" + text
        case 11:
            return text.replace("\n", "\x0c\n\0") + "\0"
        case _:
            return text
