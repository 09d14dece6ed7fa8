"""Parameters as they are read off their module: some are computed each time, some do not exist yet."""

from __future__ import annotations

from torchwise.domain.nature import COMPUTED, UNBORN
from torchwise.domain.value import Obj, Tensor, Value
from torchwise.domain.verdict import HOLDS


def as_read(obj: Obj, name: str, value: Value) -> Value:
    """An attribute of a module, with what its module says of it."""
    if type(value) is not Tensor or value.kind != "parameter" or not obj.marks:
        return value
    if obj.marks.get("computed") == name:
        return value.but(nature=COMPUTED)
    if obj.marks.get("unborn") is HOLDS and value.shape is None:
        return value.but(nature=UNBORN)
    return value
