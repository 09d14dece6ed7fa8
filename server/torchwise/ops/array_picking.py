"""Elements of numpy's arrays by their place or their value: sorting, taking, sets, and indices."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.shape import numel
from torchwise.domain.value import ANY, NONE, Items, Num, Shape, Tensor, Value
from torchwise.ops.array_dtypes import asked, joint_dtype
from torchwise.ops.array_operators import elementwise, together
from torchwise.ops.arrays import (
    UNKNOWN,
    array,
    as_array,
    broadcast_of,
    is_whole,
    kept,
    laid_out,
    method,
    number,
    numpy,
    result,
    sizes,
)
from torchwise.ops.axis_arguments import is_none
from torchwise.ops.rows import Answer
from torchwise.ops.spec import Given, Returns


def source(given: Given) -> Tensor | None:
    """The array that a function is asked about, or whose method it is."""
    return as_array(given, given.values.get("a", given["self"]))


def axis_of(given: Given, rank: int, default: int | None = None) -> int | None:
    """An axis counted from the first; None where it is not known."""
    axis = given.int("axis", default)
    return axis % rank if axis is not None and -rank <= axis < rank else None


def flat(x: Tensor, dtype: str | None) -> Answer:
    return array(None if x.shape is None else (numel(x.shape),), dtype)


def tuple_of(*parts: Answer) -> Value:
    """Several results of one call."""
    return Items(parts)  # type: ignore[arg-type]


# Order


def _sorted(given: Given) -> Answer:
    """A copy; without an axis of all elements in one row."""
    x = source(given)
    if x is None:
        return UNKNOWN
    return flat(x, x.dtype) if given.get("axis") == NONE else kept(x, x.dtype)


def _order(given: Given) -> Answer:
    x = source(given)
    if x is None:
        return array(None, "int64")
    if given.get("axis") == NONE:
        return flat(x, "int64")
    return laid_out(x.shape, "int64", x.strides if is_whole(x) else None)


numpy("sort", "a axis kind order stable", _sorted)
numpy("partition", "a kth axis kind order", _sorted)
numpy("argsort", "a axis kind order stable", _order)
numpy("argpartition", "a kth axis kind order", _order)
method("argsort", "axis kind order stable", _order)
method("argpartition", "kth axis kind order", _order)
method("sort", "axis kind order stable", lambda given: NONE, tags="")
method("partition", "kth axis kind order", lambda given: NONE, tags="")


def _shaped_as(name: str, dtype: str) -> Returns:
    """As many answers as there are questions; of one number it is a number."""

    def returns(given: Given) -> Answer:
        x = as_array(given, given[name])
        return array(None, dtype) if x is None else result(x.shape, dtype)

    return returns


numpy("digitize", "x bins right", _shaped_as("x", "int64"))
numpy("searchsorted", "a v side sorter", _shaped_as("v", "int64"))
method("searchsorted", "v side sorter", _shaped_as("v", "int64"))
numpy("isin", "element test_elements assume_unique invert", _shaped_as("element", "bool"))


# Elements by their place


def _taken(given: Given) -> Answer:
    """Indices in the place of one axis; without an axis, among all elements."""
    x, indices = source(given), as_array(given, given["indices"])
    if x is None or indices is None or x.shape is None or indices.shape is None:
        return UNKNOWN if x is None else array(None, x.dtype)
    if is_none(given, "axis"):
        return result(indices.shape, x.dtype)
    axis = axis_of(given, len(x.shape))
    if axis is None:
        return array(None, x.dtype)
    return result((*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]), x.dtype)


def _taken_along(given: Given) -> Answer:
    """One axis as long as the indices are; the others are broadcast."""
    x, indices = as_array(given, given["arr"]), as_array(given, given["indices"])
    if x is None or indices is None or x.shape is None or indices.shape is None:
        return UNKNOWN if x is None else array(None, x.dtype)
    if given.get("axis") == NONE:
        return array(indices.shape, x.dtype)
    axis = axis_of(given, len(x.shape), -1)
    if axis is None or len(x.shape) != len(indices.shape):
        return array(None, x.dtype)
    replaced = (*x.shape[:axis], indices.shape[axis], *x.shape[axis + 1 :])
    return array(broadcast_of((replaced, indices.shape)), x.dtype)


def _compressed(given: Given) -> Answer:
    x = source(given)
    if x is None or x.shape is None or is_none(given, "axis"):
        return UNKNOWN if x is None else array((given.fresh("kept"),), x.dtype)
    axis = axis_of(given, len(x.shape))
    shape = None if axis is None else (*x.shape[:axis], given.fresh("kept"), *x.shape[axis + 1 :])
    return array(shape, x.dtype)


def _selected(given: Given) -> Answer:
    conditions, choices = given.list("condlist"), given.list("choicelist")
    if not conditions or not choices:
        return UNKNOWN
    dtype = together(given, (*choices, given.get("default", Num(Dim.of(0)))))
    return elementwise(given, (*conditions, *choices), lambda _: dtype)


numpy("take", "a indices axis out mode", _taken)
method("take", "indices axis out mode", _taken)
numpy("take_along_axis", "arr indices axis", _taken_along)
numpy("compress", "condition a axis out", _compressed)
method("compress", "condition axis out", _compressed)
numpy("extract", "condition a", _compressed)
numpy("select", "condlist choicelist default", _selected)


def _where_each(given: Given) -> Answer:
    x = source(given)
    rank = Dim.of(len(x.shape)) if x is not None and x.shape else given.fresh("rank")
    return laid_out((given.fresh("places"), rank), "int64", None)


numpy("argwhere", "a", _where_each)
numpy("flatnonzero", "a", lambda given: array((given.fresh("places"),), "int64"))


# Sets


def _unique(given: Given) -> Answer:
    """The values, and what is asked for: their first places, which of them each was, how often each is."""
    x = as_array(given, given["ar"])
    flags = [given.const(name, False) for name in ("return_index", "return_inverse", "return_counts")]
    if ... in flags:
        return ANY
    count = (given.fresh("unique"),)
    along = not is_none(given, "axis")
    values = UNKNOWN if x is None else array(None if along else count, x.dtype)
    if not any(flags):
        return values
    row = x is not None and x.shape is not None and len(x.shape) == 1
    inverse = x.shape if x is not None and row else None
    parts = [array(shape, "int64") for shape, asked in zip((count, inverse, count), flags) if asked]
    return tuple_of(values, *parts)


def _set_of(*names: str) -> Returns:
    def returns(given: Given) -> Answer:
        found = [as_array(given, given[name]) for name in names]
        dtype = joint_dtype([None if x is None else x.dtype for x in found])
        return ANY if "return_indices" in given else array((given.fresh("set"),), dtype)

    return returns


numpy("unique", "ar return_index return_inverse return_counts axis equal_nan", _unique)
numpy("union1d setxor1d", "ar1 ar2", _set_of("ar1", "ar2"))
numpy("intersect1d", "ar1 ar2 assume_unique return_indices", _set_of("ar1", "ar2"))
numpy("setdiff1d", "ar1 ar2 assume_unique", _set_of("ar1"))


# Indices


def _triangle(lower: bool) -> Returns:
    """The places in a triangle of a matrix."""

    def returns(given: Given) -> Answer:
        n, k = given.int("n"), given.int("k", 0)
        m = n if is_none(given, "m") else given.int("m")
        size = given.fresh("triangle")
        if n is not None and m is not None and k is not None and 0 <= n * m < 10**6:
            below = sum(max(0, min(m, row + k + (1 if lower else 0))) for row in range(n))
            size = Dim.of(below if lower else n * m - below)
        one = laid_out((size,), "int64", None)
        return tuple_of(one, one)

    return returns


def _unravelled(given: Given) -> Answer:
    where, shape = as_array(given, given["indices"]), given.dims("shape")
    if where is None or shape is None:
        return ANY
    one = number("int64") if where.shape == () else laid_out(where.shape, "int64", None)
    return tuple_of(*[one for _ in shape])


def _grid(given: Given) -> Answer:
    """Every place of an array, as many arrays as it has axes."""
    shape: Shape | None = sizes(given, "dimensions")
    if given.const("sparse", False) is not False:
        return ANY
    return array(None if shape is None else (Dim.of(len(shape)), *shape), asked(given, "int64"))


numpy("triu_indices", "n k m", _triangle(False))
numpy("tril_indices", "n k m", _triangle(True))
numpy("unravel_index", "indices shape order", _unravelled)
numpy("indices", "dimensions dtype sparse", _grid)
