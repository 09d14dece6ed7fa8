"""Which parameters are certainly in the groups that an optimizer is given."""

from __future__ import annotations

from collections.abc import Iterator

from torchwise.domain.value import NONE, Const, Items, Obj, Params, Pointer, Site, Tensor, Value
from torchwise.ops.module_tree import modules_met
from torchwise.ops.spec import Broken, Given


def in_two_groups(given: Given, params: Value, name: str = "params") -> tuple[Broken, ...]:
    """torch refuses a parameter that is in more than one group: weights that layers share, for example."""
    before: set[Site] = set()
    for group in _groups(given, params):
        own = set(_certain(given, group))
        if not before.isdisjoint(own):
            return (Broken("argument", name, wanted="each parameter once", got="in two groups"),)
        before |= own
    return ()


def _groups(given: Given, value: Value) -> tuple[Value, ...]:
    """The parameters of each group; what is no list of groups is one."""
    obj = given.heap.get(value.to) if isinstance(value, Pointer) else None
    if obj is not None and obj.cls == "dict":
        return (params_in(obj),)
    inner = _listed(given, value)
    if inner and not any(isinstance(one, Tensor) for one in inner):
        return tuple(group for one in inner for group in _groups(given, one))
    return (value,)


def _listed(given: Given, value: Value) -> tuple[Value, ...]:
    if isinstance(value, Items):
        return value.items
    obj = given.heap.get(value.to) if isinstance(value, Pointer) else None
    return obj.items or () if obj is not None and obj.cls in ("list", "tuple") else ()


def params_in(group: Obj) -> Value:
    """The parameters of a group, which is a dict."""
    items = group.items or ()
    return next((v for k, v in zip(items[::2], items[1::2], strict=True) if k == Const("params")), NONE)


def _certain(given: Given, value: Value) -> Iterator[Site]:
    match value:
        case Tensor(kind="parameter") if value.storage is not None:
            yield value.storage
        case Params(kept=tuple() as kept):
            for one in kept:
                yield from _certain(given, one)
        case Params(of, some=False):
            for obj in modules_met(given, Pointer(of)):
                for tensor in obj.attrs.values():
                    yield from _certain(given, tensor) if isinstance(tensor, Tensor) else ()
        case _:
            for one in _listed(given, value):
                yield from _certain(given, one)
