"""Frozen data classes that are quick to make, and quick to define.

`dataclass(frozen=True)` sets every field through `object.__setattr__`, which makes a value four times as
dear as it need be, and the interpreter makes millions. A record is frozen for the type checker (assigning to
a field is an error there), hashable, slotted, and made as fast as a plain class. Its methods are compiled
at once, because there are over a hundred records and a server has to start.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")

METHODS = """
def __eq__(self, other):
    return {this} == {that} if other.__class__ is self.__class__ else NotImplemented
def __hash__(self):
    return hash({this})
"""


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """The class as a record. A `__hash__`, `__eq__` or `__repr__` of its own is kept."""
    own = cls.__dict__
    made = dataclass(slots=True, repr=False, eq=False)(cls)
    names = [f.name for f in fields(made) if f.compare]  # type: ignore[arg-type]
    this, that = (f"({''.join(f'{owner}.{name},' for name in names)})" for owner in ("self", "other"))
    methods: dict[str, Any] = {}
    exec(METHODS.format(this=this, that=that), methods)
    for name, method in ("__eq__", methods["__eq__"]), ("__hash__", methods["__hash__"]), ("__repr__", _repr):
        if own.get(name) is None:
            setattr(made, name, method)
    return made


def _repr(self: Any) -> str:
    told = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{type(self).__qualname__}({told})"
