"""numpy's choices among numbers, and rows of an array one by one."""

from __future__ import annotations

from typing import cast

from torchwise.domain.value import ANY, NONE, Items, Many, Obj, Tensor, Value
from torchwise.domain.verdict import FAILS
from torchwise.ops.array_operators import elementwise, together
from torchwise.ops.arrays import as_array, laid_out, method, number, numpy
from torchwise.ops.creation import ARRAY, HELD, held
from torchwise.ops.rows import Answer
from torchwise.ops.spec import Given, Made


def _clipped(given: Given) -> Answer:
    """Whole numbers between floats are floats."""
    if given.get("out", NONE) != NONE:
        return given["out"]
    names = ("a", "self", "a_min", "a_max", "min", "max")
    values = [given[name] for name in names if given.get(name, NONE) != NONE]
    return elementwise(given, values, lambda dtype: dtype)


def _chosen(given: Given) -> Answer:
    """Of two arrays, element by element; of a condition alone, where it holds."""
    if "x" not in given:
        return places(given)
    dtype = together(given, (given["x"], given["y"]))
    return elementwise(given, [given[name] for name in ("condition", "x", "y")], lambda _: dtype)


def places(given: Given) -> Answer:
    """As many arrays of indices as there are axes, all of one length."""
    x = as_array(given, given.values.get("condition", given.values.get("a", given["self"])))
    if x is None or not x.shape:
        return ANY
    one = laid_out((given.fresh("places"),), "int64", None)
    return Items(tuple([one for _ in x.shape]))  # type: ignore[misc]


numpy("clip", "a a_min a_max out", _clipped)
method("clip", "min max out", _clipped)
numpy("where", "condition x y", _chosen)
numpy("nonzero", "a", places)
method("nonzero", "", places)
method("fill", "value", lambda given: NONE, tags="")


def rows(given: Given) -> Answer:
    """What a loop over an array gets: an array over each row, or numbers."""
    x = held(given, given["self"])
    if x is None or not x.shape:
        return Many(ANY)
    if len(x.shape) == 1:
        return Many(number(x.dtype))
    strides = x.strides[1:] if x.strides is not None else None
    row = Tensor(x.shape[1:], strides, x.dtype, "cpu", FAILS)
    return Many(cast(Value, Made(Obj(ARRAY, {HELD: row}))))


method("__iter__", "", rows)
