"""A hostile line cannot hang the checker: time does not explode with the length of a text."""

from __future__ import annotations

import time

import pytest

from torchwise.engine import Engine
from torchwise.syntax.notebook import Cell

LONG = 5_000  # characters; where time grows with the square of it, that shows
MOST_S = 2.0  # of a processor
PIECES = (
    *("a", " ", "\t", "\n", "(", "[", '"', "'", "\\", "#", "%", "!", "=", ",", ".", ":", "_", "$", "<", "0"),
    *("a ", "a.", "a=", "a,", "a(", "[a]", "a\n", " \n", "# ", "#\n", " #\n", "import a, ", "lambda: "),
    *("\\\n", "%a\n", "!a\n", "x = \n", "class A\n", "def f(\n", "@a\n"),
)
BEFORE = ("", "x = (", "# noqa: ", "# torchwise: ignore[", "class A", "@", '"""')


@pytest.mark.parametrize("before", BEFORE)
def test_no_flood_of_a_file_takes_long(before: str) -> None:
    for piece in PIECES:
        engine = Engine()
        start = time.process_time()
        engine.set_text("/project/a.py", before + piece * (LONG // len(piece)) + "\n")
        engine.survey("/project/a.py")
        assert time.process_time() - start < MOST_S, piece
        assert engine.crashes == []


def test_no_flood_of_a_cell_takes_long() -> None:
    for piece in PIECES:
        engine = Engine()
        text = piece * (LONG // len(piece))
        start = time.process_time()
        engine.set_notebook("/project/a.ipynb", [Cell("code", text), Cell("code", f"x = !{text}")])
        engine.survey("/project/a.ipynb")
        assert time.process_time() - start < MOST_S, piece
        assert engine.crashes == []
