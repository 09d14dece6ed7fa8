"""Python's comparisons and tests: `<`, `==`, `is`, `not`, and what is true."""

from __future__ import annotations

import operator
from collections.abc import Callable

from torchwise.domain.device import is_choice, same_device
from torchwise.domain.dim import Dim
from torchwise.domain.nature import LEAF_GRADIENT
from torchwise.domain.value import (
    ANY,
    Const,
    Device,
    Dtype,
    Items,
    Num,
    Pointer,
    ShapeOf,
    Some,
    Tensor,
    Value,
)
from torchwise.domain.verdict import Verdict, opposite
from torchwise.ops.arithmetic import BOOL, SOURCE, is_tensor, known, of_constant, truth
from torchwise.ops.array_dtypes import real
from torchwise.ops.array_operators import on_array, on_arrays
from torchwise.ops.axis_arguments import dtype_named
from torchwise.ops.operands import number_kind
from torchwise.ops.rows import Answer
from torchwise.ops.spec import OPS, Given, Op, Returns, op

COMPARISONS: tuple[tuple[str, str, Callable[[Dim, Dim], Verdict]], ...] = (
    ("lt", "torch.lt", lambda a, b: a.less_than(b)),
    ("le", "torch.le", lambda a, b: opposite(b.less_than(a))),
    ("gt", "torch.gt", lambda a, b: b.less_than(a)),
    ("ge", "torch.ge", lambda a, b: opposite(a.less_than(b))),
    ("eq", "torch.eq", lambda a, b: a.same_as(b)),
    ("ne", "torch.ne", lambda a, b: opposite(a.same_as(b))),
)


def _no_operand(value: Value) -> bool:
    """What a tensor is never equal to."""
    return isinstance(value, Dtype | Device) or (
        isinstance(value, Const) and isinstance(value.value, str | None)
    )


def compared(name: str, tensors: Op, on_dims: Callable[[Dim, Dim], Verdict]) -> Returns:
    def returns(given: Given) -> Answer:
        a, b = given["input"], given["other"]
        if is_tensor(a, b):
            if a is ANY:
                return ANY
            if name in ("eq", "ne") and any(_no_operand(v) for v in (a, b)):
                return Const(name == "ne")  # a tensor is no string, and not None
            return tensors.returns(given)
        if isinstance(a, Num) and isinstance(b, Num):
            return truth(on_dims(a.dim, b.dim))
        one, other = known(a), known(b)
        if one is not ... and other is not ...:
            return _on_constants(name, one, other)
        arrays = on_arrays(name, given, a, b)
        if arrays is not None:
            return arrays
        if name in ("eq", "ne"):
            same = equal(given, a, b)
            return truth(same if name == "eq" else opposite(same)) if same is not None else ANY
        return BOOL if number_kind(a) and number_kind(b) else ANY

    return returns


def _on_constants(name: str, a: object, b: object) -> Value:
    try:
        return Const(bool(getattr(operator, name)(a, b)))
    except TypeError:
        return ANY


def equal(given: Given, a: Value, b: Value) -> Verdict | None:
    """Whether two values that are no tensors are equal; None where not even a bool is certain."""
    if isinstance(a, Items) and isinstance(b, Items):
        if len(a.items) != len(b.items):
            return Verdict.FAILS
        parts = [_equal_parts(given, x, y) for x, y in zip(a.items, b.items)]
        if Verdict.FAILS in parts:
            return Verdict.FAILS
        return Verdict.HOLDS if all(p is Verdict.HOLDS for p in parts) else Verdict.UNKNOWN
    if isinstance(a, Dtype) or isinstance(b, Dtype):
        one, other = dtype_named(a), dtype_named(b)
        return Verdict.UNKNOWN if one is None or other is None else Verdict.of(one == other)
    if isinstance(a, Device) and isinstance(b, Device):
        if is_choice(a.name) or is_choice(b.name):
            return Verdict.UNKNOWN
        return (
            Verdict.of(same_device(a.name, b.name)) if ":" in a.name + b.name or a != b else Verdict.UNKNOWN
        )
    simple = (Const, Num, Some, Dtype, Device, Items, ShapeOf)
    if isinstance(a, simple) and isinstance(b, simple):
        return Verdict.UNKNOWN
    return None


def _equal_parts(given: Given, a: Value, b: Value) -> Verdict:
    if isinstance(a, Num) and isinstance(b, Num):
        return a.dim.same_as(b.dim)
    one, other = known(a), known(b)
    return Verdict.of(one == other) if one is not ... and other is not ... else Verdict.UNKNOWN


for _name, _path, _on_dim in COMPARISONS:
    op(
        f"operator.{_name}",
        params="input other",
        returns=compared(_name, OPS[_path], _on_dim),
        grad="cut",
        name=OPS[_path].name,
        source=SOURCE,
    )


def _negative(given: Given) -> Answer:
    a = given["input"]
    if isinstance(a, Tensor):
        return OPS["torch.neg"].returns(given)
    if isinstance(a, Num):
        return Num(-a.dim)
    value = known(a)
    if isinstance(value, bool | float | complex):
        return of_constant(-value)
    kind = number_kind(a)
    if isinstance(a, Some) and a.dtype == "?":
        return a if kind != "bool" else ANY
    return on_array(given, a) or (Some("int" if kind == "bool" else kind) if kind else ANY)


def _positive(given: Given) -> Answer:
    a = given["input"]
    if isinstance(a, Num | Tensor) or number_kind(a) in ("float", "int"):
        return a
    return on_array(given, a) or ANY


def _inverted(given: Given) -> Answer:
    a = given["input"]
    if isinstance(a, Tensor):
        return OPS["torch.bitwise_not"].returns(given)
    if isinstance(a, Some) and a.dtype == "?":
        return a if a.kind == "int" else ANY
    arrays = on_array(given, a)
    if arrays is not None:
        return arrays
    return (
        Num(-a.dim - 1) if isinstance(a, Num) else Some("int") if number_kind(a) in ("int", "bool") else ANY
    )


def _absolute(given: Given) -> Answer:
    a = given["input"]
    if isinstance(a, Tensor):
        return OPS["torch.abs"].returns(given)
    return on_array(given, a, real) or ANY


for _name, _does, _called in (
    ("neg", _negative, "neg"),
    ("pos", _positive, "positive"),
    ("invert", _inverted, "bitwise_not"),
    ("inv", _inverted, "bitwise_not"),
    ("abs", _absolute, "abs"),
):
    op(
        f"operator.{_name}",
        params="input",
        returns=_does,
        name=_called,
        source=SOURCE,
        saves="input" if _name == "abs" else "",
    )


def truth_of(given: Given, value: Value) -> Verdict:
    """Whether python takes a value as true. Objects of unknown classes may say anything."""
    constant = known(value)
    if constant is not ...:
        return Verdict.of(bool(constant))
    match value:
        case Num(dim):
            return opposite(dim.same_as(0))
        case Items(items):
            return Verdict.of(bool(items))
        case Pointer(to) if to in given.heap and given.heap[to].cls in ("list", "dict", "set"):
            held = given.heap[to].items
            return Verdict.UNKNOWN if held is None else Verdict.of(bool(held))
        case Dtype() | Device():
            return Verdict.HOLDS
    return Verdict.UNKNOWN


op(
    "operator.not_",
    params="input",
    returns=lambda given: truth(opposite(truth_of(given, given["input"]))),
    grad="cut",
    source=SOURCE,
)
op(
    "operator.truth",
    params="input",
    returns=lambda given: truth(truth_of(given, given["input"])),
    grad="cut",
    source=SOURCE,
)


def same_object(a: Value, b: Value) -> Verdict:
    """`a is b`, as far as it does not depend on how python shares small objects."""
    none = Const(None)
    if none in (a, b):
        other = b if a == none else a
        if other == none:
            return Verdict.HOLDS
        if isinstance(other, Tensor) and other.nature == LEAF_GRADIENT:
            return Verdict.UNKNOWN  # cleared, or never filled
        certain = (Tensor, Num, Items, Dtype, Device, Pointer, ShapeOf, Some, Const)
        return Verdict.FAILS if isinstance(other, certain) else Verdict.UNKNOWN
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Const) and isinstance(one.value, bool):
            constant = known(other)
            if constant is not ...:
                return Verdict.of(constant is one.value)
            either = isinstance(other, Some) and other.kind == "bool" and other.dtype in ("", "?")
            return Verdict.UNKNOWN if other is ANY or either else Verdict.FAILS
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        return Verdict.HOLDS if a == b else Verdict.UNKNOWN
    if isinstance(a, Dtype) and isinstance(b, Dtype):
        return Verdict.of(a == b)
    return Verdict.UNKNOWN


op(
    "operator.is_",
    params="input other",
    returns=lambda given: truth(same_object(given["input"], given["other"])),
    grad="cut",
    source=SOURCE,
)
op(
    "operator.is_not",
    params="input other",
    returns=lambda given: truth(opposite(same_object(given["input"], given["other"]))),
    grad="cut",
    source=SOURCE,
)
