"""Notebooks: their cells, and what of a cell is Python.

The code cells are read as one text. Lines that only IPython understands become `pass`, or a call of
`get_ipython` where something is assigned, so that every line keeps its row.
"""

from __future__ import annotations

import json
import re
from typing import Literal

from torchwise.record import record
from torchwise.syntax.tokens import logical_line, with_plain_newlines

_KEEPS_CODE = {"time", "timeit", "capture", "prun"}  # cell magics whose cell is still Python of the kernel
_CELL_MAGIC = re.compile(r"\s*%%(\w*)")
_MAGIC = re.compile(
    r"""(?P<indent>[ \t]*+)(?:
        (?: [%!] | \?{1,2}[\w.*%] | [,;/](?=\w+\s) ) [^\n]*   # %run, !pip, ?name, and /name a b
      | %{0,2}[\w.*]+(?:\[[^\]\n]*\])?\?{1,2}[ \t]*(?=\r?$)   # name?
      | (?P<target>[\w.,\[\]'" \t*()]++=[ \t]*)[!%][^\n]*      # files = !ls
    )""",
    re.X | re.M,
)


class BrokenNotebook(Exception):
    """The text is no notebook: `reason`, at a row from 1 and a column from 0."""

    def __init__(self, reason: str, row: int = 1, col: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.row, self.col = reason, row, col


@record
class Cell:
    kind: Literal["code", "markdown", "raw"]
    text: str


def notebook_cells(text: str) -> tuple[Cell, ...]:
    """All cells of a notebook, in order. Raises BrokenNotebook."""
    try:
        notebook = json.loads(text.removeprefix("\ufeff"), strict=False)
    except json.JSONDecodeError as error:
        raise BrokenNotebook(error.msg, error.lineno, error.colno - 1) from None
    except RecursionError:
        raise BrokenNotebook("too deeply nested") from None
    cells = _listed(notebook)
    if cells is None:
        raise BrokenNotebook("it has no list of cells")
    return tuple([_cell(cell) for cell in cells])


def _listed(notebook: object) -> list[object] | None:
    """Format 4 has cells; format 3 had them in worksheets."""
    match notebook:
        case {"cells": list(cells)}:
            return cells
        case {"worksheets": list(sheets)}:
            return [cell for sheet in sheets for cell in _listed(sheet) or ()]
        case _:
            return None


def _cell(cell: object) -> Cell:
    match cell:
        case {"cell_type": "code", "source": source} | {"cell_type": "code", "input": source}:
            return Cell("code", _joined(source))
        case {"cell_type": "markdown" | "heading", "source": source}:
            return Cell("markdown", _joined(source))
        case {"source": source}:
            return Cell("raw", _joined(source))
        case _:
            return Cell("raw", "")


def _joined(source: object) -> str:
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


def python_of(cell: str) -> str:
    """The text of a code cell without what only IPython understands; as many lines, each ended."""
    text = with_plain_newlines(cell)
    if not text.endswith("\n"):
        text += "\n"
    if magic := _CELL_MAGIC.match(text):
        if magic.group(1) not in _KEEPS_CODE:
            return "\n" * text.count("\n")
        start = text.index("\n", magic.end())
        text = text[: magic.start()] + "\n" * text.count("\n", magic.start(), start) + text[start:]
    if not any(mark in text for mark in "%!?/,;"):
        return text
    return _without_magics(text)


def _without_magics(text: str) -> str:
    pieces, position = [], 0
    while position < len(text):
        if magic := _MAGIC.match(text, position):
            end = _end_of_command(text, magic.end())
            target = magic.group("target")
            rows = text.count("\n", position, end)
            code = f"{target}get_ipython()" if target else "pass"
            pieces.append(f"{magic.group('indent')}{code}\n" + "\n" * (rows - 1))
        else:
            end = logical_line(text, position)
            pieces.append(text[position:end])
        position = end
    return "".join(pieces)


def _end_of_command(text: str, position: int) -> int:
    """A command of the shell goes on behind a backslash at the end of a line."""
    while True:
        end = text.find("\n", position)
        if end < 0:
            return len(text)
        if not text[:end].rstrip("\r").endswith("\\") or end + 1 == len(text):
            return end + 1
        position = end + 1
