"""Notebooks: cells, magics, and where rows come from."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchwise.syntax.notebook import BrokenNotebook, Cell, notebook_cells, python_of
from torchwise.syntax.source import Source
from torchwise.syntax.span import Span


def test_all_cells_in_order() -> None:
    notebook = {
        "nbformat": 4,
        "cells": [
            {"cell_type": "markdown", "source": ["# a\n", "b"]},
            {"cell_type": "code", "source": "x = 1\ny = 2", "outputs": []},
            {"cell_type": "raw", "source": ""},
            {"cell_type": "code", "source": ["z = 3"]},
        ],
    }
    assert notebook_cells(json.dumps(notebook)) == (
        Cell("markdown", "# a\nb"),
        Cell("code", "x = 1\ny = 2"),
        Cell("raw", ""),
        Cell("code", "z = 3"),
    )


def test_notebooks_of_format_3() -> None:
    notebook = {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1"]}]}]}
    assert notebook_cells(json.dumps(notebook)) == (Cell("code", "x = 1"),)


@pytest.mark.parametrize("text", ["", "{", "[]", "1", '{"cells": 3}', '{"a": 1}', "[" * 100_000])
def test_a_broken_notebook_says_why(text: str) -> None:
    with pytest.raises(BrokenNotebook) as broken:
        notebook_cells(text)
    assert broken.value.reason and broken.value.row >= 1


def test_odd_cells_are_kept_as_raw() -> None:
    assert notebook_cells('{"cells": [3, {"cell_type": "code"}, {"source": [1, "a"]}]}') == (
        Cell("raw", ""),
        Cell("raw", ""),
        Cell("raw", "a"),
    )


@pytest.mark.parametrize(
    "cell, code",
    [
        ("x = 1", "x = 1\n"),
        ("%matplotlib inline\nx", "pass\nx\n"),
        ("!pip install torch\nx", "pass\nx\n"),
        ("if a:\n    !ls", "if a:\n    pass\n"),
        ("!pip install \\\n  torch\nx", "pass\n\nx\n"),
        ("files = !ls", "files = get_ipython()\n"),
        ("a, b = %sql x", "a, b = get_ipython()\n"),
        ("model?\n?model\nmodel.fit??", "pass\npass\npass\n"),
        ("%%time\nx = 1", "\nx = 1\n"),
        ("%%timeit -n 10\nx = 1", "\nx = 1\n"),
        ("%%capture out\nx = 1", "\nx = 1\n"),
        ("%%bash\nls\necho", "\n\n\n"),
        ("\n%%html\n<b>", "\n\n\n"),
        ("x = '''\n%no\n!no\n'''", "x = '''\n%no\n!no\n'''\n"),
        ("x = (a\n% b)", "x = (a\n% b)\n"),
        ("x = a != b", "x = a != b\n"),
        ("x = 5 % 2  # why?", "x = 5 % 2  # why?\n"),
        ("!echo 'it\nx = 1", "pass\nx = 1\n"),
    ],
)
def test_what_only_ipython_understands_is_left_out(cell: str, code: str) -> None:
    assert python_of(cell) == code


@given(st.text(alphabet="ab%!?=\n\\'\"() ", max_size=40))
def test_every_line_keeps_its_row(cell: str) -> None:
    lines = cell.split("\n")
    kept = python_of(cell).split("\n")
    assert len(kept) - 1 == len(lines) - cell.endswith("\n") or not cell


CELLS = [
    Cell("markdown", "# a"),
    Cell("code", "x = 1\ny = ("),
    Cell("raw", ""),
    Cell("code", "def f():\n    return x"),
]


def test_a_cell_that_is_half_typed_does_not_take_in_the_next() -> None:
    source = Source.of_cells(CELLS)
    assert [block.code for block in source.blocks] == ["x = 1\n", "y = (\n", "def f():\n    return x\n"]


def test_spans_are_found_in_their_cells_and_back() -> None:
    source = Source.of_cells(CELLS)
    assert source.in_cell(Span(2, 0, 2, 1)) == (1, Span(2, 0, 2, 1))
    assert source.in_cell(Span(4, 4, 4, 10)) == (3, Span(2, 4, 2, 10))
    assert source.from_cell(3, Span(2, 4, 2, 10)) == Span(4, 4, 4, 10)
    assert source.from_cell(0, Span(1, 0, 1, 1)) is None


def test_errors_of_cells() -> None:
    source = Source.of_cells(CELLS)
    assert [(source.in_cell(span)[0], message) for span, message in source.errors] == [
        (1, "`(` was never closed")
    ]


def test_cells_that_stay_keep_their_blocks() -> None:
    before = Source.of_cells(CELLS)
    after = Source.of_cells([Cell("code", "import a"), *CELLS], before)
    assert after.blocks[-1] is before.blocks[-1]


def test_a_notebook_without_code() -> None:
    source = Source.of_cells([Cell("markdown", "a")])
    assert source.text == "" and source.blocks == () and source.errors == ()
