"""What a whole file was lowered to, and where its scopes stand now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from torchwise.ir.nodes import Ref, Scope
from torchwise.ir.places import Places
from torchwise.record import record
from torchwise.syntax.source import Source
from torchwise.syntax.span import Span


@record
class Unit:
    """The scopes of one function that stands in a module or class: its own, then those inside."""

    scopes: tuple[Scope, ...]


@record
class Child:
    """A function or class that is a block of its own within a module or class."""

    key: str
    kind: str
    name: str


@record
class Body:
    """What a module or class was lowered to, from the faces of its blocks."""

    faces: tuple[str, ...]
    cut: tuple[bool, ...]  # of each block, whether its face is only its head
    scope: Scope
    inner: Mapping[int, tuple[Scope, ...]]  # by number of the block: scopes inside plain statements and heads
    children: Mapping[int, Child]  # by number of the block
    mentions: frozenset[str]  # those of the children are not in


@dataclass(frozen=True)
class Module:
    """`reused` are the keys of scopes that were taken over from the earlier version without being lowered
    again."""

    source: Source
    scopes: Mapping[str, Scope]  # in source order, "<module>" first
    offsets: Mapping[str, int] = field(repr=False)
    reused: frozenset[str]
    lowered: frozenset[str]
    units: Mapping[tuple[str, str], Unit] = field(repr=False)
    bodies: Mapping[str, Body] = field(repr=False)
    faces: Mapping[str, str] = field(repr=False)  # by code of a block

    def offset(self, key: str) -> int:
        """How many rows to add to the places of a scope."""
        return self.offsets[key]

    def span(self, key: str, ref: Ref) -> Span:
        """Where the source expression, target or statement of an instruction stands in the file."""
        return self.scopes[key].places[ref].down(self.offsets[key])

    def statement(self, key: str, ref: Ref) -> Span:
        """The whole statement that an instruction is part of, without the indentation before it.

        Of a definition that is what its decorators and head are up to the colon.
        """
        return self._places(key).statement(ref).down(self.offsets[key])

    def header(self, key: str, ref: Ref) -> Span:
        """The head of an If, Loop, With, Try or Define, up to its colon; of other instructions their
        place."""
        return self._places(key).header(ref).down(self.offsets[key])

    def name(self, key: str) -> Span | None:
        """Where the name stands in the `def` or `class` of a scope."""
        name = self.scopes[key].header
        return name.down(self.offsets[key]) if name else None

    def text(self, key: str, ref: Ref) -> str:
        return self.source.slice(self.span(key, ref))

    def _places(self, key: str) -> Places:
        places = self.scopes[key].places
        assert isinstance(places, Places), "scopes of a module come from lowering"
        return places
