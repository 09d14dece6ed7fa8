"""A line of source with a part of it underlined, cut to the width that there is."""

from __future__ import annotations

import re

from rich.cells import cell_len
from rich.text import Text

from torchwise.findings import Location
from torchwise.report.run import Run, printable

TAB = "    "
ELLIPSIS = "…"


def frame(run: Run, at: Location, mark: str, style: str, width: int, note: str = "") -> list[Text]:
    """Two lines: the source, and the underline with a note behind it. Nothing where the source is gone."""
    line = run.line(at)
    if not line.strip():
        return []
    span = at.span
    end = span.end_col if span.end_row == span.row else len(line.rstrip())
    gutter = f"{span.row:>5} "
    shown, start, end = cropped(
        line.rstrip(), span.col, max(end, span.col + 1), max(width - len(gutter) - 2, 40)
    )
    before, under = cell_len(_display(shown[:start])), cell_len(_display(shown[start:end]))
    code = Text.assemble((gutter + "│ ", "blue"), _display(shown))
    below = Text.assemble((" " * len(gutter) + "│ ", "blue"), " " * before, (mark * max(under, 1), style))
    if span.end_row > span.row:
        below.append(f" to line {span.end_row}", style)
    if note:
        below.append(f" {printable(note)}", style)
    return [code, below]


def cropped(line: str, start: int, end: int, width: int) -> tuple[str, int, int]:
    """What is shown of a line that is longer than width, and where the marked part is in it."""
    if len(line) <= width:
        return line, start, min(end, max(len(line), start + 1))
    first = max(0, min(start - width // 3, len(line) - width))
    shown = line[first : first + width]
    if first:
        shown = ELLIPSIS + shown[1:]
    if first + width < len(line):
        shown = shown[:-1] + ELLIPSIS
    return shown, start - first, min(end - first, len(shown))


def _display(text: str) -> str:
    return printable(re.sub("\t", TAB, text))
