"""The modules inside a module, in torch's order, where all of them are known."""

from __future__ import annotations

from collections.abc import Iterator

from torchwise.domain.value import Any, Either, Obj, Pointer, Site, Tensor, Value
from torchwise.ops.spec import Given

MODULE = "torch.nn.Module"


def modules_of(given: Given, root: Value) -> tuple[Pointer, ...] | None:
    """A module and every module inside it, each before its children; None where there may be others."""
    found: dict[Site, Pointer] = {}
    return tuple(found.values()) if _gather(given, root, found) else None


def _gather(given: Given, value: Value, found: dict[Site, Pointer]) -> bool:
    obj = given.heap.get(value.to) if isinstance(value, Pointer) else None
    if obj is None or not isinstance(value, Pointer) or not is_module(obj):
        return False
    if value.to in found:
        return True
    found[value.to] = value
    children = children_of(given, obj)
    return children is not None and all(_gather(given, child, found) for _, child in children)


def is_module(obj: Obj) -> bool:
    return obj.cls == MODULE or MODULE in obj.bases


def children_of(given: Given, obj: Obj) -> tuple[tuple[str, Pointer], ...] | None:
    """The names and modules that it has registered itself; None where there may be others."""
    if obj.marks.get("opaque") is True or obj.items is None:
        return None
    out = list(_attributes(given, obj))
    if None in out:
        return None
    named = [pair for pair in out if pair is not None]
    items = obj.items[1::2] if obj.cls.endswith("Dict") else obj.items
    keys = obj.items[::2] if obj.cls.endswith("Dict") else [None] * len(items)
    for number, (key, item) in enumerate(zip(keys, items, strict=True)):
        inner = given.heap.get(item.to) if isinstance(item, Pointer) else None
        if isinstance(item, Pointer) and inner is not None and is_module(inner):
            named.append((str(getattr(key, "value", number)), item))
        elif isinstance(item, Any | Either):
            return None
    return tuple({pair[1].to: pair for pair in named}.values())


def _attributes(given: Given, obj: Obj) -> Iterator[tuple[str, Pointer] | None]:
    """None for what may be a module. A layer of torch has no modules that are not known."""
    own = "::" in obj.cls
    for name, value in obj.attrs.items():
        inner = given.heap.get(value.to) if isinstance(value, Pointer) else None
        if isinstance(value, Pointer) and inner is not None:
            if is_module(inner):
                yield name, value
        elif own and isinstance(value, Any | Either | Pointer):
            yield None


def devices_of(given: Given, root: Value) -> frozenset[str | None] | None:
    """Of all its parameters; None where there may be others."""
    modules = modules_of(given, root)
    if modules is None:
        return None
    tensors = [v for m in modules for v in given.heap[m.to].attrs.values() if isinstance(v, Tensor)]
    return frozenset(t.device for t in tensors if t.kind == "parameter")


def modules_met(given: Given, root: Value) -> Iterator[Obj]:
    """Those that are known of a module and what is in it; there may be others."""
    queue, seen = [root], set[Site]()
    while queue:
        value = queue.pop()
        obj = given.heap.get(value.to) if isinstance(value, Pointer) else None
        if obj is None or not isinstance(value, Pointer) or value.to in seen or not is_module(obj):
            continue
        seen.add(value.to)
        queue += (*obj.attrs.values(), *(obj.items or ()))
        yield obj


def devices_met(given: Given, root: Value) -> frozenset[str | None]:
    """Of the parameters that are known in it; there may be others."""
    tensors = (v for obj in modules_met(given, root) for v in obj.attrs.values() if isinstance(v, Tensor))
    return frozenset(t.device for t in tensors if t.kind == "parameter")
