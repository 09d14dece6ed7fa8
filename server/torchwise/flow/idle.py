"""Optimizers whose gradients are cleared again and again, and never used.

Events: "optimizer-idle", where the optimizer is made, at the end of the scope that made it and lets go of it:
its `zero_grad` has cleared what a backward gave, nothing has looked at that, and no path has stepped it.
"step-on-rest", where it steps with what a backward gave, after what the same backward had given in an earlier
turn was cleared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from torchwise.domain.value import Pointer, Site, Value
from torchwise.domain.verdict import FAILS
from torchwise.flow.definitions import nested
from torchwise.flow.reach import reach
from torchwise.flow.state import Grad, State
from torchwise.ir import nodes as ir

if TYPE_CHECKING:
    from torchwise.flow.run import Run

SEEN = "wasted-seen"  # mark of an optimizer: whether they may have been cleared for another reason
WASTED = "wasted"  # mark of an optimizer: the backward whose gradients it has cleared, which nothing had used


def note_wasted(state: State, optimizer: Site, grads: list[Grad], site: Site, looked: bool) -> None:
    """Called where the gradients of all that an optimizer holds are cleared, and no step has used them."""
    backward = grads[0].backward
    if backward is not None:
        marked = state.heap[optimizer].with_mark(WASTED, Pointer(backward))
        state.heap[optimizer] = marked.with_mark(f"{WASTED}@", Pointer(site)).with_mark(SEEN, looked)


def note_rest(run: Run, state: State, optimizer: Pointer, grads: Collection[Grad], ref: int) -> None:
    """Called where an optimizer steps."""
    marks = state.heap[optimizer.to].marks
    match marks.get(WASTED), marks.get(f"{WASTED}@"):
        case Pointer(backward), Pointer(cleared):
            if _only_by(backward, grads) and _every_time(run, cleared):
                run.event("step-on-rest", ref, state, (cleared, backward), optimizer)
            state.heap[optimizer.to] = state.heap[optimizer.to].with_mark(WASTED, None)


def note_rest_inside(run: Run, before: State, after: State, ref: int) -> None:
    """Called after a call of a function of the project, in which an optimizer may have stepped."""
    from torchwise.flow.gradients import optimizer_leaves

    for site, obj in before.heap.items() if before.grads else ():
        match obj.marks.get(WASTED), obj.marks.get(f"{WASTED}@"):
            case Pointer(backward), Pointer(cleared):
                leaves = optimizer_leaves(before, Pointer(site))
                then = [g for leaf in leaves if (g := before.grads.get(leaf)) is not None]
                now = [g for leaf in leaves if (g := after.grads.get(leaf)) is not None]
                used = {g.backward.place for g in now if g.kind == "used" and g.backward is not None}
                if used == {backward.place} and _only_by(backward, then) and _every_time(run, cleared):
                    run.event("step-on-rest", ref, after, (cleared, backward), Pointer(site))


def _only_by(backward: Site, grads: Iterable[Grad]) -> bool:
    """Whether what is there was given by the same backward, once."""
    fresh = [g for g in grads if g.kind == "fresh" and g.backward is not None and not g.more]
    return {g.backward.place for g in fresh if g.backward is not None} == {backward.place}


def _every_time(run: Run, cleared: Site) -> bool:
    """Whether the function that was called, where it was one, clears whenever it is."""
    key, ref = cleared.place
    if key == run.key:
        return True
    callee = run.lookup.scope(key)
    direct = any(e.at == cleared.ref and e.variant.scope == key for e in run.entered.values())
    return callee is not None and direct and _always(callee.body, ref)


def _always(body: ir.Block, ref: int) -> bool:
    for it in body:
        if it.out == ref:
            return True
        if isinstance(it, ir.If | ir.Loop | ir.Try) and any(isinstance(i, ir.Return) for i in nested(it)):
            return False
        if isinstance(it, ir.With) and _always(it.body, ref):
            return True
    return False


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
            if obj.marks.get(SEEN) is not True:
                out[site] = backward.to
    return out if not out or out.keys().isdisjoint(_kept(value, state)) else {}


def _kept(value: Value, state: State) -> set[Site]:
    """The objects that outlive the scope: others may step them."""
    shared = [o for s, o in state.heap.items() if s.scope == "^"]
    inside = [
        v for o in shared for v in (*o.attrs.values(), *(o.items or ()), *((o.each,) if o.each else ()))
    ]
    return set(reach([state.current(value), *inside, *state.globals.values()], state.heap))
