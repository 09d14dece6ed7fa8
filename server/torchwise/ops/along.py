"""Operators that run along an axis and keep it: `cumsum`, `sort`, `topk`, `diff`."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.dtype import category
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import Items, Shape, Tensor
from torchwise.ops.axis_arguments import axis_of, dtype_argument, is_none
from torchwise.ops.joining import flat
from torchwise.ops.pointwise import in_autocast
from torchwise.ops.rows import Answer, both, method
from torchwise.ops.spec import Broken, Given, Outcome, Returns
from torchwise.ops.views import fresh, laid_out, of_tensor, refused


def cumulative(sums: bool, indices: bool = False, floats_only: bool = False) -> Returns:
    """The same shape; integers are summed in int64."""

    def change(given: Given, x: Tensor, shape: Shape) -> Answer:
        axis = axis_of(given, "dim", len(shape))
        asked = dtype_argument(given) if sums else ""
        dtype = x.dtype if asked == "" else asked
        if sums and asked == "" and dtype is not None and category(dtype) < 2:
            dtype = "int64"
        broken: tuple[Broken, ...] = (axis,) if isinstance(axis, Broken) else ()
        if floats_only and dtype is not None and category(dtype) < 2:
            broken = (*broken, Broken("dtype", "input", wanted="floating point", got=dtype, because=x))
        if dtype in ("float16", "bfloat16") and in_autocast(given):
            dtype = None
        made = fresh(x, shape)
        values = Tensor(made.shape, made.strides, dtype, x.device)
        if not indices:
            return Outcome(values, broken)
        places = Tensor(made.shape, made.strides, "int64", x.device)
        return Outcome(Items((values, places), "cummax", ("values", "indices")), broken)

    return of_tensor(change)


for _name, _sums, _indices, _saves in (
    ("cumsum", True, False, ""),
    ("cumprod", True, False, "input result"),
    ("logcumsumexp", False, False, "input result"),
    ("cummax", False, True, ""),
    ("cummin", False, True, ""),
):
    both(_name, "input dim dtype", cumulative(_sums, _indices, _name == "logcumsumexp"), saves=_saves)
for _name in ("cumsum", "cumprod"):
    method(f"{_name}_", "input dim dtype", lambda given: given["input"], inplace="input")


def ordered(x: Tensor, kind: str, shape: Shape, strides: Shape | None) -> Items:
    values = Tensor(shape, strides, x.dtype, x.device)
    return Items((values, Tensor(shape, strides, "int64", x.device)), kind, ("values", "indices"))


def _sort(given: Given, x: Tensor, shape: Shape) -> Answer:
    """sort(dim, descending), or sort(descending) with the last axis."""
    result = ordered(x, "sort", shape, flat(x).strides)
    return Outcome(result, _sortable(given, x, shape))


def _sortable(given: Given, x: Tensor, shape: Shape) -> tuple[Broken, ...]:
    axis = axis_of(given, "dim", len(shape), -1)
    broken = (axis,) if isinstance(axis, Broken) else ()
    if x.dtype is not None and category(x.dtype) == 3:
        broken = (*broken, Broken("dtype", "input", wanted="numbers with an order", got=x.dtype, because=x))
    return broken


both("sort", "input dim descending stable", of_tensor(_sort))
both("msort", "input", of_tensor(lambda given, x, shape: flat(x)))


def _argsort(given: Given, x: Tensor, shape: Shape) -> Answer:
    return Outcome(Tensor(shape, flat(x).strides, "int64", x.device), _sortable(given, x, shape))


both("argsort", "input dim descending stable", of_tensor(_argsort), grad="cut")


def _topk(given: Given, x: Tensor, shape: Shape) -> Answer:
    """The axis gets the length k."""
    axis, k = axis_of(given, "dim", len(shape), -1), given.dim("k")
    if isinstance(axis, Broken):
        return refused(axis)
    if axis is None:
        unknown = tuple(given.fresh(f"axis{i}") for i in range(len(shape)))
        return ordered(x, "topk", unknown, None)
    size = given.fresh("k") if k is None else k
    whole = shape[axis] if shape else Dim.of(1)
    if whole.less_than(size).holds or size.less_than(0).holds:
        return refused(Broken("argument", "k", str(axis), f"at most {whole}", size, x))
    made = (*shape[:axis], size, *shape[axis + 1 :]) if shape else ()
    return ordered(x, "topk", made, contiguous_strides(made) if flat(x).strides is not None else None)


both("topk", "input k dim largest sorted", of_tensor(_topk))


def _diff(given: Given, x: Tensor, shape: Shape) -> Answer:
    """Differences of neighbours, n times: the axis gets shorter by n."""
    axis, times = axis_of(given, "dim", len(shape), -1), given.int("n", 1)
    if not shape:
        return refused(Broken("rank", "input", wanted="1-d or more", got="0-d", because=x))
    if isinstance(axis, Broken):
        return refused(axis)
    if axis is None or times is None or not is_none(given, "prepend") or not is_none(given, "append"):
        return laid_out(x, [given.fresh(f"axis{i}") for i in range(len(shape))], None)
    size = shape[axis] - times
    if size.number is not None and size.number < 0:
        size = Dim.of(0)
    return laid_out(x, (*shape[:axis], size, *shape[axis + 1 :]), None)


both("diff", "input n dim prepend append", of_tensor(_diff))
