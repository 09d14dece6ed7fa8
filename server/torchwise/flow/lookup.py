"""The questions that interpretation may ask of the project. Each is kept with its answer: see
project/memo.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from torchwise.domain.value import Obj, Site, Value
from torchwise.flow.variant import Summary, Variant
from torchwise.ir.nodes import Scope


@dataclass(frozen=True)
class Snapshot:
    """A value of another scope, with the objects that it leads to, as they may be at any time (typestate
    unknown).
    """

    value: Value
    heap: Mapping[Site, Obj] = field(default_factory=dict)


@dataclass(frozen=True)
class ClassFacts:
    """A class of the project. `order`: the method resolution order, keys and outside paths, itself first;
    `closed`: every base is known.
    """

    key: str
    names: Mapping[str, Value]
    order: tuple[str, ...]
    closed: bool
    fields: tuple[tuple[str, bool], ...] = ()  # annotated names in order, and whether each has a default
    dataclass: bool = False
    rebound: frozenset[str] = frozenset()  # attributes of self that methods other than __init__ assign
    heap: Mapping[Site, Obj] = field(default_factory=dict)


class Lookup(Protocol):
    def scope(self, key: str) -> Scope | None:
        """A scope by its full key, "path::key"."""

    def global_value(self, scope: str, name: str) -> Snapshot:
        """What a global name of the scope's module means, once the module has run; or a builtin."""

    def imported(self, scope: str, path: str) -> Snapshot:
        """What `import path` or `from a import b` (path "a.b") brings."""

    def class_facts(self, key: str) -> ClassFacts | None: ...

    def instance(self, key: str) -> Snapshot:
        """An instance of a class of the project, as it may be at any time after it was made."""

    def summary(self, variant: Variant) -> Summary: ...

    def sets(self, scope: str, attribute: str) -> bool:
        """Whether the top level of the scope's module sets an attribute of that name on anything."""

    def crowded(self, scope: str, callee: str) -> bool:
        """Whether very many places call a function: in the scope's file, or in files that import its own."""

    def live_names(self, scope: str) -> frozenset[str]:
        """Global names of its module that can change as the module runs and that a call of the scope may
        touch.
        """
