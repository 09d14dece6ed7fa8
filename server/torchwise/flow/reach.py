"""What can be reached from values: objects, and the storages that a later check may ask about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from torchwise.domain.value import Func, Obj, Site, Tensor, Value, Wrapped
from torchwise.flow.pointed import pointed


def reach(values: Iterable[Value], heap: Mapping[Site, Obj]) -> dict[Site, Obj]:
    """The part of the heap that the values lead to."""
    out: dict[Site, Obj] = {}
    queue = [s for v in values for s in _led_to(v)]
    while queue:
        site = queue.pop()
        obj = heap.get(site)
        if obj is None or site in out:
            continue
        out[site] = obj
        for value in inside(obj):
            queue += _led_to(value)
    return out


def _led_to(value: Value) -> list[Site]:
    found = pointed(value)
    while isinstance(value, Wrapped):
        value = value.func
    return [*found, value.frame] if isinstance(value, Func) and value.frame is not None else found


def inside(obj: Obj) -> list[Value]:
    found = [*obj.attrs.values(), *(obj.items or ())]
    if obj.each is not None:
        found.append(obj.each)
    found += [m for m in obj.marks.values() if isinstance(m, Value)]
    return found


def tensors(values: Iterable[Value], heap: Mapping[Site, Obj]) -> list[Tensor]:
    """Every tensor that the values or the given objects hold."""
    out = []
    queue = [*values, *(v for obj in heap.values() for v in inside(obj))]
    while queue:
        value = queue.pop()
        if isinstance(value, Tensor):
            out.append(value)
        else:
            for name in ("items", "args"):
                queue += [v for v in getattr(value, name, ()) or () if isinstance(v, Value)]
            each = getattr(value, "each", None)
            if isinstance(each, Value):
                queue.append(each)
    return out
