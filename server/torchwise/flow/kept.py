"""What outlives the step that it belongs to: graphs in lists and running totals, optimizers that are made
again, and state dicts, which hold the weights themselves.

Events: "graph-kept" where a tensor with a graph joins others whose graph can never be differentiated again;
"average-tracked" where a running average of parameters is recorded again and again; "optimizer-recreated"
where an optimizer that gathers state is made over weights that one made at the same place has stepped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from torchwise.domain.nature import REPLAYED
from torchwise.domain.value import Const, Graph, Items, Num, Obj, Params, Pointer, Site, Tensor, Value
from torchwise.domain.verdict import HOLDS
from torchwise.flow.autograd import AVERAGES, EVERYTHING, LEAF, leaves_of, outdated
from torchwise.flow.emptied import emptied_elsewhere
from torchwise.flow.hooks import in_hook, note_collected
from torchwise.flow.normed import note_biased
from torchwise.flow.padding import DRAWING, FILLING, note_drawn
from torchwise.flow.turns import around
from torchwise.ir import nodes as ir
from torchwise.ops import Op

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

SUMS = frozenset(("operator.add", "operator.iadd", "operator.sub", "operator.isub"))
COLLECTS = frozenset(("append", "extend", "add", "add_"))
NOTED = COLLECTS | AVERAGES | DRAWING | FILLING | {"batch_norm"}
MOST, DEPTH = 64, 2  # of what is looked through for tensors: elements, and lists in lists
STALE = "stale"  # mark of a state dict: its weights have been trained since it was taken
STEPPED_BY = "stepped-by"  # mark of a module: the places of the optimizers that have stepped its parameters


def note_kept(run: Run, state: State, op: Op, values: Mapping[str, Value], ref: int) -> None:
    if op.name in DRAWING or op.name in FILLING:
        note_drawn(run, state, op.name, values.get("tensor"), ref)
    if op.name == "batch_norm":
        note_biased(run, state, values, ref)
    if op.name in AVERAGES:
        note_average(run, state, op, values, ref)
    if op.name not in COLLECTS:
        return
    before, added = _joined_by(run, state, op, values)
    if in_hook(state):
        recorded = [t for t in tensors_in(state, added) if t.requires_grad.holds and t.graph is not None]
        note_collected(run, state, values.get("self"), recorded, ref)
    if run.loops and all(any(_replayed(state, v) for v in side) for side in (before, added)):
        run.event("replayed-kept", ref, state, (), added[0])
    fresh = next((t for t in tensors_in(state, added) if t.requires_grad.holds and t.graph is not None), None)
    if fresh is not None and any(spent(state, t) for t in tensors_in(state, before)):
        if emptied_elsewhere(run, state, values.get("self")):
            return
        run.event("graph-kept", ref, state, tuple(fresh.calls), fresh)


def _replayed(state: State, value: Value) -> bool:
    now = state.current(value)
    return isinstance(now, Tensor) and now.nature == REPLAYED


def _joined_by(
    run: Run, state: State, op: Op, values: Mapping[str, Value]
) -> tuple[list[Value], list[Value]]:
    """What was there from earlier turns of a loop or earlier calls, and what a call adds to it."""
    holder = values.get("self" if op.name in ("append", "extend") else "input")
    obj = state.obj(holder)  # type: ignore[arg-type]
    if op.name == "append":
        added = [values.get("item")]
    else:
        added = [values.get("iterable" if op.name == "extend" else "other")]
    before: list[Value | None] = []
    if obj is not None and obj.cls == "list":
        before = [v for v in (*(obj.items or ()), obj.each) if not _made_in(v, run.key, {run.turn})]
    elif op.name in ("add", "add_") and isinstance(holder, Tensor) and holder.shape in ((), None):
        handed = op.name == "add" and holder.id is not None and holder.id.scope == "^"
        before = [] if handed or _made_in(holder, run.key, around(run.turn)) else [holder]
    return [v for v in before if v is not None], [v for v in added if v is not None]


def _made_in(value: Value | None, scope: str, turns: set[int]) -> bool:
    """Whether a tensor, or the first tensor of a pair or the like, was made in one of these turns here."""
    while isinstance(value, Items) and value.items:
        value = value.items[0]
    site = value.id if isinstance(value, Tensor) else None
    return site is not None and site.scope == scope and site.turn in turns


def tensors_in(state: State, values: list[Value], depth: int = 0) -> Iterator[Tensor]:
    """The tensors that values are, or hold: in tuples, lists and dicts."""
    for value in values[:MOST]:
        match state.current(value):
            case Tensor() as tensor:
                yield tensor
            case Items(items) if depth < DEPTH:
                yield from tensors_in(state, list(items), depth + 1)
            case Pointer() as pointer if depth < DEPTH:
                obj = state.obj(pointer)
                if obj is not None and obj.cls in ("list", "dict"):
                    yield from tensors_in(state, [*(obj.items or ())], depth + 1)


def note_carried(run: Run, state: State, old: Value | None, new: Value, instr: ir.Instr | None) -> None:
    """A sum that takes the place of one of its parts, whose graph can never be differentiated again."""
    if not isinstance(old, Tensor) or not isinstance(new, Tensor) or not new.requires_grad.holds:
        return
    sums = isinstance(instr, ir.Call) and instr.callee in SUMS
    if sums and old.graph is not None and new.graph is not None and old.graph.nodes <= new.graph.nodes:
        if spent(state, state.current(old)):
            run.event("graph-kept", instr.out, state, tuple(new.calls), new)  # type: ignore[union-attr]


def note_average(run: Run, state: State, op: Op, values: Mapping[str, Value], ref: int) -> None:
    """An average of parameters that goes on with its own graph after they have been stepped."""
    if not state.grad_mode().holds:
        return
    sides = [t for n in ("input", "other", "end", "self") if isinstance(t := values.get(n), Tensor)]
    old = [t for t in sides if t.graph and outdated(state, t.graph) and _went_on(run, t.graph, op, ref)]
    fresh = [t for t in sides if t.requires_grad.holds and t not in old]
    target = values.get(op.inplace or "")
    raises = isinstance(target, Tensor) and target.leaf.holds and target.requires_grad.holds
    if old and fresh and not raises:
        run.event("average-tracked", ref, state, tuple(fresh[0].calls), fresh[0])


def _went_on(run: Run, graph: Graph, op: Op, ref: int) -> bool:
    """Whether what has the graph may have come out of this same update before: a copy that is only compared
    with the parameters now has not.
    """
    return bool(op.inplace) or any(n.scope != run.key or n.ref == ref for n in graph.nodes)


def spent(state: State, value: Value) -> bool:
    """Whether a backward through it would fail: its graph was freed, or weights that it has saved were
    stepped.
    """
    if not isinstance(value, Tensor) or value.graph is None or not value.requires_grad.holds:
        return False
    graph = value.graph
    if any(s.node in state.freed for s in graph.saved) or any(
        n in state.freed for n in graph.nodes if n.part.endswith("graph")
    ):
        return True
    return any(
        s.what != LEAF and s.storage in graph.owners and state.version(s.storage) > s.version >= 0
        for s in graph.saved
    )


def note_optimizer(run: Run, state: State, params: Value, made: Pointer, ref: int) -> None:
    """Called where an optimizer is made."""
    obj = state.heap[made.to]
    owner = _owner(state, params)
    if owner is None or not _gathers(obj) or state.heap[owner].marks.get("loaded") is HOLDS:
        return
    again = _place(made.to) in _stepped_by(state.heap[owner])
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
        places = _stepped_by(obj)
        if _place(optimizer.to) not in places:
            state.heap[owner] = obj.with_mark(STEPPED_BY, places | {_place(optimizer.to)})


def mark_stale(state: State, stepped: set[Site]) -> None:
    """Called where leaves are stepped: a state dict that was taken before has moved along with them."""
    for site, obj in list(state.heap.items()):
        owner = obj.marks.get("state_of")
        if isinstance(owner, Pointer) and obj.marks.get(STALE) is not HOLDS:
            leaves = leaves_of(state, owner)
            unknown = any(EVERYTHING in leaf.part for leaf in (*leaves, *stepped))
            if unknown or not leaves.isdisjoint(stepped):
                state.heap[site] = obj.with_mark(STALE, HOLDS)


def mark_stale_inside(before: State, after: State) -> None:
    """Called after a call of a function of the project that may have stepped leaves."""
    if any("state_of" in obj.marks for obj in before.heap.values()):
        stepped = {s for s in after.written if after.version(s) > before.version(s)}
        stepped |= {s for s, g in after.grads.items() if g.kind == "used" and g != before.grads.get(s)}
        if stepped:
            mark_stale(after, stepped)


def _stepped_by(module: Obj) -> frozenset[str]:
    places = module.marks.get(STEPPED_BY)
    return places if isinstance(places, frozenset) else frozenset()  # unknown where paths met


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
