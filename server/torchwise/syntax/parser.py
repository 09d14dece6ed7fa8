"""The tree-sitter parser, and the numbers its grammar gives to kinds of nodes and to fields."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Protocol

import tree_sitter_python
from tree_sitter import Language, Parser, Tree

LANGUAGE = Language(tree_sitter_python.language())
KINDS = LANGUAGE.node_kind_count


class Node(Protocol):
    """A node of a tree. That a field is there is known from the grammar, not from types: hence Any."""

    @property
    def kind_id(self) -> int: ...
    @property
    def start_byte(self) -> int: ...
    @property
    def end_byte(self) -> int: ...
    @property
    def has_error(self) -> bool: ...
    @property
    def is_error(self) -> bool: ...
    @property
    def is_missing(self) -> bool: ...
    @property
    def child_count(self) -> int: ...
    @property
    def parent(self) -> Node | None: ...
    @property
    def children(self) -> Sequence[Node]: ...
    def child(self, index: int, /) -> Node: ...
    def child_by_field_id(self, id: int, /) -> Any: ...
    def children_by_field_id(self, id: int, /) -> Sequence[Node]: ...


class _OwnParser(threading.local):
    """A parser holds the state of its last parse, so each thread has its own."""

    def __init__(self) -> None:
        self.parse = Parser(LANGUAGE).parse


_own = _OwnParser()


def parse(code: bytes) -> Tree:
    return _own.parse(code)


def kinds(name: str, named: bool = True) -> frozenset[int]:
    """All numbers of one kind: the grammar has several rules that show themselves by the same name."""
    found = frozenset(
        number
        for number in range(KINDS)
        if LANGUAGE.node_kind_for_id(number) == name
        and LANGUAGE.node_kind_is_named(number) == named
        and LANGUAGE.node_kind_is_visible(number)
    )
    assert found, f"the grammar has no node called {name}"
    return found


def kind(name: str, named: bool = True) -> int:
    numbers = kinds(name, named)
    assert len(numbers) == 1, f"several rules of the grammar are called {name}"
    return next(iter(numbers))


def field(name: str) -> int:
    number = LANGUAGE.field_id_for_name(name)
    assert number is not None, f"the grammar has no field called {name}"
    return number
