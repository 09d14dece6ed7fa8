"""Numbers from builtin functions: lengths, ranges, conversions, sums. What is known stays exact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from torchwise.domain.dim import Dim
from torchwise.domain.shape import numel
from torchwise.domain.value import (
    ANY,
    LENGTH,
    NONE,
    Const,
    Items,
    Many,
    Num,
    Obj,
    Pointer,
    Some,
    Tensor,
    Value,
)
from torchwise.ops.array_dtypes import real
from torchwise.ops.array_operators import on_array
from torchwise.ops.iterables import asked, covering, elements
from torchwise.ops.operands import number_kind
from torchwise.ops.rows import Answer
from torchwise.ops.spec import OPS, Broken, Given, Outcome, Returns

LONGEST_RANGE = 64


def length_of(given: Given) -> Value | Outcome:
    value = given["obj"]
    match value:
        case Items(items):
            return Num(Dim.of(len(items)))
        case Const(str(text)):
            return Num(Dim.of(len(text)))
        case Tensor(shape=shape) if shape is not None:
            if shape:
                return Num(shape[0])
            return Outcome(
                Some("int"), (Broken("rank", "obj", wanted="at least 1-d", got="0-d", because=value),)
            )
        case Pointer(to) if to in given.heap:
            return _len_of(given, value, given.heap[to])
    return Some("int")


def _len_of(given: Given, value: Value, obj: Obj) -> Value:
    if obj.cls in ("list", "set", "dict", "collections.OrderedDict"):
        if obj.items is None:
            length = obj.marks.get(LENGTH)
            return length if isinstance(length, Num) and obj.cls == "list" else Some("int")
        return Num(Dim.of(len(obj.items) // (1 if obj.cls in ("list", "set") else 2)))
    for cls in (obj.cls, *obj.bases):
        row = OPS.get(f"{cls}.__len__")
        if row is not None:
            found = asked(given, row.name, row.returns, {"self": value})
            return found if isinstance(found, Value) else ANY
    return Some("int")


def range_of(given: Given) -> Value:
    """Known numbers, or any number of numbers."""
    args = given.list("args") or ((given["args"],) if "args" in given else ())
    dims = [a.dim if isinstance(a, Num) else None for a in args]
    each = Num(given.fresh("range"))
    if not dims or None in dims or len(dims) > 3:
        return Many(each, "range")
    numbers = [d.number for d in dims if d is not None]
    if any(n is None for n in numbers) or (len(numbers) == 3 and numbers[2] == 0):
        return Many(
            each, "range", dims[-1] if len(dims) == 1 or (len(dims) == 2 and numbers[0] == 0) else None
        )
    counted = range(*numbers)  # type: ignore[arg-type]
    if len(counted) > LONGEST_RANGE:
        return Many(each, "range")
    return Items(tuple(Num(Dim.of(i)) for i in counted), "range")


def one_element(of: Callable[[Given], Value]) -> Returns:
    """Only a tensor of one element has a number, or says yes or no."""

    def returns(given: Given) -> Value | Outcome:
        x = given.get("x")
        count = numel(x.shape).number if isinstance(x, Tensor) and x.shape is not None else None
        if count is None or count < 2:
            return of(given)
        return Outcome(of(given), (Broken("one-element", "x", wanted=1, got=count, because=x),))

    return returns


def int_of(given: Given) -> Value:
    match given.get("x", Num(Dim.of(0))):
        case Num() as number:
            return number
        case Const(bool() | float() as value) if value == value and abs(value) != float("inf"):
            return Num(Dim.of(int(value)))
        case Const(str(text)) if text.strip().lstrip("+-").isdecimal():
            return Num(Dim.of(int(text)))
        case Tensor(id=site):
            return Some("int", site)
        case Some(of=site):
            return Some("int", site)
    return Some("int")


def float_of(given: Given) -> Value:
    match given.get("x", Const(0.0)):
        case Num(dim) if dim.number is not None:
            return Const(float(dim.number))
        case Const(bool() | float() as value):
            return Const(float(value))
        case Const(str(text)):
            try:
                return Const(float(text))
            except ValueError:
                return Some("float")
        case Tensor(id=site):
            return Some("float", site)
        case Some(of=site):
            return Some("float", site)
    return Some("float")


def bool_of(given: Given) -> Value:
    match given.get("x", Const(False)):
        case Const(value):
            return Const(bool(value))
        case Num(dim) if dim.number is not None:
            return Const(dim.number != 0)
        case Items(items):
            return Const(bool(items))
        case Tensor(id=site):
            return Some("bool", site)
    return Some("bool")


def str_of(given: Given) -> Value:
    match given.get("object", Const("")):
        case Const(str() | bool() | None as value):
            return Const(str(value))
        case Num(dim) if dim.number is not None:
            return Const(str(dim.number))
    return Some("str")


def abs_of(given: Given) -> Answer:
    match given["x"]:
        case Num(dim):
            return Num(Dim.of(abs(dim.number))) if dim.number is not None else Some("int")
        case Const(float() | int() as value):
            return Const(abs(value))
        case Some("int" | "float", dtype="?") as number:
            return number
        case Some("int" | "float" as kind, dtype=""):
            return Some(kind)
        case Tensor() as x:
            row = OPS.get("Tensor.abs")
            found = ANY if row is None else asked(given, row.name, row.returns, {row.params[0]: x})
            return found if isinstance(found, Value) else Tensor()
    return on_array(given, given["x"], real) or ANY


def round_of(given: Given) -> Value:
    places = given.get("ndigits", NONE)
    match given["number"]:
        case Num() as number if places == NONE:
            return number
        case Const(float(value)) if abs(value) < 1e15:
            digits = given.const("ndigits", None)
            if digits is None:
                return Num(Dim.of(round(value)))
            return Const(round(value, digits)) if isinstance(digits, int) else Some("float")
        case Some("float" | "int" as kind, dtype=dtype) if places == NONE or not dtype:
            return Some("int" if places == NONE else kind)
        case Some() as number if number.dtype:
            return number
    return ANY


def extreme_of(which: str) -> Returns:
    """min or max of an iterable, or of several arguments."""
    choose = min if which == "min" else max

    def returns(given: Given) -> Value | Outcome:
        args = given.list("args") or ((given["args"],) if "args" in given else ())
        many = next((a for a in args if isinstance(a, Tensor) and several(a)), None)
        if len(args) > 1 and many is not None and "key" not in given:
            count = numel(many.shape or ())
            return Outcome(ANY, (Broken("one-element", "args", wanted=1, got=count, because=many),))
        found = elements(given, args[0]) if len(args) == 1 else args
        if isinstance(found, Many) or "key" in given or not found:
            kind = covering(found) if found else ANY
            return kind if isinstance(kind, Some) else Some("int") if isinstance(kind, Num) else ANY
        if all(isinstance(v, Num) and v.dim.number is not None for v in found):
            return Num(Dim.of(choose(v.dim.number for v in found)))  # type: ignore[attr-defined]
        dtype = "?" if any(isinstance(v, Some) and v.dtype for v in found) else ""
        if all(isinstance(v, Num) or (isinstance(v, Some) and v.kind == "int") for v in found):
            return found[0] if all(v == found[0] for v in found) else Some("int", dtype=dtype)
        if all(isinstance(v, Const) and isinstance(v.value, float) for v in found):
            return Const(choose(v.value for v in found))  # type: ignore[attr-defined]
        numbers = all(isinstance(v, Num | Some | Const) for v in found)
        if dtype and any(number_kind(v) != "float" for v in found):
            return ANY
        return Some("float", dtype=dtype) if numbers and all(_is_number(v) for v in found) else ANY

    return returns


def several(x: Tensor) -> bool:
    """Whether it certainly has more than one element."""
    count = numel(x.shape) if x.shape else None
    return count is not None and count.number is not None and count.number > 1


def _is_number(value: Value) -> bool:
    match value:
        case Num() | Some("int" | "float"):
            return True
        case Const(constant):
            return isinstance(constant, int | float)
    return False


def sum_of(given: Given) -> Value:
    """`start + a + b ...`, as the operator has it."""
    found = elements(given, given["iterable"])
    total = given.get("start", Num(Dim.of(0)))
    if isinstance(found, Many):
        each = found.each
        if isinstance(total, Tensor) and isinstance(each, Tensor):
            return _grown(given, total, each)
        return (
            Some("int")
            if isinstance(each, Num)
            else each
            if isinstance(each, Some) and _is_number(each)
            else ANY
        )
    row = OPS.get("operator.add")
    for value in found:
        if isinstance(total, Num) and isinstance(value, Num):
            total = Num(total.dim + value.dim)
            continue
        if row is None:
            return ANY
        added = asked(given, row.name, row.returns, dict(zip(row.params, (total, value))))
        total = added if isinstance(added, Value) else ANY
    return total


def _grown(given: Given, total: Tensor, each: Tensor) -> Value:
    """A tensor and any number of others: of its shape, where theirs do not make it larger."""
    row = OPS["operator.add"]
    added = asked(given, row.name, row.returns, dict(zip(row.params, (total, each))))
    same = isinstance(added, Tensor) and added.shape == total.shape and added.dtype == total.dtype
    return added if same else Tensor()  # type: ignore[return-value]


def any_of(given: Given) -> Value:
    return _settled(given, True)


def all_of(given: Given) -> Value:
    return _settled(given, False)


def _settled(given: Given, by: bool) -> Value:
    """Decided by one element that is so, or by all that are not."""
    items = given.list("iterable")
    if items is None:
        each = given["iterable"]
        same = isinstance(each, Many) and bool_of(replace(given, values={"x": each.each})) == Const(not by)
        return Const(not by) if same else Some("bool")
    truths = [bool_of(replace(given, values={"x": item})) for item in items]
    if Const(by) in truths:
        return Const(by)
    return Const(not by) if all(truth == Const(not by) for truth in truths) else Some("bool")
