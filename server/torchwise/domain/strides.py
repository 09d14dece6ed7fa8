"""Strides of results: those of a view, and those of elementwise operators.

Both follow torch's own algorithms (`computeStride` in ATen/TensorUtils.cpp, and TensorIterator), on lengths
that may be symbols; symbols are generic, as `shape` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from torchwise.domain.dim import Dim
from torchwise.domain.shape import (
    ONE,
    Shape,
    both_same,
    cancelled,
    channels_last,
    contiguous_strides,
    is_contiguous,
    is_dense,
    less,
    numel,
    same,
)
from torchwise.domain.verdict import FAILS, HOLDS, UNKNOWN, Verdict

Layout = tuple[Shape, Shape]  # a shape and its strides


@lru_cache(2048)
def view_strides(shape: Shape, strides: Shape, new_shape: Shape) -> tuple[Verdict, Shape | None]:
    """Whether memory laid out like this can be seen in the new shape without a copy, and the strides if so.

    The numbers of elements are taken to be the same: what that says of a size is used to decide.
    """
    empty = any(size.number == 0 for size in shape)
    if shape == new_shape:  # torch writes the strides of axes of length 1 anew
        whole = empty or all(size.number != 1 for size in shape)
        return HOLDS, strides if whole else _view(shape, strides, new_shape)[1]
    if strides == contiguous_strides(shape):  # one block: any division of it will do
        return HOLDS, contiguous_strides(new_shape)
    if not shape:
        return HOLDS, (ONE,) * len(new_shape)
    if empty:
        return HOLDS, contiguous_strides(new_shape)
    total, other = numel(shape), numel(new_shape)
    names = {} if total == other else _solved(total, other)
    if names is None:  # the sizes are related in a way that is not understood
        verdict, result = _view(shape, strides, new_shape)
        return (verdict, result) if verdict.holds else (UNKNOWN, None)
    if names:
        shape = tuple(size.with_names(names) for size in shape)
        strides = tuple(stride.with_names(names) for stride in strides)
        new_shape = tuple(size.with_names(names) for size in new_shape)
    return _view(shape, strides, new_shape)


def _solved(total: Dim, other: Dim) -> dict[str, Dim] | None:
    """What two equal numbers of elements say of one symbol: from B*T*C == B*T*n*h, that C is n*h."""
    a, b = cancelled(total, other)
    for one, rest in ((a, b), (b, a)):
        if len(one.terms) == 1:
            monomial, factor = one.terms[0]
            if factor == 1 and len(monomial) == 1 and type(monomial[0]) is str:
                return {monomial[0]: rest}
    return None


def _view(shape: Shape, strides: Shape, sizes: Shape) -> tuple[Verdict, Shape | None]:
    result = [ONE] * len(sizes)
    at = len(sizes) - 1
    base, chunk = strides[-1], ONE  # the block of memory that is being divided
    for axis in range(len(shape) - 1, -1, -1):
        chunk = chunk * shape[axis]
        if axis:
            goes_on = HOLDS if shape[axis - 1].number == 1 else same(strides[axis - 1], chunk * base)
            if goes_on.unknown:
                return UNKNOWN, None
            if goes_on.holds:
                continue
        filled = _fill(result, sizes, at, chunk, base)
        if isinstance(filled, Verdict):
            return filled, None
        at = filled
        if axis:
            base, chunk = strides[axis - 1], ONE
    return (HOLDS, tuple(result)) if at == -1 else (FAILS, None)


def _fill(result: list[Dim], sizes: Shape, at: int, chunk: Dim, base: Dim) -> int | Verdict:
    """Divides one block among the last of the new axes; the next axis, or why it is not possible."""
    taken, unclear = ONE, False
    while at >= 0 and (taken != chunk or sizes[at].number == 1):
        unclear = unclear or same(taken, chunk).unknown
        result[at] = taken * base
        taken = taken * sizes[at]
        at -= 1
    if taken == chunk and not unclear:
        return at
    return UNKNOWN if unclear or same(taken, chunk).unknown else FAILS


def elementwise_strides(shape: Shape, layouts: Sequence[tuple[Shape, Shape | None]]) -> Shape | None:
    """The strides of a fresh result that is computed element by element from tensors of these layouts.

    Python scalars count as tensors of shape (). None where the order of the axes depends on unknown sizes.
    """
    if not shape:
        return ()
    known: list[Layout] = []
    for size, strides in layouts:
        if strides is None:
            return None
        known.append((size, strides))
    if all(strides == contiguous_strides(size) for size, strides in known):
        if all(size.number != 0 for size in shape):
            return contiguous_strides(shape)
    return _elementwise(shape, tuple(known))


@lru_cache(2048)
def _elementwise(shape: Shape, layouts: tuple[Layout, ...]) -> Shape | None:
    if all(size == shape for size, _ in layouts):
        same_layout = _same_layout(shape, layouts)
        if same_layout is not None:
            return same_layout or None
    return iterated_strides(shape, [_expanded(shape, *layout) for layout in layouts])


@lru_cache(2048)
def preserved_strides(shape: Shape, strides: Shape) -> Shape | None:
    """The strides of a copy in torch.preserve_format: the same if dense, else dense in the order of the
    axes.
    """
    dense = is_dense(shape, strides)
    if dense.holds:
        return strides
    return iterated_strides(shape, (strides,)) if dense.fails else None


def iterated_strides(shape: Shape, operands: Sequence[Shape]) -> Shape | None:
    """The strides of a result that is allocated in the order in which operands with these strides are
    walked.
    """
    order = _axis_order(shape, operands)
    if order is None:
        return None
    if order == list(range(len(shape) - 1, -1, -1)):
        return contiguous_strides(shape)
    strides, step = [ONE] * len(shape), ONE
    for axis in order:
        strides[axis] = step
        step = step * shape[axis]
    return tuple(strides)


def _same_layout(shape: Shape, layouts: tuple[Layout, ...]) -> Shape | None:
    """Torch's short cuts for operands of one shape; () where it is unknown which of them is taken."""
    flat = [is_contiguous(*layout) for layout in layouts]
    if all(verdict.holds for verdict in flat):
        return contiguous_strides(shape)
    last = channels_last(shape) if len(shape) == 4 else None
    if last is not None and all(both_same(strides, last, shape).holds for _, strides in layouts):
        return last
    if all(strides == layouts[0][1] for _, strides in layouts):
        dense = is_dense(*layouts[0])
        if dense.holds:
            return layouts[0][1]
        if dense.unknown:
            return ()
    return () if any(verdict.unknown for verdict in flat) else None


def _expanded(shape: Shape, size: Shape, strides: Shape) -> Shape:
    """Strides in the broadcast shape: 0 where an operand is stretched."""
    zero, lead = Dim.of(0), len(shape) - len(size)
    stretched = (
        zero if s.number == 1 and whole.number != 1 else t for s, t, whole in zip(size, strides, shape[lead:])
    )
    return (zero,) * lead + tuple(stretched)


def _axis_order(shape: Shape, operands: Sequence[Shape]) -> list[int] | None:
    """The axes from the fastest to the slowest, sorted as TensorIterator sorts them."""
    order = list(range(len(shape) - 1, -1, -1))
    for i in range(1, len(order)):
        at = i
        for before in range(i - 1, -1, -1):
            swap = _should_swap(shape, operands, order[before], order[at])
            if swap is None:
                return None
            if swap > 0:
                order[before], order[at] = order[at], order[before]
                at = before
            elif swap < 0:
                break
    return order


def _should_swap(shape: Shape, operands: Sequence[Shape], a: int, b: int) -> int | None:
    for strides in operands:
        one, other = strides[a], strides[b]
        if one.number == 0 or other.number == 0:
            continue
        if one == other:
            bigger = less(shape[b], shape[a])
            if bigger.unknown:
                return None
            if bigger.holds:
                return 1
            continue
        verdict = less(one, other)
        if verdict.unknown:
            return None
        return -1 if verdict.holds else 1
    return 0
