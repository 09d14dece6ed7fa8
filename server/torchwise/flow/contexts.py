"""`with` and `try`: regions that are entered and left, and paths that an exception takes."""

from __future__ import annotations

from dataclasses import replace

from torchwise.domain.value import ANY, NONE, Device, Func, Obj, Partial, Pointer, Region, Some, Value
from torchwise.domain.verdict import FAILS
from torchwise.flow.functions import enter
from torchwise.flow.opcalls import Args
from torchwise.flow.run import Run, handles
from torchwise.flow.state import State, meet

from torchwise.ir import nodes as ir


@handles(ir.With)
def _with(run: Run, it: ir.With, state: State) -> list[State]:
    context = state.regs.get(it.context, ANY)
    obj = state.obj(context)
    if isinstance(context, Partial) and isinstance(context.func, Func) and context.func.static == "opened":
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
    state.regions = (*before, replace(region, at=run.site(it.out)))
    state.regs[it.entered] = entered
    ways = _ways_out(run)
    known = [len(way) for way in ways]
    states = run.block(it.body, [state])
    left = [one for way, start in zip(ways, known, strict=True) for one in way[start:]]
    for one in (*states, *[one[2] if isinstance(one, tuple) else one for one in left]):
        one.regions = before
    if region.kind == "profile" and isinstance(entered, Pointer):
        _note_profile(run, it, states, entered)
    return states


def _ways_out(run: Run) -> list[list[State] | list[tuple[str, Value, State]]]:
    """Where paths go that leave a block by return, raise, break or continue: each leaves the `with` first."""
    loops = list(run.leaving[-1].values()) if run.leaving else []
    return [run.finished, *run.raised[-1:], *loops]


def _note_profile(run: Run, it: ir.With, states: list[State], entered: Pointer) -> None:
    """A profiler with a schedule that no path has stepped."""
    objs = [o for s in states if (o := s.obj(entered)) is not None]
    if objs and all(o.marks.get("stepped") is FAILS and o.attrs.get("schedule", NONE) != NONE for o in objs):
        run.event("profile-unstepped", it.context, states[0], (entered.to,))


def _object(run: Run, it: ir.With, state: State, context: Value, obj: Obj) -> list[State]:
    """A context manager of the project: `__enter__`, the body, `__exit__`."""
    from torchwise.flow.calls import call
    from torchwise.flow.objects import attribute

    enter_ = attribute(run, state, context, "__enter__", it.out)
    states = []
    for one, value in call(run, state, enter_, Args(), it.out, run.site(it.out, "enter")):
        one.regs[it.entered] = value
        for end in run.block(it.body, [one]):
            leave = attribute(run, end, context, "__exit__", it.out)
            args = Args(((None, ANY), (None, ANY), (None, ANY)))
            states += [s for s, _ in call(run, end, leave, args, it.out, run.site(it.out, "exit"))]
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
    closed = [border.leave(e, variant.scope, site)[0] for e in ends]
    at_yield = opened.copy()
    opened.regs[it.entered] = value
    states = run.block(it.body, [opened])
    for one in states:
        for end in closed[:1]:
            _apply_difference(one, at_yield, end)
        one.regions = before
    return states


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
    for site, grad in end.grads.items():
        if start.grads.get(site) != grad:
            state.grads[site] = grad


@handles(ir.Try)
def _try(run: Run, it: ir.Try, state: State) -> list[State]:
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
    out = [*ends, *handled]
    return run.block(it.final, out) if it.final and out else out


def _handle(run: Run, handler: ir.Handler, state: State) -> list[State]:
    states = run.block(handler.head, [state])
    for one in states:
        if handler.name:
            one.env[handler.name] = ANY
    return run.block(handler.body, states)


