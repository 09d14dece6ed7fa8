"""What is typed in one line hides no other: not in its function, and not elsewhere."""

from __future__ import annotations

import ast

import pytest

from torchwise.ir.lower import lower
from torchwise.ir.printer import print_scope
from torchwise.syntax.source import Source

BEFORE = """\
class Net(nn.Module):
    def forward(self, x):
        first(x)
        if x is not None:
            second(x)
"""
AFTER = """\
        third(x)
        return x

    def other(self):
        fourth()

def last():
    fifth()
"""
LINES = [
    'loss = criterion(output, target["a"])',
    "if x.shape[0] > 3 and not self.training:",
    "for i, (a, b) in enumerate(zip(q, w)):",
    "while True:",
    "with torch.no_grad(), open(f) as g:",
    "y = [a for a in b if a]",
    "return F.relu(x, dim=-1)",
    "print(f\"loss {loss:.3f} {d['k']}\")",
    'x = {"a": 1, "b": (2, 3)}',
    "self.weight[:, 0] += 3 * x.T @ y",
    "assert x.dim() == 2",
    "def g(a, b=1, *, c: int = 3) -> int:",
    "class A(B, metaclass=C):",
    "try:",
    "else:",
    "elif a == b:",
    "except ValueError as e:",
    "@torch.no_grad()",
    "from a.b import (c, d as e)",
    '"""doc string"""',
    'raise ValueError("x") from e',
    "lambda x: x if x else -x",
    "match x:",
    "x = \"abc\" + 'd'",
    "del x, y[0], # (",
]
CLOSERS = {"(": ")", "[": "]", "{": "}"}


def closed(typed: str) -> str:
    """As editors do it: what was opened is closed at once."""
    waiting: list[str] = []
    for character in typed:
        if waiting and character == waiting[-1]:
            waiting.pop()
        elif character in "\"'" and not (waiting and waiting[-1] in "\"'"):
            waiting.append(character)
        elif character in CLOSERS and not (waiting and waiting[-1] in "\"'"):
            waiting.append(CLOSERS[character])
    return typed + "".join(reversed(waiting))


def check(line: str) -> None:
    text = f"{BEFORE}        {line}\n{AFTER}"
    module = lower(Source.of(text))
    assert {"Net", "Net.forward", "Net.other", "last"} <= set(module.scopes)
    printed = print_scope(module.scopes["Net.forward"])
    try:
        ast.parse(text)
    except SyntaxError:
        assert module.source.errors
        assert all(f"load {name}" in printed for name in ("first", "second", "third"))


@pytest.mark.parametrize("line", LINES)
def test_typing_a_line_hides_no_other(line: str) -> None:
    for size in range(1, len(line) + 1):
        check(line[:size])


@pytest.mark.parametrize("line", LINES)
def test_typing_a_line_with_closed_brackets_hides_no_other(line: str) -> None:
    for size in range(1, len(line) + 1):
        check(closed(line[:size]))


def test_a_comma_at_the_end_of_an_assertion_takes_in_the_next_line() -> None:
    module = lower(Source.of("def f(x):\n    assert x,\n    g(x)\n"))
    assert module.source.errors == ()  # wrong: a message is missing
