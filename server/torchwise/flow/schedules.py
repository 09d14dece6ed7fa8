"""Schedulers: how often they step, and a rate that a `LambdaLR` function multiplies in a second time.

Events: "absolute-lambda", with the name of the rate; "optimizer-stepped" and "scheduler-stepped", where one
steps, or a function is called in which it does ("in turns", where in a loop of it); "scheduler-first", where
one steps that the same place has stepped before the optimizer did; "scheduler-left", where one steps whose
optimizer nothing steps any more, because another one of the same parameters has taken its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, Func, Obj, Pointer, Site, Value
from torchwise.domain.verdict import FAILS, HOLDS
from torchwise.flow.definitions import definitions
from torchwise.flow.pointed import pointed
from torchwise.ir import nodes as ir
from torchwise.ops.optim import OPTIMIZER

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State
    from torchwise.flow.variant import Border, Exit

EARLY = "early"  # mark of a scheduler: the places that have stepped it before its optimizer ever did
MOVED = "moved"  # mark of an optimizer: whether it has stepped since its scheduler did
SCHEDULER = "torch.optim.lr_scheduler.LRScheduler"
GOES_THROUGH = ("operator.mul", "operator.add", "operator.sub")


def note_stepped_inside(run: Run, border: Border, exit_: Exit, state: State, ref: int) -> None:
    """Called after a call of a function of the project."""
    stepped = [s for s, o in exit_.heap.items() if "stepped@" in o.marks]
    if not stepped:
        return
    outer = {inner: site for site, inner in border.inside.items()}
    for inner in stepped:
        obj = state.heap.get(outer.get(inner, inner))
        at = obj.marks.get("stepped@") if obj is not None else None
        before = border.state.heap.get(outer.get(inner, inner))
        if (
            obj is not None
            and isinstance(at, Pointer)
            and (before is None or before.marks.get("stepped@") != at)
        ):
            kind = "scheduler-stepped" if SCHEDULER in obj.bases else "optimizer-stepped"
            several = obj.marks.get("stepped-in-turns") is True
            run.event(
                kind, ref, state, (at.to,), Pointer(outer.get(inner, inner)), "in turns" if several else ""
            )
            if run.loops and kind == "optimizer-stepped":
                state.heap[outer.get(inner, inner)] = obj.with_mark("stepped-in-turns", True)


def note_early(run: Run, state: State, scheduler: Value, ref: int) -> None:
    """Called where a scheduler steps: the place may have done so before the optimizer's first step, too."""
    obj = state.obj(scheduler)
    held = state.obj(obj.attrs.get("optimizer", ANY)) if obj is not None else None
    if obj is None or held is None or not isinstance(scheduler, Pointer):
        return
    _note_left(run, state, obj, held, ref, scheduler)
    obj = state.heap[scheduler.to]
    place, known = f"{run.key}#{ref}", obj.marks.get(EARLY, frozenset())
    early = known if isinstance(known, frozenset) else frozenset()
    if held.marks.get("stepped") is FAILS:
        state.heap[scheduler.to] = obj.with_mark(EARLY, early | {place})
    elif held.marks.get("stepped") is HOLDS and place in early:
        run.event("scheduler-first", ref, state, (), scheduler)


def _note_left(run: Run, state: State, obj: Obj, held: Obj, ref: int, scheduler: Pointer) -> None:
    """The optimizer has not stepped since the scheduler last did, and nothing else holds it."""
    from torchwise.flow.gradients import optimizer_leaves

    own = obj.attrs["optimizer"]
    never = held.marks.get("stepped") is FAILS
    moved = held.marks.get(MOVED, False if never else None)
    if not isinstance(own, Pointer):
        return
    if moved is True:
        state.heap[own.to] = held.with_mark(MOVED, False)
    elif moved is False and not _is_held(state, own.to):
        leaves = optimizer_leaves(state, own)
        for site, other in state.heap.items():
            if site != own.to and other.marks.get(MOVED) is True and OPTIMIZER in other.bases:
                if not leaves.isdisjoint(optimizer_leaves(state, Pointer(site))):
                    run.event("scheduler-left", ref, state, (own.to, site), scheduler)
                    return


def _is_held(state: State, optimizer: Site) -> bool:
    """Whether anything but schedulers leads to an optimizer."""
    inside = [
        v
        for o in state.heap.values()
        if SCHEDULER not in o.bases
        for v in (*o.attrs.values(), *(o.items or ()), o.each or ANY)
    ]
    return any(optimizer in pointed(v) for v in (*state.env.values(), *state.globals.values(), *inside))


def note_lambda(run: Run, state: State, values: Mapping[str, Value], ref: int) -> None:
    optimizer, function = values.get("optimizer"), values.get("lr_lambda")
    if not isinstance(optimizer, Pointer) or not isinstance(function, Func) or optimizer.to.scope != run.key:
        return
    rate = _rate(run.defs.get(optimizer.to.ref), run.defs)
    scope = run.lookup.scope(function.scope)
    if rate is None or scope is None:
        return
    defs = definitions(scope)
    returned = [i.value for i in defs.values() if isinstance(i, ir.Return) and i.value is not None]
    inside = _handed_to_maker(run, function, rate, ref) or rate
    if returned and all(_multiplies(defs, value, inside) for value in returned):
        run.event("absolute-lambda", ref, state, (), function, rate)


def _handed_to_maker(run: Run, function: Func, rate: str, ref: int) -> str | None:
    """The name of the rate inside a function that `maker(rate, ...)` has made."""
    maker = run.lookup.scope(function.scope.rpartition(".")[0])
    made = run.defs.get(ref)
    given = enumerate(made.args if isinstance(made, ir.Call) else ())
    handed = next((a.ref for n, a in given if a.name == "lr_lambda" or (a.name is None and n == 1)), None)
    call = _behind(run, handed) if handed is not None else None
    if maker is None or maker.kind != "function" or not isinstance(call, ir.Call):
        return None
    names = [p.name for p in maker.params]
    for number, arg in enumerate(call.args):
        if not arg.stars and _word(run.defs, arg.ref) == rate:
            return arg.name or (names[number] if number < len(names) else None)
    return None


def _behind(run: Run, ref: int) -> ir.Instr | None:
    """An instruction, or what a name stands for that is stored once."""
    instr = run.defs.get(ref)
    stored = run.defs.stored_once(instr.name) if isinstance(instr, ir.Load) else None
    return instr if stored is None else run.defs.get(stored)


def _rate(made: ir.Instr | None, defs: Mapping[int, ir.Instr]) -> str | None:
    """What is given to an optimizer as `lr`, as a word: a name, or a key of a dict."""
    given = next((a.ref for a in made.args if a.name == "lr"), None) if isinstance(made, ir.Call) else None
    return None if given is None else _word(defs, given)


def _word(defs: Mapping[int, ir.Instr], ref: int) -> str | None:
    match defs.get(ref):
        case ir.Load(name=name) | ir.Attr(name=name):
            return name
        case ir.Index(base=base, index=index):
            owner, key = _word(defs, base), defs.get(index)
            return f"{owner}[{key.value!r}]" if owner and isinstance(key, ir.Const) else None
    return None


def _multiplies(defs: Mapping[int, ir.Instr], ref: int, rate: str) -> bool:
    """Whether the name is a factor of what an expression gives, and not divided out."""
    match defs.get(ref):
        case ir.Load(name=name) | ir.Attr(name=name):
            stores = [i.value for i in defs.values() if isinstance(i, ir.Store) and i.name == name]
            return name == rate if not stores else len(stores) == 1 and _multiplies(defs, stores[0], rate)
        case ir.Index():
            return _word(defs, ref) == rate
        case ir.Call(callee=callee, args=args) if callee in GOES_THROUGH:
            return any(_multiplies(defs, a.ref, rate) for a in args)
        case ir.Call(callee="operator.truediv", args=(above, below)):
            return _multiplies(defs, above.ref, rate) and not _mentions(defs, below.ref, rate)
        case ir.If(values=(one, other)):
            return _multiplies(defs, one, rate) and _multiplies(defs, other, rate)
    return False


def _mentions(defs: Mapping[int, ir.Instr], ref: int, word: str) -> bool:
    match defs.get(ref):
        case ir.Load() | ir.Attr() | ir.Index():
            return _word(defs, ref) == word
        case ir.Call(args=args):
            return any(_mentions(defs, a.ref, word) for a in args)
    return False
