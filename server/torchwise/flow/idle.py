"""Optimizers whose gradients are cleared again and again, and never used.

Event: "optimizer-idle", where the optimizer is made, at the end of the scope that made it and lets go of it:
its `zero_grad` has cleared what a backward gave, nothing has looked at that, and no path has stepped it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.value import Pointer, Site, Value
from torchwise.domain.verdict import FAILS
from torchwise.flow.reach import reach
from torchwise.flow.state import Grad, State

if TYPE_CHECKING:
    from torchwise.flow.run import Run

WASTED = "wasted"  # mark of an optimizer: the backward whose gradients it has cleared, which nothing had used


def note_wasted(state: State, optimizer: Pointer, grads: list[Grad]) -> None:
    """Called where an optimizer clears gradients that no step has used."""
    backward = grads[0].backward
    if backward is not None and not any(g.seen for g in grads):
        state.heap[optimizer.to] = state.heap[optimizer.to].with_mark(WASTED, Pointer(backward))


def note_idle(run: Run) -> None:
    """Called at the end of a scope."""
    ends = [(value, state) for kind, value, state in run.finished if kind != "raise"]
    found = [_idle(run, value, state) for value, state in ends]
    for site in sorted(set(found[0]).intersection(*found)) if found else ():
        run.event("optimizer-idle", site.ref, ends[0][1], (found[0][site],), Pointer(site))


def _idle(run: Run, value: Value, state: State) -> dict[Site, Site]:
    out = {}
    for site, obj in state.heap.items():
        backward = obj.marks.get(WASTED)
        if site.scope == run.key and isinstance(backward, Pointer) and obj.marks.get("stepped") is FAILS:
            out[site] = backward.to
    return out if not out or out.keys().isdisjoint(_kept(value, state)) else {}


def _kept(value: Value, state: State) -> set[Site]:
    """The objects that outlive the scope: others may step them."""
    shared = [o for s, o in state.heap.items() if s.scope == "^"]
    inside = [
        v for o in shared for v in (*o.attrs.values(), *(o.items or ()), *((o.each,) if o.each else ()))
    ]
    return set(reach([state.current(value), *inside, *state.globals.values()], state.heap))
