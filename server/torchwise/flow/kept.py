"""What outlives the step that it belongs to: graphs in lists and running totals, and optimizers that are
made again.

Events: "graph-kept" where a tensor with a graph joins others whose graph can never be differentiated again;
"optimizer-recreated" where an optimizer that gathers state is made over weights that one made at the same
place has stepped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from torchwise.domain.value import Const, Num, Obj, Params, Pointer, Site, Tensor, Value
from torchwise.domain.verdict import HOLDS
from torchwise.ops import Op

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

STEPPED_BY = "stepped-by"  # mark of a module: the places of the optimizers that have stepped its parameters


def note_kept(run: Run, state: State, op: Op, values: Mapping[str, Value], ref: int) -> None:
    if op.name == "append":
        obj, added = state.obj(values.get("self")), values.get("item")  # type: ignore[arg-type]
        before = [] if obj is None else [*(obj.items or ()), *((obj.each,) if obj.each is not None else ())]
    elif op.name in ("add", "add_"):
        before, added = [values.get("input")], values.get("other")
        if not isinstance(before[0], Tensor) or before[0].shape not in ((), None):
            return
    else:
        return
    if isinstance(added, Tensor) and added.requires_grad.holds and added.graph is not None:
        kept = next((v for v in before if isinstance(v, Tensor) and _spent(state, state.current(v))), None)
        if kept is not None:
            run.event("graph-kept", ref, state, tuple(added.calls), added)


def _spent(state: State, value: Value) -> bool:
    """Whether a backward through it would fail: its graph was freed, or weights that it has saved were
    stepped.
    """
    if not isinstance(value, Tensor) or value.graph is None or not value.requires_grad.holds:
        return False
    graph = value.graph
    if any(s.node in state.freed for s in graph.saved) or any(
        n in state.freed for n in graph.nodes if n.part == "graph"
    ):
        return True
    return any(s.storage in graph.owners and state.version(s.storage) > s.version >= 0 for s in graph.saved)


def note_optimizer(run: Run, state: State, params: Value, made: Pointer, ref: int) -> None:
    """Called where an optimizer is made."""
    obj = state.heap[made.to]
    owner = _owner(state, params)
    if owner is None or not _gathers(obj) or state.heap[owner].marks.get("loaded") is HOLDS:
        return
    again = _place(made.to) in state.heap[owner].marks.get(STEPPED_BY, frozenset())  # type: ignore[operator]
    if again or any(_like(state, site, other, made.to, owner) for site, other in state.heap.items()):
        run.event("optimizer-recreated", ref, state, (), made)


def _like(state: State, site: Site, other: Obj, made: Site, owner: Site) -> bool:
    return (
        site != made
        and site.place == made.place
        and other.marks.get("stepped") is HOLDS
        and _owner(state, other.attrs.get("params")) == owner
    )


def mark_stepped(state: State, optimizer: Pointer) -> None:
    """Called where an optimizer steps."""
    owner = _owner(state, state.heap[optimizer.to].attrs.get("params"))
    if owner is not None and optimizer.to.scope != "^":
        obj = state.heap[owner]
        places = obj.marks.get(STEPPED_BY, frozenset())
        assert isinstance(places, frozenset)
        if _place(optimizer.to) not in places:
            state.heap[owner] = obj.with_mark(STEPPED_BY, places | {_place(optimizer.to)})


def _owner(state: State, params: Value | None) -> Site | None:
    """The one module whose parameters an optimizer holds."""
    return params.of if isinstance(params, Params) and params.of in state.heap else None


def _place(site: Site) -> str:
    return f"{site.place[0]}#{site.place[1]}"


def _gathers(obj: Obj) -> bool:
    """Whether the optimizer has a state that is worth keeping: plain SGD has none."""
    if not obj.cls.endswith(".SGD"):
        return True
    momentum = obj.attrs.get("momentum")
    known = (
        momentum.value
        if isinstance(momentum, Const)
        else momentum.dim.number
        if isinstance(momentum, Num)
        else None
    )
    return known is not None and known != 0
