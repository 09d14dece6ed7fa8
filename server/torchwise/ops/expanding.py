"""Axes of length 1, which come, go and are stretched: `squeeze`, `unsqueeze`, `expand`."""

from __future__ import annotations

from collections.abc import Sequence

from torchwise.domain.dim import Dim
from torchwise.domain.value import Shape, Tensor
from torchwise.ops.axis_arguments import axes_of, is_none, wrapped
from torchwise.ops.rows import Answer, both, method
from torchwise.ops.spec import Broken, Given
from torchwise.ops.views import asked_shape, laid_out, of_tensor, permuted, refused

ONE = Dim.of(1)


def _squeeze(given: Given, x: Tensor, shape: Shape) -> Answer:
    """Takes out axes of length 1. A length that may be 1 leaves the rank unknown; but without `dim`, a size
    that has a name is taken not to be 1, as everywhere.
    """
    axes: tuple[int, ...] | Broken | None = tuple(range(len(shape)))
    if not is_none(given, "dim"):
        axes = axes_of(given, "dim", len(shape))
    if isinstance(axes, Broken):
        return refused(axes)
    if axes is None:
        return Tensor(None, None, x.dtype, x.device)
    if not shape:
        return x
    every = is_none(given, "dim")
    for axis in axes:
        size = shape[axis]
        if size.number is None and not size.same_as(1).fails and not (every and not size.hidden):
            return Tensor(None, None, x.dtype, x.device)
    gone = [axis for axis in axes if shape[axis].number == 1]
    kept = [axis for axis in range(len(shape)) if axis not in gone]
    return permuted(x, kept)


both("squeeze", "input dim", of_tensor(_squeeze), view="input")


def _unsqueeze(given: Given, x: Tensor, shape: Shape) -> Answer:
    """A new axis of length 1; its stride is that of what comes behind it, times its length."""
    number = given.int("dim")
    if number is None:
        return laid_out(x, [given.fresh(f"axis{i}") for i in range(len(shape) + 1)], None)
    axis = wrapped(number, len(shape) + 1, "dim", given)
    if isinstance(axis, Broken):
        return refused(axis)
    return inserted(x, axis)


def inserted(x: Tensor, axis: int) -> Tensor:
    assert x.shape is not None, "only tensors of known rank get an axis"
    strides = None
    if x.strides is not None:
        step = x.shape[axis] * x.strides[axis] if axis < len(x.shape) else ONE
        strides = (*x.strides[:axis], step, *x.strides[axis:])
    return laid_out(x, (*x.shape[:axis], ONE, *x.shape[axis:]), strides)


both("unsqueeze", "input dim", of_tensor(_unsqueeze), view="input")


def expanded(given: Given, x: Tensor, shape: Shape, sizes: Sequence[Dim]) -> Answer:
    """Axes of length 1 are stretched without a copy: their stride is 0. -1 leaves an axis as it is."""
    lead = len(sizes) - len(shape)
    if lead < 0:
        return refused(
            Broken("rank", "size", wanted=f"{len(shape)} sizes or more", got=f"{len(sizes)}", because=x)
        )
    out, strides = list(sizes), [Dim.of(0)] * len(sizes)
    for axis, size in enumerate(sizes):
        old = shape[axis - lead] if axis >= lead else None
        step = x.strides[axis - lead] if x.strides is not None and old is not None else Dim.of(0)
        if old is None:
            if size.number is not None and size.number < 0:
                return refused(Broken("argument", "size", str(axis), "no -1 for a new axis", size, x))
        elif size.number == -1 or size == old:
            out[axis], strides[axis] = old, step
        elif old.number == 1:
            strides[axis] = Dim.of(0)
        elif old.same_as(size).fails and old.same_as(1).fails:
            return refused(Broken("broadcast", "size", str(axis - len(sizes)), old, size, x))
        elif old.number is not None:  # the new length can only be this one
            out[axis], strides[axis] = old, step
        else:
            return laid_out(x, [*out[:axis], *_rest(sizes, shape, axis)], None)
    return laid_out(x, out, None if x.strides is None else strides)


def _rest(sizes: Sequence[Dim], shape: Shape, start: int) -> list[Dim]:
    lead = len(sizes) - len(shape)
    return [
        shape[i - lead] if sizes[i].number == -1 and i >= lead else sizes[i] for i in range(start, len(sizes))
    ]


def _expand(given: Given, x: Tensor, shape: Shape) -> Answer:
    sizes = asked_shape(given, "size")
    if sizes is None:
        return Tensor(None, None, x.dtype, x.device)
    return expanded(given, x, shape, sizes)


method("expand", "input *size", of_tensor(_expand), "torch.broadcast_to", "Tensor.broadcast_to", view="input")


def _expand_as(given: Given, x: Tensor, shape: Shape) -> Answer:
    other = given["other"]
    if not isinstance(other, Tensor) or other.shape is None:
        return Tensor(None, None, x.dtype, x.device)
    return expanded(given, x, shape, other.shape)


method("expand_as", "input other", of_tensor(_expand_as), view="input")
