"""Slices between places that were drawn: of `data[i : i + n]` the distance is known, and not the places.

Numbers read out of a tensor are taken to be drawn with room behind them, as `torch.randint(len(data) - n,
...)` does: a crop that the end cuts off could not be stacked with others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.dim import Dim
from torchwise.domain.value import ANY, NONE, Num, Slice, Some, Tensor, Value
from torchwise.ir import nodes as ir

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

Sum = tuple[dict[str | int, Dim], Dim]  # how often each unknown is in it, and what is known

ZERO, ONE = Dim.of(0), Dim.of(1)
SIGNS = {"operator.add": 1, "operator.sub": -1}


def sliced(run: Run, state: State, it: ir.Build) -> Slice:
    """`start:stop:step` as it stands between brackets."""
    start, stop, step = [state.regs.get(a.ref, ANY) for a in it.items]
    length = _length(run, state, it.items[0].ref, it.items[1].ref) if step == NONE else None
    return Slice(start, stop, step, None if length is None else Num(length))


def _length(run: Run, state: State, start: int, stop: int) -> Dim | None:
    """None where it is not known, or the places were not drawn."""
    if not any(_is_drawn(state.regs.get(ref, ANY)) for ref in (start, stop)):
        return None
    (before, first), (behind, last) = _sum(run, state, start), _sum(run, state, stop)
    length = last - first
    same = all(before.get(u, ZERO) == behind.get(u, ZERO) for u in before.keys() | behind.keys())
    return length if same and not length.less_than(1).holds else None


def _is_drawn(value: Value) -> bool:
    """Whether it is one number of a tensor."""
    if isinstance(value, Tensor):
        return value.shape == () and value.dtype == "int64"
    return isinstance(value, Some) and value.kind == "int" and value.of is not None


def _sum(run: Run, state: State, ref: int) -> Sum:
    value, made = state.regs.get(ref, ANY), run.defs.get(ref)
    if isinstance(value, Num):
        return {}, value.dim
    match made:
        case ir.Load(name=name):
            return {name: ONE}, ZERO
        case ir.Call(callee=str(callee), args=(a, b)) if callee in SIGNS:
            (own, known), (others, more) = _sum(run, state, a.ref), _sum(run, state, b.ref)
            sign = SIGNS[callee]
            both = {u: own.get(u, ZERO) + others.get(u, ZERO) * sign for u in own.keys() | others.keys()}
            return both, known + more * sign
        case ir.Call(callee="operator.mul", args=(a, b)):
            sides = _sum(run, state, a.ref), _sum(run, state, b.ref)
            for one, other in (sides, sides[::-1]):
                if not one[0]:
                    return {u: n * one[1] for u, n in other[0].items()}, other[1] * one[1]
    return {ref: ONE}, ZERO
