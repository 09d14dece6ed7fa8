"""What is not Python in a block: said in the words of Python's own parser, and only where that agrees.

tree-sitter goes on behind an error and says nothing of what was expected; and some rare valid code it does
not know.
"""

from __future__ import annotations

import ast
import re
import warnings

from torchwise.syntax.span import Span

LONG = 100_000  # characters; a statement that is longer would keep the user waiting
_EMPTY_BODY = re.compile(
    r"^([ \t]*)(?:if|elif|else|for|while|with|try|except|finally|def|class|async|match|case)\b[^\n]*:"
    r"[ \t\r]*(?:\#[^\n]*)?(?:\n[ \t\f\r]*(?:\#[^\n]*)?)*(?:\Z|\n(?!\1[ \t]))",
    re.M,
)
_WHERE = re.compile(r" \(detected at line \d+\)| on line \d+")
_QUOTED = re.compile(r"'([^']+)'|\"([^\"]+)\"|'(')'")


def lacks_a_body(code: str) -> bool:
    """Whether some `if x:` may have nothing in it: tree-sitter takes that for complete."""
    return _EMPTY_BODY.search(code) is not None


def python_error(code: str, indent: str) -> tuple[Span, str] | None:
    """The first error of a block; rows count from 1 at its start. None where Python takes the code, or
    gives up."""
    if len(code) > LONG:
        return None
    before = "if 1:\n" if indent else ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(before + code)
    except SyntaxError as error:
        return _span(error, code, 1 if indent else 0), _message(error)
    except ValueError:
        return Span(1, 0, 1, 0), "characters that no Python source may have"
    except (RecursionError, MemoryError):
        return None
    return None


def _span(error: SyntaxError, code: str, rows_before: int) -> Span:
    lines = code.split("\n")
    row = min(max((error.lineno or 1) - rows_before, 1), len(lines))
    width = len(lines[row - 1].rstrip("\r"))
    col = min(max((error.offset or 1) - 1, 0), width)
    end = width
    if error.end_lineno == error.lineno and error.end_offset and error.end_offset - 1 > col:
        end = min(error.end_offset - 1, width)
    if end <= col:  # at the end of a line: show its last character
        col, end = max(width - 1, 0), width
    return Span(row, col, row, end)


def _message(error: SyntaxError) -> str:
    message = _WHERE.sub("", error.msg or "invalid syntax")
    return _QUOTED.sub(lambda quoted: f"`{next(filter(None, quoted.groups()))}`", message)
