"""Python's operators on numpy's arrays: arithmetic, comparisons, `@`, and indexing."""

from __future__ import annotations

from dataclasses import replace

from torchwise.domain.dtype import category
from torchwise.domain.shape import broadcast
from torchwise.domain.value import ANY, Const, Items, Num, Obj, Slice, Some, Tensor, Value
from torchwise.domain.verdict import FAILS
from torchwise.ops.array_shapes import of_row
from torchwise.ops.array_strides import backwards, turned_axes
from torchwise.ops.arrays import NUMBERS, UNKNOWN, array, floating, joint_dtype, method, number_of, numpy
from torchwise.ops.creation import ARRAY, HELD, held
from torchwise.ops.operands import number_kind
from torchwise.ops.rows import Answer, result_and_broken
from torchwise.ops.spec import OPS, Given, Made


def on_arrays(name: str, given: Given, a: Value, b: Value) -> Answer | None:
    """An operator of arrays, or of an array and a number; None where neither is an array."""
    one, other = held(given, a), held(given, b)
    if one is None and other is None:
        return (
            UNKNOWN if UNKNOWN in (a, b) and not isinstance(a, Tensor) and not isinstance(b, Tensor) else None
        )
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return ANY
    kinds = number_kind(a), number_kind(b)
    if (one is None and kinds[0] is None) or (other is None and kinds[1] is None):
        return UNKNOWN
    shapes = [t.shape if t is not None else () for t in (one, other)]
    dtype = _arithmetic_dtype(name, one, other, kinds[0] or kinds[1])
    if shapes[0] is None or shapes[1] is None:
        return array(None, dtype)
    shape, clash = broadcast((shapes[0], shapes[1]))
    return array(None if clash is not None else shape, dtype)


def product_of_arrays(given: Given, a: Value, b: Value) -> Answer:
    """`a @ b`; of two vectors it is one number."""
    one, other = held(given, a), held(given, b)
    if one is None or other is None:
        return UNKNOWN if UNKNOWN in (a, b) else ANY
    dtype = joint_dtype((one.dtype, other.dtype))
    if one.shape is not None and other.shape is not None and len(one.shape) == len(other.shape) == 1:
        return Some(number_of(dtype)) if dtype is not None else ANY
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


def _arithmetic_dtype(name: str, one: Tensor | None, other: Tensor | None, kind: str | None) -> str | None:
    if name in COMPARISONS:
        return "bool"
    if one is not None and other is not None:
        dtype = joint_dtype((one.dtype, other.dtype))
    else:
        single = one or other
        dtype = None if single is None else single.dtype
        if dtype is not None and kind is not None and category(NUMBERS[kind]) > category(dtype):
            dtype = NUMBERS[kind] if kind != "complex" else None
    return floating(dtype) if name == "truediv" else dtype


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
        return Some(number_of(x.dtype)) if x.dtype is not None else ANY
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
