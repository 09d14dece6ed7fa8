"""Which function lowers which kind of syntax node. Files of this package add their own rows with the
decorators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torchwise.ir.nodes import Ref
from torchwise.syntax.parser import KINDS, LANGUAGE, Node, kinds

if TYPE_CHECKING:
    from torchwise.ir.lower.builder import Builder

Expression = Callable[["Builder", Node], Ref]
Statement = Callable[["Builder", Node], None]

ERROR = 65535  # the kind of nodes that hold what the parser could not read
EXPRESSIONS: list[Expression | None] = [None] * (
    ERROR + 1
)  # None: punctuation, comments, and what is no expression
STATEMENTS: list[Statement | None] = [None] * (ERROR + 1)

_NO_EXPRESSION = {"comment", "line_continuation", "positional_separator", "keyword_separator"}


def expression(*names: str) -> Callable[[Expression], Expression]:
    """The function returns the ref of the expression's value."""

    def add(function: Expression) -> Expression:
        for name in names:
            for number in kinds(name):
                EXPRESSIONS[number] = function
        return function

    return add


def statement(*names: str) -> Callable[[Statement], Statement]:
    def add(function: Statement) -> Statement:
        for name in names:
            for number in kinds(name):
                STATEMENTS[number] = function
        return function

    return add


def anything_else(function: Expression) -> Expression:
    """For all other named nodes that may stand where an expression stands."""
    for number in range(KINDS):
        named = LANGUAGE.node_kind_is_named(number) and LANGUAGE.node_kind_is_visible(number)
        if named and EXPRESSIONS[number] is None and LANGUAGE.node_kind_for_id(number) not in _NO_EXPRESSION:
            EXPRESSIONS[number] = function
    EXPRESSIONS[ERROR] = function
    return function
