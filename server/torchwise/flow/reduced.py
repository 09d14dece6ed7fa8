"""Parameters that DistributedDataParallel waits for: those of its module that a backward has not reached.

Its mark "reduces-all" says that it was not asked to look for unused ones, "unreduced" which ones it still
waits for since its last forward. Notes "unreduced-forward" where it is called again while it waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.value import NONE, Items, Pointer, Site, Tensor, Value
from torchwise.domain.verdict import HOLDS
from torchwise.flow.autograd import EVERYTHING, leaves_of
from torchwise.flow.moving import modules_in

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

REDUCES, UNREDUCED = "reduces-all", "unreduced"


def note_reduced(run: Run, state: State, module: Pointer, ref: int) -> None:
    """Called where a module is called."""
    obj = state.heap[module.to]
    if obj.marks.get(REDUCES) is not HOLDS or not state.grad_mode().holds:
        return
    if any(r.kind == "no-sync" for r in state.regions):
        return
    match obj.marks.get(UNREDUCED):
        case Items((Pointer(), *_) as waiting):
            at = _layer(state, module, {p.to for p in waiting if isinstance(p, Pointer)})
            for _ in range(2 if at is not None else 0):  # the call of its module is an execution, too
                run.event("unreduced-forward", ref, state, (at, module.to), module)  # type: ignore[arg-type]
    state.heap[module.to] = obj.with_mark(UNREDUCED, NONE)  # all of them, from here on


def note_reducing(state: State, root: Value | None) -> None:
    """Called where a backward begins."""
    tensor = state.current(root) if root is not None else None
    graph = tensor.graph if isinstance(tensor, Tensor) else None
    for site, obj in list(state.heap.items()):
        waits = obj.marks.get(UNREDUCED)
        if obj.marks.get(REDUCES) is not HOLDS or not isinstance(waits, Value):
            continue
        own = _trained(state, Pointer(site))
        if graph is None or not graph.complete or own is None:
            state.heap[site] = obj.with_mark(UNREDUCED, None)
            continue
        if not own.isdisjoint(graph.owners):
            before = (
                {p.to for p in waits.items if isinstance(p, Pointer)} if isinstance(waits, Items) else own
            )
            left = before - graph.owners
            items = Items(tuple([Pointer(leaf) for leaf in sorted(left, key=str)]))
            state.heap[site] = obj.with_mark(UNREDUCED, items if left else None)


def _trained(state: State, module: Pointer) -> set[Site] | None:
    """The parameters that require grad; None where one may be missing, or may be frozen."""
    leaves, found = leaves_of(state, module), set()
    if any(EVERYTHING in leaf.part for leaf in leaves):
        return None
    for one in modules_in(state, module):
        for value in state.heap[one.to].attrs.values():
            value = state.current(value)
            if isinstance(value, Tensor) and value.kind == "parameter" and not value.requires_grad.fails:
                if value.storage is None or value.requires_grad.unknown:
                    return None
                found.add(value.storage)
    return found


def _layer(state: State, module: Pointer, leaves: set[Site]) -> Site | None:
    """The layer that holds one of them."""
    for one in modules_in(state, module):
        held = state.heap[one.to].attrs.values()
        if any(isinstance(v, Tensor) and v.storage in leaves for v in held):
            return one.to
    return None
