"""Python's operators on numpy's arrays: arithmetic, comparisons, `@`, and indexing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import ANY, Const, Items, Num, Obj, Pointer, Slice, Tensor, Value
from torchwise.domain.verdict import FAILS
from torchwise.ops.array_dtypes import Convert, floating, joint_dtype, with_number
from torchwise.ops.array_shapes import of_row
from torchwise.ops.array_strides import backwards, turned_axes
from torchwise.ops.arrays import (
    UNKNOWN,
    array,
    as_array,
    broadcast_of,
    is_whole,
    laid_out,
    method,
    number,
    numpy,
)
from torchwise.ops.creation import ARRAY, HELD, held
from torchwise.ops.operands import number_kind
from torchwise.ops.rows import Answer, result_and_broken
from torchwise.ops.spec import OPS, Given, Made


def on_arrays(name: str, given: Given, a: Value, b: Value) -> Answer | None:
    """An operator of arrays, or of an array and a number; None where neither is one of numpy's."""
    one, other = held(given, a), held(given, b)
    if one is None and other is None:
        return (
            UNKNOWN if UNKNOWN in (a, b) and not isinstance(a, Tensor) and not isinstance(b, Tensor) else None
        )
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return ANY
    return elementwise(given, (a, b), lambda dtype: _dtype_of(name, dtype))


def elementwise(given: Given, values: Sequence[Value], convert: Convert) -> Answer:
    """One array of what is broadcast together; a number, where all are numbers."""
    found = [_operand(given, value) for value in values]
    known = [x for x in found if x is not None]
    if len(known) < len(found) or not known:
        return UNKNOWN
    dtype = convert(together(given, values))
    shape = broadcast_of([x.shape for x in known])
    if shape == ():
        return number(dtype)
    whole = shape is not None and all(is_whole(x) for x in known)
    return laid_out(shape, dtype, contiguous_strides(shape) if whole and shape is not None else None)


def _operand(given: Given, value: Value) -> Tensor | None:
    """An array, or what numpy makes of a list; of a number as well, if it may be one of either kind."""
    if held(given, value) is None and number_kind(value) is not None:
        return Tensor((), ())
    return as_array(given, value)


def together(given: Given, values: Sequence[Value]) -> str | None:
    """The dtype that arrays and numbers are promoted to."""
    plain = [v for v in values if held(given, v) is None and number_kind(v) is not None]
    arrays = [as_array(given, v) for v in values if v not in plain]
    if not arrays:
        numbers = [as_array(given, v) for v in plain]
        return joint_dtype([None if x is None else x.dtype for x in numbers])
    dtype = joint_dtype([None if x is None else x.dtype for x in arrays])
    for value in plain:
        dtype = with_number(dtype, value)
    return dtype


def product_of_arrays(given: Given, a: Value, b: Value) -> Answer:
    """`a @ b`; of two vectors it is one number."""
    one, other = held(given, a), held(given, b)
    if one is None or other is None:
        return UNKNOWN if UNKNOWN in (a, b) else ANY
    dtype = joint_dtype((one.dtype, other.dtype))
    if one.shape is not None and other.shape is not None and len(one.shape) == len(other.shape) == 1:
        return number(dtype)
    same = (replace(one, dtype="float64"), replace(other, dtype="float64"))
    return of_row("torch.matmul", given, dtype, input=same[0], other=same[1])


numpy("matmul", "a b", lambda given: product_of_arrays(given, given["a"], given["b"]))


def _dot(given: Given) -> Answer:
    """Of matrices and vectors it is their product."""
    ranks = [
        len(x.shape) if x is not None and x.shape is not None else 9
        for x in (held(given, given["a"]), held(given, given["b"]))
    ]
    return product_of_arrays(given, given["a"], given["b"]) if max(ranks) <= 2 else UNKNOWN


numpy("dot", "a b", _dot)

COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


def _dtype_of(name: str, dtype: str | None) -> str | None:
    """The dtype of the result, by what the operands are promoted to."""
    if name in COMPARISONS:
        return "bool"
    if name == "truediv":
        return floating(dtype)
    return None if dtype == "bool" and name not in ("add", "mul", "and_", "or_", "xor") else dtype


def on_array(given: Given, value: Value, convert: Convert = lambda dtype: dtype) -> Answer | None:
    """An operator of one array: `-x`; None where it is none."""
    return None if held(given, value) is None else elementwise(given, (value,), convert)


def written_into(given: Given, target: Value) -> bool:
    """`x += y` leaves an array what and where it is; a number of numpy's is replaced."""
    x = held(given, target)
    return x is not None and isinstance(target, Pointer)


def _get(given: Given) -> Answer:
    """Indexing as for tensors, but a negative step is allowed, and one element is a number."""
    x = held(given, given["self"])
    if x is None:
        return ANY
    parts = given["index"].items if isinstance(given["index"], Items) else (given["index"],)
    index = Items(tuple([_index(given, part) for part in parts]))
    found = OPS["operator.getitem"].returns(Given({"self": x, "index": index}, given.heap, site=given.site))
    made, broken = result_and_broken(found)
    if not isinstance(made, Tensor) or broken or made.shape is None:
        return array(None, x.dtype)
    if not made.shape:
        return number(x.dtype)
    strides = backwards(made.strides, turned_axes(parts, len(x.shape or ())))
    seen = replace(made, strides=strides, dtype=x.dtype, device="cpu", requires_grad=FAILS, storage=None)
    return Made(Obj(ARRAY, {HELD: seen}))


def _index(given: Given, part: Value) -> Value:
    """An array among the indices as the tensor in it; a whole axis backwards as one forwards."""
    inner = held(given, part)
    if inner is not None:
        return inner
    if isinstance(part, Slice) and part.start == part.stop == Const(None) and isinstance(part.step, Num):
        if part.step.dim.less_than(0).holds:
            return Slice(part.start, part.stop, Num(-part.step.dim))
    return part


method("__getitem__", "index", _get)
