"""Frozen data classes that are quick to make.

`dataclass(frozen=True)` sets every field through `object.__setattr__`, which makes a value four times as
dear as it need
be, and the interpreter makes millions. A record is frozen for the type checker (assigning to a field is an
error there),
hashable, slotted, and made as fast as a plain class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """The class as a record. A `__hash__` or `__eq__` of its own is kept."""
    own_hash = "__hash__" in cls.__dict__
    made = dataclass(slots=True, eq="__eq__" not in cls.__dict__, unsafe_hash=not own_hash)(cls)
    return made
