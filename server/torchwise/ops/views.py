"""Results that share the memory of their input: `view`, `transpose`, `permute`, `expand`, `squeeze` ...

Where that depends on the strides (`reshape`, `flatten`), the row has no `view`, and the result has its
input's storage if it is certainly a view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from torchwise.domain.dim import Dim
from torchwise.domain.shape import (
    contiguous_strides,
    infer_minus_one,
    is_contiguous,
    numel,
    same_numel,
)
from torchwise.domain.strides import view_strides
from torchwise.domain.value import ANY, Any, Items, Num, Shape, Tensor
from torchwise.ops.axis_arguments import axes_of, axis_of, dtype_named
from torchwise.ops.learning import of_rank
from torchwise.ops.rows import Answer, both, method, result_and_broken
from torchwise.ops.spec import Broken, Given, Outcome, Returns, op

ONE = Dim.of(1)
Change = Callable[[Given, Tensor, Shape], Answer]


def of_tensor(change: Change, name: str = "input") -> Returns:
    """For inputs of known rank: of others dtype and device are known, as of any input with some rank."""

    def returns(given: Given) -> Answer:
        x = given.values.get(name)
        if not isinstance(x, Tensor):
            return Tensor()
        if x.shape is not None:
            return change(given, x, x.shape)
        for rank in (1, 2, 3):
            shape = tuple([given.fresh(f"axis{axis}") for axis in range(rank)])
            supposed = x.but(shape=shape, strides=contiguous_strides(shape))
            made = change(replace(given, values={**given.values, name: supposed}), supposed, shape)
            broken, made = (made.broken, made.result) if isinstance(made, Outcome) else ((), made)
            if not broken:
                return Tensor(dtype=made.dtype, device=made.device) if isinstance(made, Tensor) else ANY
        return Tensor(device=x.device)

    return returns


def laid_out(x: Tensor, shape: Sequence[Dim], strides: Sequence[Dim] | None) -> Tensor:
    return Tensor(tuple(shape), None if strides is None else tuple(strides), x.dtype, x.device)


def fresh(x: Tensor, shape: Sequence[Dim]) -> Tensor:
    """A contiguous copy in another shape."""
    return laid_out(x, shape, contiguous_strides(tuple(shape)))


def refused(*broken: Broken) -> Outcome:
    return Outcome(Tensor(), broken)


def asked_shape(given: Given, name: str) -> Shape | None:
    """A shape with at most one -1; an entry that is not known is a fresh symbol."""
    sizes = given.dims(name)
    if sizes is None:
        return None
    return tuple(given.fresh(f"{name}{i}") if size is None else size for i, size in enumerate(sizes))


def new_shape(given: Given, name: str, x: Tensor, shape: Shape) -> tuple[Shape | None, tuple[Broken, ...]]:
    """The shape that a view or reshape is asked for, with -1 worked out, and why that is not possible."""
    asked = asked_shape(given, name)
    if asked is None:
        return None, ()
    minus = [size for size in asked if size.number is not None and size.number < 0]
    if len(minus) > 1 or any(size.number != -1 for size in minus):
        return None, (Broken("argument", name, wanted="at most one -1", got=len(minus), because=x),)
    total = numel(shape)
    if not minus:
        if same_numel(total, numel(asked)).fails:
            return None, (Broken("view-size", name, wanted=total, got=numel(asked), because=x),)
        return asked, ()
    known = numel(size for size in asked if size.number != -1)
    if known.number == 0:
        return None, (Broken("argument", name, wanted="no -1 beside a 0", got=known, because=x),)
    if known.divides(total).fails and total.number != 0:
        return None, (Broken("view-size", name, wanted=total, got=known, because=x),)
    unclear = given.dims(name) or ()
    if None in unclear:
        return tuple(given.fresh("rest") if size.number == -1 else size for size in asked), ()
    return infer_minus_one(total, asked), ()


def _view(given: Given, x: Tensor, shape: Shape) -> Answer:
    """Torch's own test of the strides decides whether the memory can be seen in the new shape."""
    asked, broken = new_shape(given, "shape", x, shape)
    if asked is None:
        return Outcome(Tensor(None, None, x.dtype, x.device), broken)
    if x.strides is None:
        return laid_out(x, asked, None)
    verdict, strides = view_strides(shape, x.strides, asked)
    if verdict.fails:
        return Outcome(
            laid_out(x, asked, None), (Broken("view", "input", wanted=asked, got=x.strides, because=x),)
        )
    return laid_out(x, asked, strides)


def _view_or_bits(given: Given) -> Answer:
    """`view(dtype)` reads the same bits as another dtype, `view(2, 3)` and `view(shape)` keep it."""
    x, asked = given.values.get("input"), given["shape"]
    first = (given.list("shape") or (asked,))[0]
    if isinstance(x, Tensor):
        if dtype_named(first) is not None:
            return _view_dtype(given, x, dtype_named(first))
        if type(asked) is Any or (isinstance(asked, Items) and [type(v) for v in asked.items] == [Any]):
            return Tensor(device=x.device)
    return of_tensor(_view)(given)


def _view_dtype(given: Given, x: Tensor, dtype: str | None) -> Answer:
    """Only of the same width is the shape certain."""
    same = dtype is not None and x.dtype is not None and _bits(dtype) == _bits(x.dtype)
    return Tensor(x.shape, x.strides, dtype, x.device) if same else Tensor(None, None, dtype, x.device)


def _bits(dtype: str) -> str:
    return "8" if dtype == "bool" or dtype.startswith("float8") else "".join(c for c in dtype if c.isdigit())


def reshape(given: Given, x: Tensor, shape: Shape) -> Answer:
    """A view where the strides allow it, else a copy."""
    asked, broken = new_shape(given, "shape", x, shape)
    if asked is None:
        return Outcome(Tensor(None, None, x.dtype, x.device), broken)
    return reshaped_to(x, shape, asked)


def reshaped_to(x: Tensor, shape: Shape, asked: Shape) -> Tensor:
    if x.strides is None:
        return laid_out(x, asked, None)
    verdict, strides = view_strides(shape, x.strides, asked)
    if verdict.holds:
        return sharing(laid_out(x, asked, strides), x)
    return laid_out(x, asked, contiguous_strides(asked) if verdict.fails else None)


def sharing(made: Tensor, x: Tensor) -> Tensor:
    """A result that is certainly a view, of an op whose result is not always one."""
    return replace(made, storage=x.storage)


method("view", "input *shape", _view_or_bits, view="input")
both("reshape", "input *shape", of_tensor(reshape))


def _as(change: Change) -> Returns:
    """view_as and reshape_as: the shape is that of another tensor."""

    def returns(given: Given) -> Answer:
        x, other = given["input"], given["other"]
        if not isinstance(x, Tensor) or not isinstance(other, Tensor) or other.shape is None:
            return Tensor(dtype=x.dtype, device=x.device) if isinstance(x, Tensor) else Tensor()
        asked = Items(tuple(map(Num, other.shape)))
        inner = Given({"input": x, "shape": asked}, given.heap, (), given.defaults, given.regions, given.site)
        return of_tensor(change)(inner)

    return returns


method("view_as", "input other", _as(_view), view="input")
method("reshape_as", "input other", _as(reshape))


def _flatten(given: Given, x: Tensor, shape: Shape) -> Answer:
    """Axes from start to end become one."""
    start, end = axis_of(given, "start_dim", len(shape), 0), axis_of(given, "end_dim", len(shape), -1)
    broken = tuple(b for b in (start, end) if isinstance(b, Broken))
    if broken:
        return refused(*broken)
    if not shape:
        return sharing(laid_out(x, (ONE,), (ONE,)), x)
    if not isinstance(start, int) or not isinstance(end, int):
        return Tensor(None, None, x.dtype, x.device)
    if start > end:
        return refused(Broken("dim-range", "end_dim", wanted=f"{start} or more", got=Dim.of(end), because=x))
    if start == end:
        return x
    return reshaped_to(x, shape, (*shape[:start], numel(shape[start : end + 1]), *shape[end + 1 :]))


both("flatten", "input start_dim end_dim", of_tensor(_flatten))


def _ravel(given: Given, x: Tensor, shape: Shape) -> Answer:
    whole = (numel(shape),)
    verdict = is_contiguous(x.shape, x.strides)
    if verdict.holds:
        return x if len(shape) == 1 else sharing(fresh(x, whole), x)
    return fresh(x, whole) if verdict.fails else laid_out(x, whole, None)


both("ravel", "input", of_tensor(_ravel))


def _unflatten(given: Given, x: Tensor, shape: Shape) -> Answer:
    """One axis becomes several, whose lengths multiply to it; one may be -1."""
    axis, sizes = axis_of(given, "dim", len(shape)), asked_shape(given, "sizes")
    if isinstance(axis, Broken):
        return refused(axis)
    if axis is None or sizes is None or not shape:
        return Tensor(None, None, x.dtype, x.device)
    whole = shape[axis]
    known = numel(size for size in sizes if size.number != -1)
    if any(size.number == -1 for size in sizes):
        if known.divides(whole).fails:
            return refused(Broken("view-size", "sizes", wanted=whole, got=known, because=x))
        sizes = infer_minus_one(whole, sizes)
    elif same_numel(whole, known).fails:
        return refused(Broken("view-size", "sizes", wanted=whole, got=known, because=x))
    split = (*shape[:axis], *sizes, *shape[axis + 1 :])
    return laid_out(x, split, None if x.strides is None else view_strides(shape, x.strides, split)[1])


both("unflatten", "input dim *sizes", of_tensor(_unflatten), view="input")


def permuted(x: Tensor, order: Sequence[int]) -> Tensor:
    assert x.shape is not None, "only tensors of known rank are permuted"
    strides = None if x.strides is None else [x.strides[axis] for axis in order]
    return laid_out(x, [x.shape[axis] for axis in order], strides)


def _transpose(first: str, second: str) -> Returns:
    def change(given: Given, x: Tensor, shape: Shape) -> Answer:
        a, b = axis_of(given, first, len(shape)), axis_of(given, second, len(shape))
        broken = tuple(axis for axis in (a, b) if isinstance(axis, Broken))
        if broken:
            return refused(*broken)
        if not isinstance(a, int) or not isinstance(b, int):
            return laid_out(x, [given.fresh(f"axis{i}") for i in range(len(shape))], None)
        order = list(range(len(shape)))
        if shape:
            order[a], order[b] = order[b], order[a]
        return permuted(x, order)

    return of_tensor(change)


for _name, _params in (("transpose", "dim0 dim1"), ("swapaxes", "axis0 axis1"), ("swapdims", "dim0 dim1")):
    both(_name, f"input {_params}", _transpose(*_params.split()), view="input")


def _permute(given: Given, x: Tensor, shape: Shape) -> Answer:
    count = given.dims("dims")
    if count is not None and len(count) != len(shape):
        return refused(
            Broken("rank", "dims", wanted=f"{len(shape)} axes", got=f"{len(count)} axes", because=x)
        )
    order = axes_of(given, "dims", len(shape))
    if isinstance(order, Broken):
        return refused(order)
    if order is None:
        return laid_out(x, [given.fresh(f"axis{i}") for i in range(len(shape))], None)
    return permuted(x, order)


def _permute_any(given: Given) -> Answer:
    """As many axes as are named: of a tensor of unknown rank that says the rank."""
    x, order = given["input"], given.dims("dims")
    if not isinstance(x, Tensor) or x.shape is not None or order is None:
        return of_tensor(_permute)(given)
    known, taught = of_rank(given, "axis", x, len(order))
    assert known.shape is not None, "its rank is known now"
    found, broken = result_and_broken(_permute(given, known, known.shape))
    return Outcome(found, broken, () if broken else taught)


both("permute", "input *dims", _permute_any, view="input")


def _matrix(given: Given, x: Tensor, shape: Shape) -> Answer:
    """t(): at most two axes."""
    if len(shape) > 2:
        return refused(Broken("rank", "input", wanted="2-d or less", got=f"{len(shape)}-d", because=x))
    return permuted(x, range(len(shape) - 1, -1, -1))


def _adjoint(given: Given, x: Tensor, shape: Shape) -> Answer:
    return _last_two(given, x, shape) if shape else x


def _last_two(given: Given, x: Tensor, shape: Shape) -> Answer:
    if len(shape) < 2:
        return refused(Broken("rank", "input", wanted="2-d or more", got=f"{len(shape)}-d", because=x))
    rank = len(shape)
    return permuted(x, (*range(rank - 2), rank - 1, rank - 2))


both("t", "input", of_tensor(_matrix), view="input")
both("adjoint", "input", of_tensor(_adjoint), view="input")
op(
    *("Tensor.mT", "Tensor.mH"),
    params="self",
    returns=of_tensor(_last_two, "self"),
    view="self",
    tags="attribute",
    source="tensors.html",
)
op(
    *("Tensor.T", "Tensor.H"),
    params="self",
    returns=of_tensor(lambda given, x, shape: permuted(x, range(len(shape) - 1, -1, -1)), "self"),
    view="self",
    tags="attribute",
    source="tensors.html",
)


def _moved(given: Given, x: Tensor, shape: Shape) -> Answer:
    """The named axes move to their places, all others keep their order."""
    source, target = axes_of(given, "source", len(shape)), axes_of(given, "destination", len(shape))
    broken = tuple(axes for axes in (source, target) if isinstance(axes, Broken))
    if broken:
        return refused(*broken)
    if not isinstance(source, tuple) or not isinstance(target, tuple):
        return laid_out(x, [given.fresh(f"axis{i}") for i in range(len(shape))], None)
    if len(source) != len(target):
        return refused(
            Broken("argument", "destination", wanted=f"{len(source)} axes", got=f"{len(target)} axes")
        )
    if not shape:
        return x
    places = dict(zip(target, source))
    rest = iter([axis for axis in range(len(shape)) if axis not in source])
    return permuted(x, [places[i] if i in places else next(rest) for i in range(len(shape))])


for _name in ("movedim", "moveaxis"):
    both(_name, "input source destination", of_tensor(_moved), view="input")
