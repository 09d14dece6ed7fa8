"""What is said of text that is no Python."""

from __future__ import annotations

import pytest

from torchwise.syntax.source import Source


def errors(text: str) -> list[tuple[int, str]]:
    return [(span.row, message) for span, message in Source.of(text).errors]


@pytest.mark.parametrize(
    "text, row, words",
    [
        ("x = f(1\n", 1, "`(` was never closed"),
        ("def f():\n    x = [1\n", 2, "`[` was never closed"),
        ("x = 'a\n", 1, "unterminated string literal"),
        ("x =\ny = 1\n", 1, "invalid syntax"),
        ("y = x.\nz = 1\n", 1, "invalid syntax"),
        ("class A:\n    def f(self):\n        return )\n", 3, "unmatched `)`"),
        ("if x\n    y\n", 1, "expected `:`"),
        ("def f():\nx = 1\n", 1, "expected an indented block after function definition"),
        ("def f():\n    if x:\n    y = 1\n", 3, "expected an indented block after `if` statement"),
        ("x = 1\0\n", 1, "source code string cannot contain null bytes"),
    ],
)
def test_an_error_is_said_in_the_words_of_python(text: str, row: int, words: str) -> None:
    assert errors(text) == [(row, words)]


@pytest.mark.parametrize(
    "text",
    [
        "print('a')\n",
        "async def f():\n    await g()\n",
        "await f()\n",
        "def f[T](x: T) -> T: ...\n",
        "type X = int\n",
        "match x:\n    case [a, *_] if b: pass\n",
        "try: pass\nexcept* E: pass\n",
        "with (a as b, c as d): pass\n",
        "def f(a, /, *, b): pass\n",
        "x[*a]\n",
        "lambda: (yield)\n",
        "f'{x!r:>{w}}'\n",
        "from a import *\n",
        "x = 1.\ny = 2\n",
        "x: int\n",
    ],
)
def test_valid_code_has_no_errors(text: str) -> None:
    assert errors(text) == []


def test_each_broken_statement_has_one_error() -> None:
    functions = "x = (\ndef f():\n    return ]\n"
    text = functions + "class A:\n    def g(self):\n        y = =\n    def h(self):\n        z = 'a\n"
    assert [row for row, _ in errors(text)] == [1, 3, 6, 8]


def test_rows_count_from_the_start_of_the_file() -> None:
    assert errors("import a\n\n\nx = (\n")[0][0] == 4


def test_code_that_is_too_long_for_python_has_an_error_too() -> None:
    assert errors("x = [\n" + "    (1, 2),\n" * 20_000) == [(1, "invalid syntax")]


def test_deep_code_is_no_error() -> None:
    assert errors("x = " + "not " * 3000 + "y\n") == []
