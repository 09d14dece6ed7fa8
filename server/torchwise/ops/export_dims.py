"""Dimensions that torch.export is to leave open, held against the example it is given."""

from __future__ import annotations

from collections.abc import Iterator

from torchwise.domain.batches import Batches, hint
from torchwise.domain.shape import contiguous_strides
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
    for _, tensor, axis, dim, size in _open(given, args):
        obj = given.heap.get(dim.to) if isinstance(dim, Pointer) else None
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


def opened(given: Given, args: tuple[Value, ...]) -> tuple[Value, ...]:
    """The example with a length that has two values on each axis that is declared open: its own, and another
    that it is declared to take.
    """
    made = list(args)
    if "prefer_deferred_runtime_asserts_over_guards" in given:
        return args
    for number, _, axis, dim, size in _open(given, args):
        obj = given.heap.get(dim.to) if isinstance(dim, Pointer) else None
        most = _bound(obj, "max")
        other = size + 1 if most is None or size < most else size - 1
        if other < max(2, _bound(obj, "min") or 2):
            continue
        shared = f"{dim.to.ref}" if isinstance(dim, Pointer) else f"{number}.{axis}"
        length = given.fresh(f"{hint(Batches(other, size, 0))}@{shared}")
        before = made[number]
        assert isinstance(before, Tensor) and before.shape is not None
        shape = (*before.shape[:axis], length, *before.shape[axis + 1 :])
        flat = before.strides == contiguous_strides(before.shape)
        strides = contiguous_strides(shape) if flat else None
        made[number] = before.but(shape=shape, strides=strides, id=None, storage=None)
    return tuple(made)


def _bound(obj: Obj | None, name: str) -> int | None:
    value = obj.attrs.get(name) if obj is not None else None
    return value.dim.number if isinstance(value, Num) else None


def _open(given: Given, args: tuple[Value, ...]) -> Iterator[tuple[int, Tensor, int, Value, int]]:
    """The axes of known length that must not be one length alone: number and tensor of the argument, axis,
    what was declared, and the length in the example.
    """
    for number, tensor, axis, dim in _declared(given, args):
        size = tensor.shape[axis].number if tensor.shape and axis < len(tensor.shape) else None
        obj = given.heap.get(dim.to) if isinstance(dim, Pointer) else None
        open_ = (obj is not None and obj.cls == DIM) or dim == Named(f"{DIM}.DYNAMIC")
        if size is not None and open_:
            yield number, tensor, axis, dim, size


def _declared(given: Given, args: tuple[Value, ...]) -> Iterator[tuple[int, Tensor, int, Value]]:
    """Each tensor with its number, an axis and what was declared of it."""
    obj = given.obj("dynamic_shapes")
    specs = given.list("dynamic_shapes")
    if obj is not None and obj.cls == "dict" and obj.items is not None:
        specs = obj.items[1::2]
    if specs is None or len(specs) != len(args):
        return
    for number, (tensor, spec) in enumerate(zip(args, specs, strict=True)):
        if isinstance(tensor, Tensor):
            yield from ((number, tensor, axis, dim) for axis, dim in _axes(given, spec))


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
