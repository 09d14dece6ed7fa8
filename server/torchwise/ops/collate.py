"""What `default_collate` makes of examples: tensors with the number of examples as their first axis."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.nature import ANY_ORDER
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import ANY, Const, Items, Many, Num, Obj, Pointer, Some, Tensor, Value
from torchwise.domain.verdict import FAILS, HOLDS
from torchwise.ops.creation import held
from torchwise.ops.data_workers import shuffles
from torchwise.ops.layers import part
from torchwise.ops.spec import Given


def collated(given: Given, one: Value, size: Dim) -> Value:
    """What default_collate makes of `size` examples like this one."""
    array = held(given, one)
    one = one if array is None else array
    match one:
        case Tensor(shape=shape):
            if shape is None:
                return Tensor(None, None, one.dtype, one.device, FAILS, HOLDS)
            whole = (size, *shape)
            return Tensor(whole, contiguous_strides(whole), one.dtype, one.device, FAILS, HOLDS)
        case Items(items, "tuple"):
            return Items(tuple(collated(given, item, size) for item in items), "list")
        case Pointer(to) if to in given.heap and given.heap[to].items is not None:
            return _collated_object(given, given.heap[to], size)
        case Num() | Some("int"):
            order = ANY_ORDER if shuffles(given.obj()) else None
            return Tensor((size,), (Dim.of(1),), "int64", "cpu", FAILS, HOLDS, nature=order)
        case Const(bool()) | Some("bool"):
            return Tensor((size,), (Dim.of(1),), "bool", "cpu", FAILS, HOLDS)
        case Const(float()) | Some("float"):
            return Tensor((size,), (Dim.of(1),), "float64", "cpu", FAILS, HOLDS)
        case Some("str") | Const(str()):
            return Many(Some("str"), "list")
        case Some("list"):  # each place of the lists on its own
            return Many(ANY, "list")
    return ANY


def _collated_object(given: Given, one: Obj, size: Dim) -> Value:
    """Of lists and dicts, element by element; the keys of a dict stay."""
    items = one.items or ()
    if one.cls == "list":
        return Items(tuple(collated(given, item, size) for item in items), "list")
    if one.cls != "dict":
        return ANY
    batch = [v if i % 2 == 0 else collated(given, v, size) for i, v in enumerate(items)]
    return part(Obj("dict", items=tuple(batch)))
