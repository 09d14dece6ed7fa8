"""Which way the elements of an image lie in memory: contiguous, or channels-last.

A size that has a name, and not a number, is taken to be larger than 1 here: (N, 1, 1, 1) could be both.
"""

from __future__ import annotations

from typing import Literal

from torchwise.domain.shape import channels_last, contiguous_strides, is_contiguous
from torchwise.domain.value import Shape, Tensor

Layout = Literal["contiguous", "channels-last"] | None


def layout_of(tensor: Tensor | None) -> Layout:
    """As torch suggests a memory format for a 4-d or 5-d tensor: all that is not channels-last counts as
    contiguous."""
    if tensor is None or tensor.shape is None or tensor.strides is None:
        return None
    shape, strides = tensor.shape, tensor.strides
    if strides == contiguous_strides(shape) or len(shape) not in (4, 5):
        return "contiguous"
    if any(size.number == 0 for size in shape):
        return "contiguous"
    if strides == channels_last(shape):
        return "contiguous" if all(d.number == 1 for d in shape[1:]) else "channels-last"
    if any(d.number is None for d in (*shape, *strides)):
        return None
    return "channels-last" if _suggests_channels_last(shape, strides) else "contiguous"


def _suggests_channels_last(shape: Shape, strides: Shape) -> bool:
    """c10::is_channels_last_strides on known numbers."""
    size, step = [d.number or 0 for d in shape], [d.number or 0 for d in strides]
    if step[1] == 0:
        return False
    least = 0
    for d in (1, *range(len(size) - 1, 1, -1), 0):
        if size[d] == 0 or step[d] < least or (d == 0 and least == step[1]):
            return False
        least = step[d] * max(size[d], 1)
    return True


def dense(tensor: Tensor) -> bool:
    """Whether it is certainly contiguous, and not channels-last as well (as an image of one pixel may be)."""
    return is_contiguous(tensor.shape, tensor.strides).holds and layout_of(tensor) == "contiguous"


def kept_layout(layout: Layout, shape: Shape) -> Shape | None:
    """Strides of a fresh result in a layout; None where the layout is not known."""
    if layout == "channels-last" and len(shape) in (4, 5):
        return channels_last(shape)
    return contiguous_strides(shape) if layout == "contiguous" else None
