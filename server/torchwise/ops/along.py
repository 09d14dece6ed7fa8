"""Operators that run along an axis and keep it: `cumsum`, `sort`, `topk`, `diff`, `gather`, `scatter` ..."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.dtype import category
from torchwise.domain.shape import contiguous_strides, numel
from torchwise.domain.value import Const, Items, Num, Shape, Tensor, Value
from torchwise.ops.axis_arguments import axis_of, dtype_argument, flag, is_none
from torchwise.ops.joining import flat
from torchwise.ops.pointwise import in_autocast, wider
from torchwise.ops.spec import Broken, Given, Outcome, Returns, op
from torchwise.ops.views import fresh, laid_out, of_tensor, refused

INDEXES = ("int64", "int32")


def cumulative(sums: bool, indices: bool = False, floats_only: bool = False) -> Returns:
    """The same shape; integers are summed in int64."""

    def change(given: Given, x: Tensor, shape: Shape) -> Value | Outcome:
        axis = axis_of(given, "dim", len(shape))
        asked = dtype_argument(given) if sums else ""
        dtype = x.dtype if asked == "" else asked
        if sums and asked == "" and dtype is not None and category(dtype) < 2:
            dtype = "int64"
        broken: tuple[Broken, ...] = (axis,) if isinstance(axis, Broken) else ()
        if dtype is not None and (category(dtype) < 2 if floats_only else indices and category(dtype) == 3):
            wanted = "floating point" if floats_only else "numbers with an order"
            broken = (*broken, Broken("dtype", "input", wanted=wanted, got=dtype, because=x))
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
    op(
        *(f"torch.{_name}", f"Tensor.{_name}"),
        params="input dim dtype",
        returns=cumulative(_sums, _indices, _name == "logcumsumexp"),
        saves=_saves,
        source=f"generated/torch.{_name}.html",
    )
for _name in ("cumsum", "cumprod"):
    op(
        f"Tensor.{_name}_",
        params="input dim dtype",
        returns=lambda given: given["input"],
        inplace="input",
        source=f"generated/torch.Tensor.{_name}_.html",
    )


def ordered(x: Tensor, kind: str, shape: Shape, strides: Shape | None) -> Items:
    values = Tensor(shape, strides, x.dtype, x.device)
    return Items((values, Tensor(shape, strides, "int64", x.device)), kind, ("values", "indices"))


def _sort(given: Given, x: Tensor, shape: Shape) -> Value | Outcome:
    """sort(dim, descending), or sort(descending) with the last axis."""
    result = ordered(x, "sort", shape, flat(x).strides)
    return Outcome(result, _sortable(given, x, shape))


def _sortable(given: Given, x: Tensor, shape: Shape) -> tuple[Broken, ...]:
    axis = axis_of(given, "dim", len(shape), -1)
    broken = (axis,) if isinstance(axis, Broken) else ()
    if x.dtype is not None and category(x.dtype) == 3:
        broken = (*broken, Broken("dtype", "input", wanted="numbers with an order", got=x.dtype, because=x))
    return broken


op(
    *("torch.sort", "Tensor.sort"),
    params="input dim descending stable",
    returns=of_tensor(_sort),
    source="generated/torch.sort.html",
)
op(
    "torch.msort",
    "Tensor.msort",
    params="input",
    returns=of_tensor(lambda given, x, shape: flat(x)),
    source="generated/torch.msort.html",
)


def _argsort(given: Given, x: Tensor, shape: Shape) -> Value | Outcome:
    return Outcome(Tensor(shape, flat(x).strides, "int64", x.device), _sortable(given, x, shape))


op(
    *("torch.argsort", "Tensor.argsort"),
    params="input dim descending stable",
    returns=of_tensor(_argsort),
    grad="cut",
    source="generated/torch.argsort.html",
)


def _topk(given: Given, x: Tensor, shape: Shape) -> Value | Outcome:
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


op(
    *("torch.topk", "Tensor.topk"),
    params="input k dim largest sorted",
    returns=of_tensor(_topk),
    source="generated/torch.topk.html",
)


def _diff(given: Given, x: Tensor, shape: Shape) -> Value | Outcome:
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


op(
    "torch.diff",
    "Tensor.diff",
    params="input n dim prepend append",
    returns=of_tensor(_diff),
    source="generated/torch.diff.html",
)


def index_broken(index: Tensor, param: str = "index") -> tuple[Broken, ...]:
    if index.dtype is None or index.dtype in INDEXES:
        return ()
    return (Broken("dtype", param, wanted="int64", got=index.dtype, because=index),)


def same_rank(x: Tensor, index: Tensor, param: str = "index") -> tuple[Broken, ...]:
    """The requirement of gather and scatter that the index has as many axes as the input."""
    if x.shape is None or index.shape is None or len(x.shape or (0,)) == len(index.shape or (0,)):
        return ()
    if any(size.number == 0 for size in index.shape):
        return ()
    return (Broken("rank", param, wanted=f"{len(x.shape)}-d", got=f"{len(index.shape)}-d", because=index),)


def fits_in(x: Tensor, index: Tensor, axis: int | None, param: str = "index") -> tuple[Broken, ...]:
    """No axis of the index is longer than the same axis of the input, but for the one gathered along."""
    one = (Dim.of(1),)
    for at, (size, other) in enumerate(zip(x.shape or one, index.shape or one)):
        if at != axis and size.less_than(other).holds:
            return (Broken("axis", param, str(at), f"at most {size}", other, index),)
    return ()


def _gather(given: Given) -> Value | Outcome:
    """The shape of the index, which has as many axes as the input."""
    x, index = given["input"], given["index"]
    if not isinstance(x, Tensor) or not isinstance(index, Tensor):
        return Tensor(dtype=x.dtype if isinstance(x, Tensor) else None)
    broken = index_broken(index) + same_rank(x, index)
    if x.shape is not None and not broken:
        axis = axis_of(given, "dim", len(x.shape))
        broken = (axis,) if isinstance(axis, Broken) else () if axis is None else fits_in(x, index, axis)
    strides = None if index.shape is None else contiguous_strides(index.shape)
    return Outcome(Tensor(index.shape, strides, x.dtype, x.device), broken)


op(
    *("torch.gather", "Tensor.gather"),
    params="input dim index sparse_grad",
    returns=_gather,
    saves="index",
    source="generated/torch.gather.html",
)


def _take_along_dim(given: Given) -> Value | Outcome:
    """Like gather, but all other axes are broadcast; without an axis, of the flat tensor."""
    from torchwise.domain.shape import broadcast

    x, index = given["input"], given["indices"]
    if not isinstance(x, Tensor) or not isinstance(index, Tensor) or x.shape is None or index.shape is None:
        return Tensor(dtype=x.dtype if isinstance(x, Tensor) else None)
    if is_none(given, "dim"):
        return fresh(Tensor(dtype=x.dtype, device=x.device), (numel(index.shape),))
    axis = axis_of(given, "dim", len(x.shape))
    broken = index_broken(index, "indices") + same_rank(x, index, "indices")
    if broken or not isinstance(axis, int):
        return Outcome(Tensor(), broken + ((axis,) if isinstance(axis, Broken) else ()))
    one = Dim.of(1)
    shape, clash = broadcast(
        ((*x.shape[:axis], one, *x.shape[axis + 1 :]), (*index.shape[:axis], one, *index.shape[axis + 1 :]))
    )
    if clash is not None:
        at, wanted, got = clash
        return refused(Broken("broadcast", "indices", str(at), wanted, got, index))
    return laid_out(x, (*shape[:axis], index.shape[axis], *shape[axis + 1 :]), None)


op(
    "torch.take_along_dim",
    "Tensor.take_along_dim",
    params="input indices dim",
    returns=_take_along_dim,
    saves="indices",
    source="generated/torch.take_along_dim.html",
)


def _index_select(given: Given) -> Value | Outcome:
    """The axis gets the length of the index."""
    x, index = given["input"], given["index"]
    if not isinstance(x, Tensor) or not isinstance(index, Tensor) or x.shape is None:
        return Tensor(dtype=x.dtype if isinstance(x, Tensor) else None)
    axis = axis_of(given, "dim", len(x.shape))
    if isinstance(axis, Broken):
        return refused(axis)
    broken = index_broken(index)
    if index.shape is not None and len(index.shape) > 1:
        broken = (*broken, Broken("rank", "index", wanted="1-d", got=f"{len(index.shape)}-d", because=index))
    if axis is None or index.shape is None:
        return Outcome(Tensor(None, None, x.dtype, x.device), broken)
    size = index.shape[0] if index.shape else Dim.of(1)
    shape = (*x.shape[:axis], size, *x.shape[axis + 1 :]) if x.shape else ()
    return Outcome(laid_out(x, shape, contiguous_strides(shape)), broken)


op(
    *("torch.index_select", "Tensor.index_select"),
    params="input dim index",
    returns=_index_select,
    saves="index",
    source="generated/torch.index_select.html",
)


def _take(given: Given) -> Value | Outcome:
    x, index = given["input"], given["index"]
    if not isinstance(x, Tensor) or not isinstance(index, Tensor):
        return Tensor(dtype=x.dtype if isinstance(x, Tensor) else None)
    return Outcome(
        Tensor(index.shape, None, x.dtype, x.device),
        () if index.dtype in (None, "int64") else index_broken(Tensor(dtype=index.dtype)),
    )


op(
    "torch.take",
    "Tensor.take",
    params="input index",
    returns=_take,
    saves="index",
    source="generated/torch.take.html",
)


def _scattered(given: Given) -> tuple[Broken, ...]:
    x, index, source = given["input"], given["index"], given.get("src", given["value"])
    if not isinstance(x, Tensor) or not isinstance(index, Tensor):
        return ()
    broken = index_broken(index) + same_rank(x, index)
    if x.shape is None:
        return broken
    axis = axis_of(given, "dim", len(x.shape))
    if isinstance(axis, Broken):
        return (*broken, axis)
    if any(size.number == 0 for size in index.shape or ()):
        return broken
    if not broken and axis is not None:
        broken = fits_in(x, index, axis)
    if isinstance(source, Tensor) and source.shape is not None:
        broken = broken or same_rank(x, source, "src") or fits_in(source, index, None)
        if x.dtype is not None and source.dtype is not None and x.dtype != source.dtype and not given.regions:
            broken = (*broken, Broken("dtype", "src", wanted=x.dtype, got=source.dtype, because=source))
    return broken


def _scatter(given: Given) -> Value | Outcome:
    x = given["input"]
    if not isinstance(x, Tensor):
        return Tensor()
    made = flat(x) if x.shape is not None else Tensor(None, None, x.dtype, x.device)
    return Outcome(made, _scattered(given))


for _name, _params in (
    ("scatter", "input dim index src reduce value"),
    ("scatter_add", "input dim index src"),
    ("scatter_reduce", "input dim index src reduce include_self"),
):
    op(
        *(f"torch.{_name}", f"Tensor.{_name}"),
        params=_params,
        returns=_scatter,
        saves="index",
        source=f"generated/torch.Tensor.{_name}_.html",
    )
    op(
        f"Tensor.{_name}_",
        params=_params,
        returns=lambda given: Outcome(given["input"], _scattered(given)),
        inplace="input",
        saves="index",
        source=f"generated/torch.Tensor.{_name}_.html",
    )
for _name, _params in (
    ("index_add", "input dim index source alpha"),
    ("index_copy", "input dim index source"),
    ("index_fill", "input dim index value"),
    ("index_put", "input indices values accumulate"),
    ("masked_scatter", "input mask source"),
):
    op(
        f"Tensor.{_name}",
        *((f"torch.{_name}",) if _name != "index_put" else ("torch.index_put",)),
        params=_params,
        returns=of_tensor(lambda given, x, shape: laid_out(x, shape, flat(x).strides)),
        saves="index" if "index " in _params else "mask",
        source=f"generated/torch.Tensor.{_name}_.html",
    )
    op(
        f"Tensor.{_name}_",
        params=_params,
        returns=lambda given: given["input"],
        inplace="input",
        saves="index" if "index " in _params else "mask",
        source=f"generated/torch.Tensor.{_name}_.html",
    )


def _masked_fill_(given: Given) -> Value | Outcome:
    """The mask must stretch to the tensor that is filled."""
    from torchwise.domain.shape import broadcast

    x, mask = given["input"], given["mask"]
    if not isinstance(x, Tensor):
        return x
    broken: tuple[Broken, ...] = ()
    if isinstance(mask, Tensor) and mask.dtype not in (None, "bool"):
        broken = (Broken("dtype", "mask", wanted="bool", got=mask.dtype, because=mask),)
    if isinstance(mask, Tensor) and mask.shape is not None and x.shape is not None:
        shape, clash = broadcast((x.shape, mask.shape))
        if clash is not None:
            at, wanted, got = clash
            broken = (*broken, Broken("broadcast", "mask", str(at), wanted, got, mask))
        else:
            broken += wider("mask", x, Tensor(shape))
    return Outcome(x, broken)


op(
    *("Tensor.masked_fill_",),
    params="input mask value",
    returns=_masked_fill_,
    inplace="input",
    saves="mask",
    source="generated/torch.Tensor.masked_fill_.html",
)


def _masked_select(given: Given) -> Value | Outcome:
    x = given["input"]
    if not isinstance(x, Tensor):
        return Tensor()
    chosen = (given.fresh("chosen"),)
    return Tensor(chosen, contiguous_strides(chosen), x.dtype, x.device)


op(
    "torch.masked_select",
    "Tensor.masked_select",
    params="input mask",
    returns=_masked_select,
    saves="mask",
    tags="dynamic",
    source="generated/torch.masked_select.html",
)


def _nonzero(given: Given) -> Value | Outcome:
    """(found, axes) of indices; or for each axis a vector of them."""
    x, found = given["input"], given.fresh("found")
    as_tuple = flag(given, "as_tuple")
    if not isinstance(x, Tensor) or x.shape is None or as_tuple is None:
        return Tensor((found, given.fresh("axes")), None, "int64") if as_tuple is False else Tensor()
    if as_tuple:
        return Items((Tensor((found,), None, "int64", x.device),) * max(len(x.shape), 1))
    return Tensor((found, Dim.of(len(x.shape))), None, "int64", x.device)


op(
    "torch.nonzero",
    "Tensor.nonzero",
    params="input as_tuple",
    returns=_nonzero,
    grad="cut",
    tags="dynamic",
    source="generated/torch.nonzero.html",
)
op(
    "torch.argwhere",
    "Tensor.argwhere",
    params="input",
    returns=_nonzero,
    grad="cut",
    tags="dynamic",
    source="generated/torch.argwhere.html",
)


def _unique(given: Given) -> Value | Outcome:
    """The different values; with their inverse and their counts, where those are asked for."""
    x = given["input"]
    inverse, counts = flag(given, "return_inverse"), flag(given, "return_counts")
    if not isinstance(x, Tensor) or inverse is None or counts is None:
        return Tensor()
    different: Shape | None = (given.fresh("different"),)
    if not is_none(given, "dim"):
        different = None
    values = Tensor(different, None, x.dtype, x.device)
    parts = [values]
    if inverse:
        parts.append(Tensor(x.shape if different is not None else None, None, "int64", x.device))
    if counts:
        parts.append(Tensor((given.fresh("different"),), None, "int64", x.device))
    return values if len(parts) == 1 else Items(tuple(parts))


for _name in ("unique", "unique_consecutive"):
    op(
        *(f"torch.{_name}", f"Tensor.{_name}"),
        params="input sorted return_inverse return_counts dim"
        if _name == "unique"
        else "input return_inverse return_counts dim",
        returns=_unique,
        grad="cut",
        tags="dynamic",
        source=f"generated/torch.{_name}.html",
    )


def _bincount(given: Given) -> Value | Outcome:
    x, weights = given["input"], given["weights"]
    if not isinstance(x, Tensor):
        return Tensor()
    broken: tuple[Broken, ...] = ()
    if x.shape is not None and len(x.shape) != 1:
        broken = (Broken("rank", "input", wanted="1-d", got=f"{len(x.shape)}-d", because=x),)
    dtype = "int64" if is_none(given, "weights") else None
    if isinstance(weights, Tensor):
        dtype = None if weights.dtype is None else "float32" if weights.dtype == "float32" else "float64"
    return Outcome(Tensor((given.fresh("bins"),), None, dtype, x.device), broken)


op(
    "torch.bincount",
    "Tensor.bincount",
    params="input weights minlength",
    returns=_bincount,
    grad="cut",
    source="generated/torch.bincount.html",
)


def _histc(given: Given) -> Value | Outcome:
    x, bins = given["input"], given.dim("bins", 100)
    size = (given.fresh("bins") if bins is None else bins,)
    return Tensor(size, contiguous_strides(size), x.dtype, x.device) if isinstance(x, Tensor) else Tensor()


op(
    "torch.histc",
    "Tensor.histc",
    params="input bins min max",
    returns=_histc,
    grad="cut",
    source="generated/torch.histc.html",
)


def _searched(given: Given) -> Value | Outcome:
    values = given["input"]
    dtype = {True: "int32", False: "int64"}.get(flag(given, "out_int32"))  # type: ignore[arg-type]
    if isinstance(values, Tensor):
        return Tensor(values.shape, None, dtype, values.device)
    return Tensor((), (), dtype) if isinstance(values, Num | Const) else Tensor(dtype=dtype)


op(
    "torch.searchsorted",
    params="sorted_sequence input out_int32 right side sorter",
    returns=_searched,
    grad="cut",
    source="generated/torch.searchsorted.html",
)
op(
    "torch.bucketize",
    params="input boundaries out_int32 right",
    returns=_searched,
    grad="cut",
    source="generated/torch.bucketize.html",
)


def _isin(given: Given) -> Value | Outcome:
    x = given["elements"]
    return Tensor(x.shape, None, "bool", x.device) if isinstance(x, Tensor) else Tensor(dtype="bool")


op(
    "torch.isin",
    params="elements test_elements assume_unique invert",
    returns=_isin,
    grad="cut",
    source="generated/torch.isin.html",
)
