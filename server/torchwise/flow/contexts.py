"""`with` and `try`: regions that are entered and left, and paths that an exception takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from torchwise.domain.value import (
    ANY,
    NONE,
    Any,
    Device,
    Func,
    Method,
    Named,
    Obj,
    Partial,
    Pointer,
    Region,
    Some,
    Value,
)
from torchwise.domain.verdict import FAILS
from torchwise.flow.compiled import traced
from torchwise.flow.functions import enter, resume
from torchwise.flow.opcalls import Args
from torchwise.flow.run import Run, handles
from torchwise.flow.state import CLEAR, State, meet
from torchwise.ir import nodes as ir
from torchwise.ops import OPS

# Context managers that Dynamo does not know how to enter.
LOCKS = frozenset(f"threading.{n}" for n in ("Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore"))


@handles(ir.With)
def _with(run: Run, it: ir.With, state: State) -> list[State]:
    context = state.regs.get(it.context, ANY)
    if isinstance(context, Named | Method) and (row := OPS.get(context.path)) and "region" in row.tags:
        run.event("context-uncalled", it.context, state, (), None, context.path)
    obj = state.obj(context)
    if traced(state) and (isinstance(context, Device) or (obj is not None and obj.cls in LOCKS)):
        run.event("context-entered", it.context, state, (), None, "device" if obj is None else obj.cls)
    opened = (
        isinstance(context, Partial) and isinstance(context.func, Func) and context.func.static == "opened"
    )
    if traced(state) and (opened or (obj is not None and "::" in obj.cls)):
        run.event("own-context", it.context, state)
    if opened and isinstance(context, Partial):
        return _generator(run, it, state, context)
    if obj is not None and "region" in obj.marks:
        region = obj.marks["region"]
        assert isinstance(region, Region)
        return _region(run, it, state, region, context)
    if isinstance(context, Device):
        return _region(run, it, state, Region("device", context.name), context)
    if context == Some("device"):
        return _region(run, it, state, Region("device", "?"), context)
    if obj is not None and "::" in obj.cls:
        return _object(run, it, state, context, obj)
    return _region(run, it, state, Region("with", "unknown"), context if obj is not None else ANY)


def _region(run: Run, it: ir.With, state: State, region: Region, entered: Value) -> list[State]:
    before = state.regions
    if isinstance(entered, Pointer):  # the call set the mode at once: the block puts back what was before
        before = tuple([r for r in before if r.at != entered.to])
    state.regions = (*before, replace(region, at=run.site(it.out)))
    state.regs[it.entered] = entered
    states = through(run, it.body, [state], lambda one: _outside(one, before))
    if region.kind == "profile" and isinstance(entered, Pointer):
        _note_profile(run, it, states, entered)
    return states


def _outside(state: State, before: tuple[Region, ...]) -> list[State]:
    state.regions = before
    return [state]


def through(
    run: Run, body: ir.Block, states: list[State], leave: Callable[[State], list[State]]
) -> list[State]:
    """Runs a block; whichever way a path goes out of it (by its end, return, raise, break, continue), it
    goes by `leave`.
    """
    returned = len(run.finished)
    ways = [*run.raised[-1:], *(run.leaving[-1].values() if run.leaving else ())]
    known = [len(way) for way in ways]
    ends = run.block(body, states)
    run.finished[returned:] = [(kind, v, s) for kind, v, one in run.finished[returned:] for s in leave(one)]
    for way, start in zip(ways, known, strict=True):
        way[start:] = [s for one in way[start:] for s in leave(one)]
    return [s for one in ends for s in leave(one)]


def _note_profile(run: Run, it: ir.With, states: list[State], entered: Pointer) -> None:
    """A profiler with a schedule that no path has stepped."""
    objs = [o for s in states if (o := s.obj(entered)) is not None]
    if objs and all(
        o.marks.get("stepped") is FAILS
        and type(o.attrs.get("schedule", NONE)) is not Any
        and o.attrs.get("schedule", NONE) != NONE
        for o in objs
    ):
        run.event("profile-unstepped", it.context, states[0], (entered.to,))


def _object(run: Run, it: ir.With, state: State, context: Value, obj: Obj) -> list[State]:
    """A context manager of the project: `__enter__`, the body, `__exit__`."""
    from torchwise.flow.calls import call
    from torchwise.flow.objects import attribute

    enter_ = attribute(run, state, context, "__enter__", it.out)

    def leave(end: State) -> list[State]:
        exit_ = attribute(run, end, context, "__exit__", it.out)
        args = Args(((None, ANY), (None, ANY), (None, ANY)))
        return [s for s, _ in call(run, end, exit_, args, it.out, run.site(it.out, "exit"))]

    states = []
    for one, value in call(run, state, enter_, Args(), it.out, run.site(it.out, "enter")):
        one.regs[it.entered] = value
        states += through(run, it.body, [one], leave)
    return states


def _generator(run: Run, it: ir.With, state: State, context: Partial) -> list[State]:
    """A `@contextmanager` function: up to its yield, the body, and what is different at its end."""
    func = context.func
    assert isinstance(func, Func)
    scope = run.lookup.scope(func.scope)
    args = Args(tuple((None, v) for v in context.args), {n: (None, v) for n, v in context.named})
    entered = None if scope is None else enter(run, state, replace(func, static=""), scope, args, it.out)
    if entered is None:
        from torchwise.flow.effects import escape

        escape(run, state, args.values())
        return _region(run, it, state, Region("with", "unknown"), ANY)
    border, summary, variant = entered
    yields = [e for e in summary.exits if e.kind == "yield"]
    ends = [e for e in summary.exits if e.kind == "return"]
    if len(yields) != 1 or not ends:
        return _region(run, it, state, Region("with", "unknown"), ANY)
    site = run.site(it.out)
    before = state.regions
    opened, value = border.leave(yields[0], variant.scope, site)
    at_yield = opened.copy()
    opened.regs[it.entered] = value

    def leave(one: State) -> list[State]:
        after = resume(run, border, variant, one, it.out)
        end = border.leave(after or ends[0], variant.scope, site)[0]
        _apply_difference(one, at_yield, end)
        known = border.inside.keys() & (end.grads.keys() | one.grads.keys()) if after is not None else ()
        one.grads.update({leaf: end.grads.get(leaf, CLEAR) for leaf in known})
        return _outside(one, before)

    return through(run, it.body, [opened], leave)


def _apply_difference(state: State, start: State, end: State) -> None:
    """What changed from `start` to `end` happens to `state` too."""
    for site, obj in end.heap.items():
        was = start.heap.get(site)
        if was is None or was == obj:
            continue
        now = state.heap.get(site, was)
        attrs = {**now.attrs, **{n: v for n, v in obj.attrs.items() if was.attrs.get(n) != v}}
        marks = {**now.marks, **{n: m for n, m in obj.marks.items() if was.marks.get(n) != m}}
        state.heap[site] = Obj(now.cls, attrs, now.items, now.each, marks, now.bases)
    for site, tensor in end.tensors.items():
        if start.tensors.get(site) != tensor:
            state.tensors[site] = tensor
    for site, grad in end.grads.items():
        if start.grads.get(site) != grad:
            state.grads[site] = grad


@handles(ir.Try)
def _try(run: Run, it: ir.Try, state: State) -> list[State]:
    if it.final:
        whole = replace(it, final=())
        return through(run, (whole,), [state], lambda one: run.block(it.final, [one]))
    before = state.copy()
    run.raised.append([])
    try:
        states = run.block(it.body, [state])
    finally:
        raised = run.raised.pop()
    ends = run.block(it.orelse, states) if it.orelse and states else states
    handled: list[State] = []
    if it.handlers:
        entry = before
        for other in (*raised, *[s.copy() for s in states]):
            entry = meet(entry, other)
        for handler in it.handlers:
            handled += _handle(run, handler, entry.copy())
    elif raised and run.raised:
        run.raised[-1] += raised
    return [*ends, *handled]


def _handle(run: Run, handler: ir.Handler, state: State) -> list[State]:
    states = run.block(handler.head, [state])
    for one in states:
        if handler.name:
            one.env[handler.name] = ANY
    return run.block(handler.body, states)
