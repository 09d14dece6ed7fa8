"""numpy's choices among numbers, and rows of an array one by one."""

from __future__ import annotations

from typing import cast

from torchwise.domain.value import ANY, NONE, Many, Obj, Some, Tensor, Value
from torchwise.domain.verdict import FAILS
from torchwise.ops.array_shapes import of_row, one_array
from torchwise.ops.arrays import NUMBERS, UNKNOWN, array, joint_dtype, method, numpy
from torchwise.ops.creation import ARRAY, HELD, held
from torchwise.ops.operands import number_kind
from torchwise.ops.rows import Answer
from torchwise.ops.spec import Given, Made, Returns


def _same(dtype: str | None = None) -> Returns:
    """An array of the same shape; "?" is a dtype that is not known."""
    return one_array("torch.relu", "", lambda own: None if dtype == "?" else dtype or own)


def _clipped(given: Given) -> Answer:
    """Whole numbers between floats are floats."""
    if "out" in given:
        return given["out"]
    source = given.values.get("a", given.values.get("self", ANY))
    bounds = [given[n] for n in ("a_min", "a_max", "min", "max") if n in given and given[n] != NONE]
    return _same(_dtype(given, source, *bounds) or "?")(given)


def _of_second(given: Given) -> Answer:
    x = held(given, given["v"])
    return array(x.shape, "int64") if x is not None else UNKNOWN


def _dtype(given: Given, *values: Value) -> str | None:
    """Of a choice between arrays and numbers: numbers alone have their own."""
    arrays = [x.dtype for v in values if (x := held(given, v)) is not None]
    kinds = [number_kind(v) for v in values if held(given, v) is None]
    if None in kinds:
        return None
    if not arrays:
        return next((NUMBERS[k] for k in ("complex", "float", "int", "bool") if k in kinds), None)
    whole = all(d is not None and d.startswith(("int", "uint", "bool")) for d in arrays)
    return joint_dtype([*arrays, "float64"] if whole and "float" in kinds else arrays)


def _chosen(given: Given) -> Answer:
    condition, x, y = held(given, given["condition"]), given["x"], given["y"]
    if condition is None or "x" not in given:
        return UNKNOWN if "x" in given else ANY
    sides = {n: held(given, v) or v for n, v in (("input", x), ("other", y))}
    return of_row("torch.where", given, _dtype(given, x, y), condition=condition, **sides)


def _larger(given: Given) -> Answer:
    one, other = held(given, given["x1"]), held(given, given["x2"])
    if one is not None and other is not None:
        return of_row("torch.maximum", given, joint_dtype([one.dtype, other.dtype]), input=one, other=other)
    known = one if one is not None else other
    dtype = _dtype(given, given["x1"], given["x2"])
    return UNKNOWN if known is None else array(known.shape, dtype)


numpy("clip", "a a_min a_max out", _clipped)
method("clip", "min max out", _clipped)
method("round", "decimals", _same())
numpy("argsort", "a axis", _same("int64"))
method("argsort", "axis", _same("int64"))
numpy("digitize", "a bins right", _same("int64"))
numpy("searchsorted", "a v side", _of_second)
numpy("where", "condition x y", _chosen)
numpy("minimum maximum", "x1 x2", _larger)
numpy("unique", "a", lambda given: UNKNOWN)
method("fill", "value", lambda given: ANY, tags="")


def rows(given: Given) -> Answer:
    """What a loop over an array gets: an array over each row, or numbers."""
    x = held(given, given["self"])
    if x is None or not x.shape:
        return Many(ANY)
    if len(x.shape) == 1:
        return Many(Some("float" if (x.dtype or "").startswith("float") else "int") if x.dtype else ANY)
    strides = x.strides[1:] if x.strides is not None else None
    row = Tensor(x.shape[1:], strides, x.dtype, "cpu", FAILS)
    return Many(cast(Value, Made(Obj(ARRAY, {HELD: row}))))


method("__iter__", "", rows)
