"""A text as its client has it: edits in units of UTF-16, done another way than the server does them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

_LINE_ENDS = re.compile("\r\n|\r|\n")


@dataclass
class Mirror:
    """Stateful: `sure` says whether LSP settles what the text is; an edit within a character is not."""

    text: str
    version: int = 1
    sure: bool = True

    def edit(self, start: tuple[int, int], end: tuple[int, int], new: str) -> None:
        ends = [0, *(found.end() for found in _LINE_ENDS.finditer(self.text)), len(self.text)]
        lines = [self.text[first:last] for first, last in pairwise(ends)]
        first, last = self._units(lines, start), self._units(lines, end)
        units = self.text.encode("utf-16-le", "surrogatepass")
        if last < first:
            self.sure = False
            return
        try:
            before, after = units[: 2 * first].decode("utf-16-le"), units[2 * last :].decode("utf-16-le")
            new.encode()
        except UnicodeError:
            self.sure = False
            return
        self.text = before + new + after

    def _units(self, lines: list[str], at: tuple[int, int]) -> int:
        line, column = at
        before = sum(_length(each) for each in lines[:line])
        return before + min(column, _length(lines[line].rstrip("\r\n"))) if line < len(lines) else before


def _length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
