"""Carries out what ops declare that a call does: one small function per effect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from torchwise.domain import effects as fx
from torchwise.domain.nature import UNWRITTEN
from torchwise.domain.value import (
    ANY,
    NONE,
    Func,
    Items,
    Many,
    Obj,
    Params,
    Partial,
    Pointer,
    Site,
    Tensor,
    Value,
    Wrapped,
)
from torchwise.domain.verdict import HOLDS, UNKNOWN, Verdict
from torchwise.flow.autograd import EVERYTHING, MODULE, backward, leaves_of
from torchwise.flow.gradients import (
    any_parameter,
    clear,
    cleared_by,
    clip,
    differentiated,
    flow_anywhere,
    forget_all,
    optimizer_leaves,
    set_on_some,
    step,
    unscale,
)
from torchwise.flow.hooks import forgotten, in_hook, look_into
from torchwise.flow.lasting import entered
from torchwise.flow.moving import modules_in, replace_tensors
from torchwise.flow.round import note_forward_handed_on
from torchwise.flow.schedules import note_early
from torchwise.flow.state import GRAD_UNKNOWN, State, meet, meet_values
from torchwise.flow.together import members, storages
from torchwise.flow.unheld import FROZEN, note_frozen, note_items_put, note_put

if TYPE_CHECKING:
    from torchwise.flow.run import Run

Paths = list[tuple[State, Value]]


def carry_out(
    run: Run, state: State, effects: tuple[fx.Effect, ...], result: Value, ref: int, site: Site
) -> Paths:
    paths: Paths = [(state, result)]
    for number, effect in enumerate(effects):
        if isinstance(effect, fx.Invoke):
            own = site if number == 0 else site.of(f"{number}")  # what each call makes is another thing
            paths = _invoke(run, paths, effect, ref, own)
            continue
        if isinstance(effect, fx.Each):
            paths = _each(run, paths, effect, ref, site)
            continue
        if isinstance(effect, fx.Keep):
            paths = [_keep(run, one, made, effect, ref, site) for one, made in paths]
            continue
        act = _ACTS[type(effect)]
        for one, _ in paths:
            act(run, one, effect, ref, site)
    return paths


def _invoke(run: Run, paths: Paths, effect: fx.Invoke, ref: int, site: Site) -> Paths:
    from torchwise.flow.calls import call
    from torchwise.flow.opcalls import Args

    for state, _ in paths[:1]:
        note_forward_handed_on(run, state, effect.func, ref)
    after: Paths = []
    part = "again" if effect.again else "invoke"
    for number, (state, result) in enumerate(paths):
        args = Args(tuple((None, v) for v in effect.args), {n: (None, v) for n, v in effect.named})
        ends = call(run, state, effect.func, args, ref, site.of(f"{part}{number}"))
        for one, value in ends if effect.uses else ():
            if value == NONE:
                run.event("returns-nothing", ref, one)
        after += [(one, value if result is ANY and effect.hands_on else result) for one, value in ends]
    return after


def _each(run: Run, paths: Paths, effect: fx.Each, ref: int, site: Site) -> Paths:
    """One call for each row of arguments; the result is what they gave, in order."""
    from torchwise.flow.calls import call
    from torchwise.flow.opcalls import Args

    for state, _ in paths[:1]:
        note_forward_handed_on(run, state, effect.func, ref)
    after: list[tuple[State, tuple[Value, ...]]] = [(state, ()) for state, _ in paths]
    for number, row in enumerate(effect.rows):
        args = Args(tuple((None, v) for v in row))
        after = [
            (ended, (*made, value))
            for one, made in after
            for ended, value in call(run, one, effect.func, args, ref, site.of(f"each{number}"))
        ]
        after = _as_one(after) if len(after) > MOST_PATHS else after
    return [
        (one, Items(made, "iterator") if effect.whole else Many(made[0] if made else ANY))
        for one, made in after
    ]


def _as_one(paths: list[tuple[State, tuple[Value, ...]]]) -> list[tuple[State, tuple[Value, ...]]]:
    state, made = paths[0]
    for other, also in paths[1:]:
        made = tuple(meet_values(state, other, *pair) for pair in zip(made, also, strict=True))
        state = meet(state, other)
    return [(state, made)]


def _keep(
    run: Run, state: State, result: Value, effect: fx.Keep, ref: int, site: Site
) -> tuple[State, Value]:
    """The parameters that a filter leaves, where every answer is known."""
    from torchwise.flow.branches import truth
    from torchwise.flow.calls import call
    from torchwise.flow.iteration import elements
    from torchwise.flow.opcalls import Args

    found = elements(run, state, effect.iterable, ref)
    if not isinstance(found, tuple) or not isinstance(result, Params):
        return state, result
    kept = []
    for number, value in enumerate(found):
        ends = call(run, state, effect.func, Args(((None, value),)), ref, site.of(f"keep{number}"))
        answers = {truth(one, answer) for one, answer in ends}
        if len(ends) != 1 or None in answers:
            return state, result
        state = ends[0][0]
        kept += [value] if True in answers else []
    return state, replace(result, some=False, kept=tuple(kept))


MOST_PATHS = 4


def _write(run: Run, state: State, it: fx.Write, ref: int, site: Site) -> None:
    target = state.current(it.target)
    if isinstance(target, Tensor) and target.storage is not None:
        for storage in storages(state, target.storage):
            state.write(storage, site)


def _update(run: Run, state: State, it: fx.Update, ref: int, site: Site) -> None:
    target = state.current(it.target)
    if isinstance(target, Tensor) and target.id is not None and isinstance(it.becomes, Tensor):
        state.tensors[target.id] = it.becomes.but(id=target.id, storage=it.becomes.storage or target.storage)
        for one in members(state, target.id):
            assert one.id is not None
            state.tensors[one.id] = one.but(requires_grad=it.becomes.requires_grad, dtype=it.becomes.dtype)


def _learn(run: Run, state: State, it: fx.Learn, ref: int, site: Site) -> None:
    if isinstance(it.target, Tensor):
        state.learn(it.target, it.shape)


def _backward(run: Run, state: State, it: fx.Backward, ref: int, site: Site) -> None:
    run.event("differentiates", ref, state)
    root = state.current(it.root)
    known = isinstance(root, Tensor) and (
        root.graph is not None or root.requires_grad.fails or root.leaf.holds
    )
    into = None if it.into is None else leaves_of(state, it.into)
    if isinstance(root, Tensor) and known:
        backward(run, state, root, it, ref, site)
    if it.stores and (not known or (root.graph is not None and not root.graph.complete)):  # type: ignore[attr-defined]
        flow_anywhere(state, site, into)
    if isinstance(root, Tensor) and root.id is not None and root.requires_grad.unknown:
        state.tensors[root.id] = differentiated(run, state, root, ref, it.keep)


def _mark(state: State, target: Value, name: str, value: object) -> None:
    if isinstance(target, Pointer) and target.to in state.heap:
        state.heap[target.to] = state.heap[target.to].with_mark(name, value)


def _set_mark(run: Run, state: State, it: fx.SetMark, ref: int, site: Site) -> None:
    targets = modules_in(state, it.target, perhaps=True) if it.deep else [it.target]
    own = _own_train(run, state, it.target) if it.deep and it.name == "training" else frozenset()
    for target in targets:
        _mark(state, target, it.name, UNKNOWN if target in own else it.value)
        _mark(state, target, f"{it.name}@", Pointer(site))
        if it.name == "held":
            note_frozen(state, target)
    if it.name == "stepped" and it.value is HOLDS:
        run.event("scheduler-stepped", ref, state, (site,), it.target)
        note_early(run, state, it.target, ref)


def _own_train(run: Run, state: State, root: Value) -> frozenset[Value]:
    """Modules inside whose mode is set by a `train` of the project's, and all that is inside of them."""
    found: set[Value] = set()
    for module in modules_in(state, root):
        cls = state.heap[module.to].cls
        facts = run.lookup.class_facts(cls) if "::" in cls and module != root else None
        bases = (
            [run.lookup.class_facts(base) for base in facts.order if "::" in base]
            if facts is not None
            else []
        )
        if any(base is not None and "train" in base.names for base in bases):
            found.update(modules_in(state, module))
    return frozenset(found)


def _set_attr(run: Run, state: State, it: fx.SetAttrOf, ref: int, site: Site) -> None:
    if it.name == "requires_grad" and not isinstance(it.target, Pointer):
        set_on_some(state, it.name, it.target)
    if isinstance(it.target, Pointer) and it.target.to in state.heap:
        value = it.value
        if isinstance(value, Tensor) and value.id is None:
            value = value.but(id=(inner := it.target.to.of(it.name)), storage=inner)
        note_put(run, state, it.target, state.heap[it.target.to].attrs.get(it.name), value, site)
        state.heap[it.target.to] = state.heap[it.target.to].with_attr(it.name, value)


def _set_grad(run: Run, state: State, it: fx.SetGrad, ref: int, site: Site) -> None:
    set_on_some(state, "grad", target := state.current(it.target))
    if isinstance(target, Tensor) and target.storage is not None:
        for storage in storages(state, target.storage):
            state.grads[storage] = GRAD_UNKNOWN


def _set_items(run: Run, state: State, it: fx.SetItems, ref: int, site: Site) -> None:
    if isinstance(it.target, Pointer) and it.target.to in state.heap:
        if not in_hook(state):
            forgotten(state, it.target)
        obj = state.heap[it.target.to]
        note_items_put(run, state, it.target, it.items, site)
        owner = _state_owner(state, it) if obj.cls == "dict" else None
        if "state_of" in obj.marks or owner is not None:  # of other things too: no longer just that state
            obj = obj.with_mark("state_of", owner)
        state.heap[it.target.to] = obj.with_items(it.items, it.each)


def _state_owner(state: State, it: fx.SetItems) -> Value | None:
    """The module whose own tensors are all that a dict is given, as they are."""
    values = (it.each,) if it.items is None else it.items[1::2]
    if not values or any(not isinstance(v, Tensor) or v.kind != "state" for v in values):
        return None
    owners = {obj.marks.get("state_of") for obj in state.heap.values()} - {None}
    only = owners.pop() if len(owners) == 1 else None
    return only if isinstance(only, Pointer) else None


def _enter_region(run: Run, state: State, it: fx.EnterRegion, ref: int, site: Site) -> None:
    state.regions = entered(state.regions, replace(it.region, at=site))


def _escape(run: Run, state: State, it: fx.Escape, ref: int, site: Site) -> None:
    escape(run, state, [it.target])


def escape(run: Run, state: State, values: list[Value]) -> None:
    """The values are handed to code that nothing is known of: their typestate is unknown from here on."""
    from torchwise.flow.names import captures

    seen: set[Site] = set()
    functions: set[Func] = set()
    queue = list(values)
    while queue:
        value = queue.pop()
        match value:
            case Pointer(to):
                if to not in seen and to in state.heap:
                    seen.add(to)
                    queue += _let_go(state, to)
            case Params(of, at):
                queue.append(Pointer(of))
                if at is not None and at in state.heap:
                    state.heap[at] = state.heap[at].with_mark("exhausted", UNKNOWN)
            case Items(items):
                queue += items
            case Many(each):
                queue.append(each)
            case Wrapped(func):
                queue.append(func)
            case Func():
                keep_function(run, state, value)
                if value not in functions:  # it may be called
                    functions.add(value)
                    queue += [*captures(run, state, value).values(), *([value.bound] if value.bound else ())]
            case Partial(func, args, named):
                queue += [func, *args, *(v for _, v in named)]
            case Tensor():
                if value.nature == UNWRITTEN and value.id is not None:
                    state.tensors[value.id] = value.but(nature=None)
                for leaf in _reached(value, state):
                    state.grads[leaf] = GRAD_UNKNOWN
                if any_parameter(value):
                    forget_all(state)


def _reached(tensor: Tensor, state: State) -> set[Site]:
    """The leaves whose gradients code that gets a tensor may change."""
    own = set(storages(state, tensor.storage)) if tensor.storage is not None else set()
    out = own if tensor.kind == "parameter" or tensor.leaf.holds else state.grads.keys() & own
    if tensor.graph is not None:
        out |= tensor.graph.owners
        if not tensor.graph.complete:
            out |= {s for s in state.grads if EVERYTHING in s.part}
    return out


CALLED_BACK = "called-back"  # mark of what a function that was handed over works with


def call_back(run: Run, state: State) -> None:
    """Something is called of which nothing is known: perhaps a function that was handed over before."""
    marked = [Pointer(site) for site, obj in state.heap.items() if CALLED_BACK in obj.marks]
    if marked:
        escape(run, state, marked)  # type: ignore[arg-type]


def keep_function(run: Run, state: State, func: Func) -> None:
    """A function is handed over to be called later (a hook, a callback): what it collects may grow at any
    time.
    """
    from torchwise.flow.names import captures

    holders = [v for v in captures(run, state, func).values() if isinstance(v, Pointer)]
    for holder in holders:
        obj = state.heap.get(holder.to)
        if obj is not None and obj.cls not in ("list", "dict", "set"):
            state.heap[holder.to] = obj.with_mark(CALLED_BACK, True)
    if isinstance(func.bound, Pointer) and func.bound.to in state.heap:
        holders += [v for v in state.heap[func.bound.to].attrs.values() if isinstance(v, Pointer)]
    for holder in holders:
        obj = state.heap.get(holder.to)
        if obj is not None and obj.cls in ("list", "dict", "set"):
            state.heap[holder.to] = obj.with_items(None, ANY)


def _let_go(state: State, site: Site) -> list[Value]:
    obj = state.heap[site]
    inner = [*obj.attrs.values(), *(obj.items or ()), *((obj.each,) if obj.each else ())]
    if obj.cls in ("list", "dict", "set", "generator"):
        forgotten(state, Pointer(site))
        obj = state.heap[site]
        if "state_of" in obj.marks:
            obj = obj.with_mark("state_of", None)
        state.heap[site] = obj.with_items(None, ANY)
        return inner
    marks = {name: UNKNOWN if isinstance(mark, Verdict) else mark for name, mark in obj.marks.items()}
    marks.pop(FROZEN, None)  # what was frozen may have got an optimizer of its own
    state.heap[site] = Obj(obj.cls, obj.attrs, obj.items, obj.each, marks, obj.bases)
    everything = site.of(EVERYTHING)
    if everything in state.grads or obj.marks.get("opaque") is True or MODULE in obj.bases:
        state.grads[everything] = GRAD_UNKNOWN
    if "params" in obj.attrs:
        for leaf in optimizer_leaves(state, Pointer(site)):
            state.grads[leaf] = GRAD_UNKNOWN
    return inner


_ACTS: dict[type, Callable[[Run, State, object, int, Site], None]] = {
    fx.Write: _write,  # type: ignore[dict-item]
    fx.Update: _update,  # type: ignore[dict-item]
    fx.Learn: _learn,  # type: ignore[dict-item]
    fx.Backward: _backward,  # type: ignore[dict-item]
    fx.ClearGrads: clear,  # type: ignore[dict-item]
    fx.Step: step,  # type: ignore[dict-item]
    fx.Clip: clip,  # type: ignore[dict-item]
    fx.Unscale: unscale,  # type: ignore[dict-item]
    fx.SetGrad: _set_grad,  # type: ignore[dict-item]
    fx.SetMark: _set_mark,  # type: ignore[dict-item]
    fx.SetAttrOf: _set_attr,  # type: ignore[dict-item]
    fx.SetItems: _set_items,  # type: ignore[dict-item]
    fx.ReplaceTensors: replace_tensors,  # type: ignore[dict-item]
    fx.EnterRegion: _enter_region,  # type: ignore[dict-item]
    fx.Escape: _escape,  # type: ignore[dict-item]
    fx.LookInto: look_into,  # type: ignore[dict-item]
}
__all__ = ["NONE", "carry_out", "cleared_by", "escape", "modules_in", "optimizer_leaves"]
