"""Axes that a view of an array walks backwards, with a negative stride: torch has none."""

from __future__ import annotations

from collections.abc import Sequence

from torchwise.domain.value import NONE, Const, Num, Shape, Slice, Tensor, Value
from torchwise.ops.spec import Broken


def turned_axes(parts: Sequence[Value], rank: int) -> tuple[int, ...]:
    """The axes of `x[parts]` that run backwards; none where arrays among the parts make it a copy."""
    used = sum(1 for part in parts if part != NONE and part != Const(...))
    at, found = 0, []
    for part in parts:
        match part:
            case Slice(step=step):
                if isinstance(step, Num) and step.dim.less_than(0).holds:
                    found.append(at)
                at += 1
            case Const(value) if value is ...:
                at += rank - used
            case Const(None):
                at += 1
            case Num():
                pass
            case _:
                return ()
    return tuple(found)


def backwards(strides: Shape | None, axes: Sequence[int]) -> Shape | None:
    if strides is None or not axes or max(axes) >= len(strides):
        return strides
    return tuple([-stride if axis in axes else stride for axis, stride in enumerate(strides)])


def runs_backwards(x: Tensor | None) -> bool:
    """Whether some axis of more than one element certainly has a negative stride."""
    if x is None or x.shape is None or x.strides is None:
        return False
    return any(t.less_than(0).holds and s.number != 1 for s, t in zip(x.shape, x.strides, strict=True))


def backward_faults(name: str, x: Tensor | None) -> tuple[Broken, ...]:
    """What torch refuses to see as a tensor."""
    return (Broken("negative-stride", name, because=x),) if runs_backwards(x) else ()
