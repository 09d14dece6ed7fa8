"""Statistics of numpy's arrays: counts, moments, quantiles, running sums and differences."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.value import ANY, Num, Shape, Some, Tensor
from torchwise.ops.array_dtypes import Convert, asked, counted, floating, joint_dtype, real
from torchwise.ops.array_picking import axis_of, flat, source, tuple_of
from torchwise.ops.array_shapes import reduced
from torchwise.ops.arrays import (
    UNKNOWN,
    array,
    as_array,
    is_whole,
    laid_out,
    method,
    numpy,
    result,
)
from torchwise.ops.axis_arguments import axes_of, is_none
from torchwise.ops.creation import held
from torchwise.ops.operands import number_kind
from torchwise.ops.rows import Answer
from torchwise.ops.spec import Broken, Given

# Along axes

MEANS: tuple[tuple[str, Convert], ...] = (
    ("nanmean nanmedian median", floating),
    ("nanstd nanvar", lambda dtype: real(floating(dtype))),
)
for _names, _convert in MEANS:
    numpy(_names, "a axis out keepdims", reduced("torch.mean", _convert))
numpy("nansum nanprod", "a axis dtype out keepdims", reduced("torch.sum", counted))
numpy("nanmax nanmin ptp", "a axis out keepdims", reduced("torch.amax", lambda dtype: dtype))
numpy("nanargmax nanargmin", "a axis out keepdims", reduced("torch.argmax", lambda dtype: "int64"))


def left(given: Given, x: Tensor) -> Shape | None:
    """The shape that a reduction leaves: without the axes that it goes along, or with 1 for each."""
    keep = given.const("keepdims", False)
    if x.shape is None or keep is ...:
        return None
    every = tuple(range(len(x.shape)))
    axes = every if is_none(given, "axis") else axes_of(given, "axis", len(x.shape))
    if axes is None or isinstance(axes, Broken):
        return None
    kept = [Dim.of(1) if axis in axes else size for axis, size in enumerate(x.shape)]
    return tuple(size for axis, size in enumerate(kept) if keep or axis not in axes)


def _quantile(given: Given) -> Answer:
    """Several at once are the first axes of the result."""
    x, q = source(given), as_array(given, given["q"])
    if x is None or q is None:
        return ANY
    shape = left(given, x)
    dtype = _quantile_dtype(
        x.dtype, q.dtype, number_kind(given["q"]) is not None and not held(given, given["q"])
    )
    known = shape is not None and q.shape is not None
    return result((*q.shape, *shape) if known else None, dtype)  # type: ignore[misc]


def _quantile_dtype(dtype: str | None, q: str | None, plain: bool) -> str | None:
    """A quantile between two elements; one that is a python number makes it no wider."""
    found = floating(dtype)
    return found if plain or found == "float64" else joint_dtype((found, floating(q)))


numpy(
    "percentile quantile nanpercentile nanquantile", "a q axis out overwrite_input method keepdims", _quantile
)


def _average(given: Given) -> Answer:
    """A mean, with weights that may be of another dtype."""
    x = source(given)
    if x is None or given.const("returned", False) is not False:
        return ANY
    dtype = floating(x.dtype)
    if not is_none(given, "weights"):
        weights = as_array(given, given["weights"])
        dtype = joint_dtype((dtype, None if weights is None else weights.dtype))
    return result(left(given, x), dtype)


numpy("average", "a axis weights returned keepdims", _average)


def _nonzeros(given: Given) -> Answer:
    x = source(given)
    alone = is_none(given, "axis") and given.const("keepdims", False) is False
    if x is None or alone:
        return ANY
    return result(left(given, x), "int64")


numpy("count_nonzero", "a axis keepdims", _nonzeros)


# Running along an axis


def _running(given: Given) -> Answer:
    """Without an axis all elements in one row."""
    x = source(given)
    if x is None:
        return UNKNOWN
    dtype = asked(given, counted(x.dtype))
    if is_none(given, "axis"):
        return flat(x, dtype)
    return laid_out(x.shape, dtype, x.strides if is_whole(x) else None)


numpy("cumsum cumprod nancumsum nancumprod", "a axis dtype out", _running)
method("cumsum cumprod", "axis dtype out", _running)


def _differences(given: Given) -> Answer:
    """One less along the axis, for each time."""
    x, times = source(given), given.int("n", 1)
    if x is None or x.shape is None or times is None or "prepend" in given or "append" in given:
        return UNKNOWN if x is None else array(None, x.dtype)
    axis = axis_of(given, len(x.shape), -1)
    if axis is None:
        return array(None, x.dtype)
    size = x.shape[axis] - times
    if size.number is not None and size.number < 0:
        size = Dim.of(0)
    fits = size.number is not None or x.shape[axis].less_than(times).fails
    sized = size if fits else given.fresh("diff")
    return array((*x.shape[:axis], sized, *x.shape[axis + 1 :]), x.dtype)


def _gradient(given: Given) -> Answer:
    """One array for each axis, in a tuple unless it is only one."""
    x = as_array(given, given["f"])
    steps = given.list("spacing") or ()
    plain = all(number_kind(v) is not None and held(given, v) is None for v in steps)
    if x is None or x.shape is None or not plain:
        return ANY
    axes = tuple(range(len(x.shape))) if is_none(given, "axis") else axes_of(given, "axis", len(x.shape))
    if axes is None or isinstance(axes, Broken):
        return ANY
    one = array(x.shape, floating(x.dtype))
    return one if len(axes) == 1 else tuple_of(*[one for _ in axes])


numpy("diff", "a n axis prepend append", _differences)
numpy("gradient", "f *spacing", _gradient)


# Counts


def _counts(given: Given) -> Answer:
    """As many as the greatest number says; with weights, sums of them."""
    return array((given.fresh("bins"),), "int64" if is_none(given, "weights") else "float64")


def _histogram(given: Given) -> Answer:
    """Counts, and one edge more."""
    x, bins = source(given), given.get("bins", Num(Dim.of(10)))
    edges = as_array(given, bins)
    size = given.fresh("bins")
    if isinstance(bins, Num):
        size = bins.dim
    elif edges is not None and edges.shape is not None and len(edges.shape) == 1:
        size = edges.shape[0] - 1
    plain = is_none(given, "weights") and given.const("density", False) is False
    dtype = "int64" if plain else "float64" if is_none(given, "weights") else None
    ends = floating(x.dtype) if x is not None and is_none(given, "range") else None
    if not isinstance(bins, Num):
        ends = edges.dtype if edges is not None and number_kind(bins) is None else None
    return tuple_of(array((size,), dtype), array((size + 1,), ends))


numpy("bincount", "x weights minlength", _counts)
numpy("histogram", "a bins range density weights", _histogram)


# Variables with each other


def _covariance(given: Given) -> Answer:
    """A row is a variable; of one it is a number."""
    x = as_array(given, given["m"] if "m" in given else given["x"])
    y = None if is_none(given, "y") else as_array(given, given["y"])
    dtype = asked(given, "float64" if x is not None and x.dtype is not None and x.dtype[0] != "c" else None)
    if not is_none(given, "y") or x is None or x.shape is None or len(x.shape) > 2:
        return array(_pair(x, y), dtype)
    rows = given.const("rowvar", True)
    if rows is ... or len(x.shape) < 2:
        return array(None, dtype) if rows is ... or "m" not in given else array((), dtype)
    size = x.shape[0 if rows else 1]
    return array((size, size) if size.same_as(1).fails else None, dtype)


def _pair(x: Tensor | None, y: Tensor | None) -> Shape | None:
    ranks = [len(t.shape) if t is not None and t.shape is not None else None for t in (x, y)]
    return (Dim.of(2), Dim.of(2)) if ranks == [1, 1] else None


numpy("cov", "m y rowvar bias ddof fweights aweights dtype", _covariance)
numpy("corrcoef", "x y rowvar dtype", _covariance)


def _interpolated(given: Given) -> Answer:
    x, fp = as_array(given, given["x"]), as_array(given, given["fp"])
    whole = fp is not None and fp.dtype is not None and fp.dtype[0] != "c"
    return result(None if x is None else x.shape, "float64" if whole else None)


numpy("interp", "x xp fp left right period", _interpolated)
numpy("allclose", "a b rtol atol equal_nan", lambda given: Some("bool"))
numpy("array_equal", "a1 a2 equal_nan", lambda given: Some("bool"))
