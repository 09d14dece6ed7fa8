"""Where to read and write: `gather`, `scatter`, `index_select`, masks, `nonzero`, `unique`."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.shape import broadcast, contiguous_strides, numel
from torchwise.domain.value import Const, Items, Num, Shape, Tensor
from torchwise.ops.axis_arguments import axis_of, flag, is_none
from torchwise.ops.joining import flat
from torchwise.ops.pointwise import wider
from torchwise.ops.rows import Answer, both, function, method
from torchwise.ops.spec import Broken, Given, Outcome, op
from torchwise.ops.views import fresh, laid_out, of_tensor, refused

INDEXES = ("int64", "int32")


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


def _gather(given: Given) -> Answer:
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


both("gather", "input dim index sparse_grad", _gather, saves="index")


def _take_along_dim(given: Given) -> Answer:
    """Like gather, but all other axes are broadcast; without an axis, of the flat tensor."""
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


both("take_along_dim", "input indices dim", _take_along_dim, saves="indices")


def _index_select(given: Given) -> Answer:
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


both("index_select", "input dim index", _index_select, saves="index")


def _take(given: Given) -> Answer:
    x, index = given["input"], given["index"]
    if not isinstance(x, Tensor) or not isinstance(index, Tensor):
        return Tensor(dtype=x.dtype if isinstance(x, Tensor) else None)
    return Outcome(
        Tensor(index.shape, None, x.dtype, x.device),
        () if index.dtype in (None, "int64") else index_broken(Tensor(dtype=index.dtype)),
    )


both("take", "input index", _take, saves="index")


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


def _scatter(given: Given) -> Answer:
    x = given["input"]
    if not isinstance(x, Tensor):
        return Tensor()
    made = flat(x) if x.shape is not None else Tensor(None, None, x.dtype, x.device)
    return Outcome(made, _scattered(given))


for _name, _params, _saves in (
    ("scatter", "input dim index src reduce value", "index"),
    ("scatter_add", "input dim index src", "index<src"),
    ("scatter_reduce", "input dim index src reduce include_self", ""),
):
    op(
        *(f"torch.{_name}", f"Tensor.{_name}"),
        params=_params,
        returns=_scatter,
        saves=_saves,
        source=f"generated/torch.Tensor.{_name}_.html",
    )
    method(
        f"{_name}_",
        _params,
        lambda given: Outcome(given["input"], _scattered(given)),
        inplace="input",
        saves=_saves,
    )
for _name, _params, _saves in (
    ("index_add", "input dim index source alpha", "index<source"),
    ("index_copy", "input dim index source", "index"),
    ("index_fill", "input dim index value", "index"),
    ("index_put", "input indices values accumulate", ""),
    ("masked_scatter", "input mask source", "mask"),
):
    op(
        f"Tensor.{_name}",
        *((f"torch.{_name}",) if _name != "index_put" else ("torch.index_put",)),
        params=_params,
        returns=of_tensor(lambda given, x, shape: laid_out(x, shape, flat(x).strides)),
        saves=_saves,
        source=f"generated/torch.Tensor.{_name}_.html",
    )
    method(
        f"{_name}_",
        _params,
        lambda given: given["input"],
        inplace="input",
        saves=_saves,
    )


def _masked_fill_(given: Given) -> Answer:
    """The mask must stretch to the tensor that is filled."""
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


method("masked_fill_", "input mask value", _masked_fill_, inplace="input", saves="mask")


def _masked_select(given: Given) -> Answer:
    x = given["input"]
    if not isinstance(x, Tensor):
        return Tensor()
    chosen = (given.fresh("chosen"),)
    return Tensor(chosen, contiguous_strides(chosen), x.dtype, x.device)


both("masked_select", "input mask", _masked_select, saves="mask", tags="dynamic")


def _nonzero(given: Given) -> Answer:
    """(found, axes) of indices; or for each axis a vector of them."""
    x, found = given["input"], given.fresh("found")
    as_tuple = flag(given, "as_tuple")
    if not isinstance(x, Tensor) or x.shape is None or as_tuple is None:
        return Tensor((found, given.fresh("axes")), None, "int64") if as_tuple is False else Tensor()
    if as_tuple:
        return Items((Tensor((found,), None, "int64", x.device),) * max(len(x.shape), 1))
    return Tensor((found, Dim.of(len(x.shape))), None, "int64", x.device)


both("nonzero", "input as_tuple", _nonzero, grad="cut", tags="dynamic")
both("argwhere", "input", _nonzero, grad="cut", tags="dynamic")


def _unique(given: Given) -> Answer:
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


WITH = "return_inverse return_counts dim"
for _name, _params in (("unique", f"input sorted {WITH}"), ("unique_consecutive", f"input {WITH}")):
    both(_name, _params, _unique, tags="dynamic")


def _bincount(given: Given) -> Answer:
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


both("bincount", "input weights minlength", _bincount, grad="cut")


def _histc(given: Given) -> Answer:
    x, bins = given["input"], given.dim("bins", 100)
    size = (given.fresh("bins") if bins is None else bins,)
    return Tensor(size, contiguous_strides(size), x.dtype, x.device) if isinstance(x, Tensor) else Tensor()


both("histc", "input bins min max", _histc, grad="cut")


def _searched(given: Given) -> Answer:
    values = given["input"]
    dtype = {True: "int32", False: "int64"}.get(flag(given, "out_int32"))  # type: ignore[arg-type]
    if isinstance(values, Tensor):
        return Tensor(values.shape, None, dtype, values.device)
    return Tensor((), (), dtype) if isinstance(values, Num | Const) else Tensor(dtype=dtype)


function("torch.searchsorted", "sorted_sequence input out_int32 right side sorter", _searched, grad="cut")
function("torch.bucketize", "input boundaries out_int32 right", _searched, grad="cut")


def _isin(given: Given) -> Answer:
    x = given["elements"]
    return Tensor(x.shape, None, "bool", x.device) if isinstance(x, Tensor) else Tensor(dtype="bool")


function("torch.isin", "elements test_elements assume_unique invert", _isin, grad="cut")
