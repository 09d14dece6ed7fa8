"""Gradients from backward to step: what clears, clips, unscales and uses them, and what is wrong with them
then.

Events: "cleared-unused" where an optimizer clears what no step has used; "stale-step" and "step-on-clear"
where it steps; "step-on-wasted" where what a backward gave was cleared before; "clip-on-clear", "clip-on-
used" and "clip-on-scaled" where gradients are clipped at the wrong moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from torchwise.domain import effects as fx
from torchwise.domain.nature import LEAF_GRADIENT
from torchwise.domain.value import ANY, Graph, Pointer, Site, Tensor, Value
from torchwise.domain.verdict import FAILS, HOLDS, UNKNOWN
from torchwise.flow.autograd import EVERYTHING, MODULE, flow_into, leaves_of
from torchwise.flow.idle import note_rest, note_wasted
from torchwise.flow.kept import mark_stale, mark_stepped
from torchwise.flow.lasting import note_reseeded
from torchwise.flow.schedules import MOVED
from torchwise.flow.state import CLEAR, GRAD_UNKNOWN, ZEROS, Grad, State
from torchwise.flow.strangers import MOST, note_others, note_strangers
from torchwise.flow.together import members, storages
from torchwise.flow.unheld import note_unheld
from torchwise.ir import nodes as ir
from torchwise.ops.optim import OPTIMIZER

if TYPE_CHECKING:
    from torchwise.flow.run import Run


def all_leaves(state: State) -> set[Site]:
    """Those of all modules, and of whatever has parameters that are not known one by one."""
    found = (t for obj in state.heap.values() if MODULE in obj.bases for t in obj.attrs.values())
    kept = (t.storage for t in found if isinstance(t, Tensor) and t.kind == "parameter")
    hidden = {site.of(EVERYTHING) for site, obj in state.heap.items() if obj.marks.get("opaque") is True}
    return {storage for storage in kept if storage is not None} | hidden


def flow_anywhere(state: State, site: Site, into: set[Site] | None) -> None:
    """A backward through a graph that is not all known reaches whatever optimizers of unknown parameters
    hold, and perhaps the parameters of any module.
    """
    owners = frozenset(s for s in state.grads if EVERYTHING in s.part and (into is None or s in into))
    flow_into(state, Graph(owners=owners), site)
    for leaf in all_leaves(state) if into is None else into:
        if state.grads.get(leaf, CLEAR).none:
            state.grads[leaf] = GRAD_UNKNOWN


def clear(run: Run, state: State, it: fx.ClearGrads, ref: int, site: Site) -> None:
    leaves = cleared_by(state, it.target)
    _note_unused(run, state, it.target, leaves, site)
    if any(EVERYTHING in leaf.part for leaf in leaves):
        leaves |= state.grads.keys()  # what is not known one by one may be any of them
    for leaf in leaves:
        grad = state.grads.get(leaf, CLEAR)
        wasted = grad.kind == "fresh"
        cleared = Grad("wasted", grad.backward, site, zeros=it.zeros) if wasted else CLEAR
        state.grads[leaf] = ZEROS if it.zeros and not wasted else cleared


def _note_unused(run: Run, state: State, target: Value, leaves: set[Site], site: Site) -> None:
    """All that an optimizer holds is cleared before any step has used it: by itself, or by the model."""
    obj = state.obj(target)
    itself = obj is not None and "params" in obj.attrs
    if not leaves or (not itself and not any(g.kind == "fresh" for g in map(state.grads.get, leaves) if g)):
        return
    held = [target.to] if itself else [to for to, o in state.heap.items() if OPTIMIZER in o.bases]  # type: ignore[attr-defined]
    for optimizer in held:
        own = leaves if itself else optimizer_leaves(state, Pointer(optimizer))
        grads = [state.grads.get(leaf, CLEAR) for leaf in own]
        if own <= leaves and all(g.kind == "fresh" for g in grads) and grads[0].backward is not None:
            if itself:
                run.event("cleared-unused", site.ref, state, (grads[0].backward,), target)
            note_wasted(state, optimizer, grads, site, looked=not itself or any(g.seen for g in grads))


def cleared_by(state: State, target: Value) -> set[Site]:
    obj = state.obj(target)
    if obj is not None and "params" in obj.attrs:
        return optimizer_leaves(state, target)
    if isinstance(target, Tensor) and target.storage is not None:
        return set(storages(state, target.storage))
    return leaves_of(state, target)


def optimizer_leaves(state: State, optimizer: Value) -> set[Site]:
    """The leaves that an optimizer steps, whatever their number; its own "everything" where they are not
    known.
    """
    obj = state.obj(optimizer)
    if obj is None or not isinstance(optimizer, Pointer):
        return set()
    leaves = leaves_of(state, obj.attrs.get("params", ANY))
    return leaves or {optimizer.to.of(EVERYTHING)}


def step(run: Run, state: State, it: fx.Step, ref: int, site: Site) -> None:
    from torchwise.flow.modes import note_step
    from torchwise.flow.precision import held, note_precision

    if not isinstance(it.optimizer, Pointer) or it.optimizer.to not in state.heap:
        return
    note_precision(run, state, it.optimizer, ref)
    leaves = optimizer_leaves(state, it.optimizer)
    grads = {leaf: grad_of(state, leaf) for leaf in leaves}
    if not any(t.leaf.fails for t in held(state, state.heap[it.optimizer.to].attrs.get("params", ANY))):
        _note_step(run, state, list(grads.values()), it.optimizer, ref)
    note_step(run, state, grads.values(), ref)
    note_strangers(run, state, grads.values(), it.optimizer, ref)
    note_others(state, grads, it.optimizer.to, site)
    scaled = next((g.scaled for g in grads.values() if g.scaled is not None and g.kind == "fresh"), None)
    if scaled is not None and not it.unscales:
        run.event("step-on-scaled", ref, state, (scaled,), it.optimizer)
    note_unheld(run, state, it.optimizer, ref)
    note_rest(run, state, it.optimizer, grads.values(), ref)
    for leaf, grad in grads.items():
        if grad.kind in ("fresh", "mixed"):
            state.grads[leaf] = Grad("used", grad.backward, site)
        elif leaf not in state.grads:
            state.grads[leaf] = CLEAR
        if EVERYTHING not in leaf.part:
            state.write(leaf, site)
    stepped = state.heap[it.optimizer.to].with_mark("stepped", HOLDS).with_mark(MOVED, True)
    stepped = stepped.with_mark("stepped@", Pointer(site))
    state.heap[it.optimizer.to] = stepped.with_mark("stepped-in-turns", bool(run.loops))
    run.event("optimizer-stepped", ref, state, (site,), it.optimizer)
    mark_stepped(state, it.optimizer)
    note_reseeded(run, state, it.optimizer, ref)
    mark_stale(state, leaves)


def _note_step(run: Run, state: State, grads: list[Grad], optimizer: Value, ref: int) -> None:
    mixed = [g for g in grads if g.kind == "mixed"]
    if mixed and not any(g.kind == "unknown" for g in grads):
        first = min(mixed, key=lambda g: g.step.ref if g.step else 0)
        because = tuple(s for s in (first.backward, first.step) if s is not None)
        run.event("stale-step", ref, state, because, optimizer)
    elif grads and all(g.none for g in grads):
        if not any(g.zeros for g in grads):
            run.event("step-on-clear", ref, state, (), optimizer)
        wasted = next((g for g in grads if g.kind == "wasted"), None)
        if wasted is not None:
            run.event(
                "step-on-wasted", ref, state, tuple(s for s in (wasted.backward, wasted.step) if s), optimizer
            )


def written_by_hand(
    run: Run, state: State, op: str, target: Tensor, values: Mapping[str, Value], site: Site, ref: int
) -> None:
    """`p.grad.zero_()` clears; a leaf that is changed by what came of a gradient has been stepped."""
    assert target.storage is not None
    if target.nature == LEAF_GRADIENT or target.storage.part.endswith(".grad"):  # written before
        of = target.storage._replace(part=target.storage.part.removesuffix(".grad"))
        named = storages(state, of)
        if state.grads.keys().isdisjoint(named):  # of a parameter that is not known from the others
            forget_all(state)
        for leaf in named:
            if leaf in state.grads:  # cleared, or worked on: as by whoever unscales by hand, or gathers
                grad = state.grads[leaf]
                more = (
                    (*grad.more[:MOST], site)
                    if any(_other(v, target) for v in values.values())
                    else grad.more
                )
                state.grads[leaf] = ZEROS if op == "zero_" else replace(grad, scaled=None, more=more)
        return
    used = any(isinstance(v, Tensor) and v.nature == LEAF_GRADIENT for v in values.values())
    leaves = storages(state, target.storage)
    grads = {leaf: state.grads[leaf] for leaf in leaves if leaf in state.grads}
    if used and len(grads) == len(leaves) and not state.grad_mode().holds:
        _note_step(run, state, list(grads.values()), target, ref)
        for leaf, grad in grads.items():
            if grad.kind in ("fresh", "mixed"):
                state.grads[leaf] = Grad("used", grad.backward, site)


def _other(value: Value, target: Tensor) -> bool:
    return value is ANY or (isinstance(value, Tensor) and value.id != target.id)


def backward_by_name(run: Run, state: State, it: ir.Call) -> None:
    """`accelerator.backward(loss)`, `model.zero_grad()` of something unknown: any gradient may change.

    What `x.backward()` is asked of is a tensor with a graph, or torch would refuse.
    """
    attr = run.defs.get(it.callee) if isinstance(it.callee, int) else None
    if isinstance(attr, ir.Attr) and (
        _of_gradients(run, attr) or "backward" in attr.name or "grad" in attr.name
    ):
        forget_all(state)
        if attr.name == "requires_grad_":
            perhaps_frozen(state, ANY)
        named = {a.name: state.regs.get(a.ref, ANY) for a in it.args}
        if attr.name == "backward" and named.keys() <= {"retain_graph", "create_graph"}:
            _rename(run, state, attr.base, differentiated(run, state, Tensor(), it.out, bool(named)))


def _of_gradients(run: Run, method: ir.Attr) -> bool:
    """`p.grad.zero_()`, `p.grad.data.copy_(g)`."""
    inner = run.defs.get(method.base)
    names = [i.name for i in (inner, run.defs.get(getattr(inner, "base", 0))) if isinstance(i, ir.Attr)]
    return method.name.endswith("_") and "grad" in names


def forget_all(state: State) -> None:
    """Any gradient may change."""
    held = [to for to, obj in state.heap.items() if OPTIMIZER in obj.bases]
    own = (leaf for to in held for leaf in optimizer_leaves(state, Pointer(to)))
    state.grads.update(dict.fromkeys((*state.grads, *all_leaves(state), *own), GRAD_UNKNOWN))


def set_on_some(state: State, name: str, target: Value) -> None:
    """`p.grad = None`, `p.requires_grad = False`, where it may not be known which parameter that is."""
    if name == "requires_grad":
        perhaps_frozen(state, target)
    elif not isinstance(target, Tensor) or target.storage is None or any_parameter(target):
        forget_all(state)


def any_parameter(target: Tensor) -> bool:
    """One of those of a module that is not known whole."""
    return target.kind == "parameter" and target.requires_grad is UNKNOWN


def perhaps_frozen(state: State, target: Value) -> None:
    """`requires_grad` is set. Of something unknown, it may be that of any parameter."""
    modules = [(site, obj) for site, obj in state.heap.items() if MODULE in (obj.cls, *obj.bases)]
    if isinstance(target, Tensor):
        held = any(isinstance(v, Tensor) and v.id == target.id for _, o in modules for v in o.attrs.values())
        if target.kind != "parameter" or held or members(state, target.id):
            return
    for site, obj in modules:
        for name, value in obj.attrs.items():
            now = state.current(value)
            if isinstance(now, Tensor) and now.kind == "parameter" and now.requires_grad is not UNKNOWN:
                unsure = now.but(requires_grad=UNKNOWN)
                obj = state.heap[site] = obj.with_attr(name, unsure)
                if unsure.id is not None and unsure.id in state.tensors:
                    state.tensors[unsure.id] = unsure


def _rename(run: Run, state: State, ref: int, value: Tensor) -> None:
    """Gives a new value to the name or attribute that an instruction read."""
    match run.defs.get(ref):
        case ir.Load(name=name) if name in state.env:
            state.env[name] = value
        case ir.Attr(base=base, name=name):
            owner = state.regs.get(base, ANY)
            if isinstance(owner, Pointer) and (obj := state.obj(owner)) is not None and name in obj.attrs:
                state.heap[owner.to] = obj.with_attr(name, value)


def differentiated(run: Run, state: State, root: Tensor, ref: int, keep: bool) -> Tensor:
    """What a backward tells of a root of which nothing was known: it has a graph, and that is freed now."""
    node = run.site(ref, "graph")
    if not keep:
        state.freed = state.freed | {node}
    site = root.id or run.site(ref, "root")
    known = root.graph or Graph(complete=False)
    graph = Graph(known.nodes | {node}, known.saved, known.owners, known.complete)
    return root.but(id=site, storage=root.storage or site, requires_grad=HOLDS, leaf=FAILS, graph=graph)


def grad_of(state: State, leaf: Site) -> Grad:
    """Of the parameters of something that is not even on the heap, nothing is known."""
    owner = leaf._replace(part=leaf.part.removesuffix(f".{EVERYTHING}"))
    nowhere = EVERYTHING in leaf.part and owner not in state.heap
    return state.grads.get(leaf, GRAD_UNKNOWN if nowhere else CLEAR)


def look(state: State, leaves: Iterable[Site]) -> None:
    """Something reads the gradients of these leaves: they are of use, whether they are stepped or not."""
    for leaf in leaves:
        grad = state.grads.get(leaf)
        if grad is not None and grad.kind == "fresh" and not grad.seen:
            state.grads[leaf] = replace(grad, seen=True)


def look_at(state: State, tensor: Tensor) -> None:
    """`tensor.grad` is read."""
    look(state, list(state.grads) if tensor.storage is None else storages(state, tensor.storage))


def clip(run: Run, state: State, it: fx.Clip, ref: int, site: Site) -> None:
    leaves = leaves_of(state, it.parameters)
    look(state, leaves)
    grads = [grad_of(state, leaf) for leaf in leaves]
    if not grads or any(g.kind == "unknown" for g in grads):
        return
    fresh = [g for g in grads if g.kind in ("fresh", "mixed")]
    used = next((g for g in grads if g.kind == "used"), None)
    if fresh and all(g.scaled is not None for g in fresh):
        run.event("clip-on-scaled", ref, state, (fresh[0].scaled,) if fresh[0].scaled else ())
    elif all(g.kind == "clear" for g in grads):  # of wasted ones, the step tells
        run.event("clip-on-clear", ref, state)
    elif not fresh and used is not None and used.step is not None:
        run.event("clip-on-used", ref, state, (used.step,))


def unscale(run: Run, state: State, it: fx.Unscale, ref: int, site: Site) -> None:
    for leaf in optimizer_leaves(state, it.optimizer):
        if leaf in state.grads:
            state.grads[leaf] = replace(state.grads[leaf], scaled=None)
