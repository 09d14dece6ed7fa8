"""Dimensions that torch.export is to leave open, held against the example it is given."""

from __future__ import annotations

from collections.abc import Iterator

from torchwise.domain.value import (
    NONE,
    Const,
    Items,
    Named,
    Num,
    Obj,
    Pointer,
    Tensor,
    Value,
)
from torchwise.ops.layers import part
from torchwise.ops.spec import Broken, Given, Made, op

DIM = "torch.export.Dim"
PAGE = "export.html#torch.export.Dim"


def _dim(given: Given) -> Made:
    return Made(Obj(DIM, {n: given.get(n, NONE) for n in ("name", "min", "max")}))


def _dims(given: Given) -> Items:
    names = given.list("names") or ()
    return Items(tuple(part(Obj(DIM, {"name": n, "min": given.get("min", NONE)})) for n in names))


op(DIM, "torch.export.dynamic_shapes.Dim", params="name min max", returns=_dim, grad="cut", source=PAGE)
op("torch.export.dims", params="*names min max", returns=_dims, grad="cut", source=PAGE)


def specialised(given: Given, args: tuple[Value, ...]) -> tuple[Broken, ...]:
    """Axes that were declared open, and whose example allows one size only."""
    seen: dict[Value, tuple[int, Tensor]] = {}
    for tensor, axis, dim in _declared(given, args):
        size = tensor.shape[axis].number if tensor.shape and axis < len(tensor.shape) else None
        obj = given.heap.get(dim.to) if isinstance(dim, Pointer) else None
        open_ = (obj is not None and obj.cls == DIM) or dim == Named(f"{DIM}.DYNAMIC")
        if size is None or not open_:
            continue
        if size in (0, 1):
            return (Broken("specialised", "dynamic_shapes", str(axis), "2 or more", size, tensor),)
        least, most = (_bound(obj, name) for name in ("min", "max"))
        if (most is not None and size > most) or (least is not None and size < least):
            wanted = f"at most {most}" if most is not None and size > most else f"at least {least}"
            return (Broken("specialised", "dynamic_shapes", str(axis), wanted, size, tensor),)
        other = seen.setdefault(dim, (size, tensor))
        if other[0] != size:
            return (Broken("specialised", "dynamic_shapes", str(axis), other[0], size, tensor),)
    return ()


def _bound(obj: Obj | None, name: str) -> int | None:
    value = obj.attrs.get(name) if obj is not None else None
    return value.dim.number if isinstance(value, Num) else None


def _declared(given: Given, args: tuple[Value, ...]) -> Iterator[tuple[Tensor, int, Value]]:
    """Each tensor with an axis and what was declared of it."""
    obj = given.obj("dynamic_shapes")
    specs = given.list("dynamic_shapes")
    if obj is not None and obj.cls == "dict" and obj.items is not None:
        specs = obj.items[1::2]
    if specs is None or len(specs) != len(args):
        return
    for tensor, spec in zip(args, specs, strict=True):
        if isinstance(tensor, Tensor):
            yield from ((tensor, axis, dim) for axis, dim in _axes(given, spec))


def _axes(given: Given, spec: Value) -> Iterator[tuple[int, Value]]:
    """`{0: batch}`, or one entry for each axis."""
    obj = given.heap.get(spec.to) if isinstance(spec, Pointer) else None
    if obj is not None and obj.cls == "dict" and obj.items is not None:
        for key, dim in zip(obj.items[::2], obj.items[1::2], strict=True):
            if isinstance(key, Num) and key.dim.number is not None and key.dim.number >= 0:
                yield key.dim.number, dim
        return
    found = spec.items if isinstance(spec, Items) else obj.items if obj is not None else None
    yield from (p for p in enumerate(found or ()) if p[1] != Const(None))
