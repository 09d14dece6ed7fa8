"""Calls of the project's own functions, answered by summaries (see `variant`)."""

from __future__ import annotations

from dataclasses import replace

from torchwise.domain.join import join
from torchwise.domain.value import ANY, NONE, Func, Items, Many, Obj, Partial, Pointer, Site, Tensor, Value
from torchwise.flow.autograd import flow_into
from torchwise.flow.branches import truth
from torchwise.flow.custom import note_bypassed
from torchwise.flow.definitions import only_returned
from torchwise.flow.effects import call_back, escape, keep_function
from torchwise.flow.facts import Entered
from torchwise.flow.gradients import all_leaves, any_parameter, forget_all
from torchwise.flow.idle import note_rest_inside
from torchwise.flow.kept import mark_stale_inside
from torchwise.flow.modes import evaluated, note_step_inside
from torchwise.flow.names import captures
from torchwise.flow.opcalls import Args
from torchwise.flow.run import Run, distinct, handles
from torchwise.flow.schedules import note_stepped_inside
from torchwise.flow.state import GRAD_UNKNOWN, State, meet, meet_values
from torchwise.flow.variant import Border, Exit, Summary, TooLarge, Variant
from torchwise.flow.walking import generated
from torchwise.ir import nodes as ir
from torchwise.ir.nodes import Param, Scope

MAX_VARIANTS = 8
MAX_EXITS = 3

Paths = list[tuple[State, Value]]


def call_function(run: Run, state: State, func: Func, args: Args, ref: int, site: Site) -> Paths:
    scope = run.lookup.scope(func.scope)
    if func.bound is not None:
        args = args.before(func.bound)
    if scope is None:
        call_back(run, state)
        return _unknown(run, state, func, args)
    note_bypassed(run, state, func, scope, ref)
    if func.static == "contextmanager":
        opened = replace(func, static="opened", bound=None)
        return [
            (
                state,
                Partial(
                    opened,
                    tuple(v for _, v in args.positional),
                    tuple((n, v) for n, (_, v) in args.named.items()),
                ),
            )
        ]
    if any(isinstance(value, Tensor) and any_parameter(value) for value in args.values()):
        forget_all(state)  # the function does not see whose it is
    entered = enter(run, state, func, scope, args, ref)
    if entered is None:
        return _unknown(run, state, func, args)
    border, summary, variant = entered
    if scope.generator:
        return generated(border, summary, variant.scope, site)
    ends = [e for e in summary.exits if e.kind == "return"]
    paths = merged([leave(run, border, e, variant.scope, site, ref) for e in ends])
    if len(paths) > 1 and len({truth(one, value) for one, value in paths}) > 1:
        run.parted.add(ref)
    return paths


SOME_FUNCTION = Func("<decorated>")


def given_back(run: Run, state: State, decorator: Func, args: Args, ref: int, site: Site) -> Paths | None:
    """What follows from a decorator that gives back whatever function it gets; None for others. It is asked
    once, and not for each function: a registry may decorate hundreds.
    """
    scope = run.lookup.scope(decorator.scope)
    if scope is None or scope.generator or [type(v) for v in args.values()] != [Func]:
        return None
    masked = Args(((ref, SOME_FUNCTION),))
    masked = masked if decorator.bound is None else masked.before(decorator.bound)
    entered = enter(run, state, decorator, scope, masked, ref)
    if entered is None:
        return None
    border, summary, variant = entered
    ends = [e for e in summary.exits if e.kind == "return"]
    if not ends or any(e.value != SOME_FUNCTION for e in ends):
        return None
    left = [leave(run, border, e, variant.scope, site, ref)[0] for e in ends]
    decorated = args.positional[0][1]
    for one in left:
        _unmask(state, one, decorated)
    if isinstance(decorated, Func) and decorated.frame is not None:
        for one in left:
            keep_function(run, one, decorated)  # a registry may call it at any time
    return [(one, decorated) for one in distinct(left)]


def _unmask(before: State, after: State, decorated: Value) -> None:
    """Where a registry has put it, it is the function itself again."""
    for site, obj in after.heap.items():
        if obj.items and before.heap.get(site) is not obj and SOME_FUNCTION in obj.items:
            items = tuple([decorated if item == SOME_FUNCTION else item for item in obj.items])
            after.heap[site] = obj.with_items(items, obj.each)


def enter(
    run: Run, state: State, func: Func, scope: Scope, args: Args, ref: int
) -> tuple[Border, Summary, Variant] | None:
    """Asks what the call does; None where that is too much to ask, or not known."""
    if _one_of_many(run, func, ref):
        return None
    bound = bind(run, state, scope, func, args, ref)
    border = Border(state, run.frame, lambda f: captures(run, state, f))
    try:
        live = _live(run, state, func.scope)
        variant = border.enter(func.scope, bound, func, live, (*state.regions, *func.regions), under(run))
    except TooLarge:
        return None
    known = run.asked[func.scope]
    if variant in known:
        variant = known[known.index(variant)]  # one object for all that are equal: that is seen at once
    elif len(known) >= MAX_VARIANTS:
        return None
    else:
        known.append(variant)
    summary = run.lookup.summary(variant)
    if not summary.known:
        return None
    _note_entered(run, border, variant, ref)
    run.waits |= summary.waits
    if summary.differentiates:
        run.event("differentiates", ref, state)
    return border, summary, variant


def _note_entered(run: Run, border: Border, variant: Variant, ref: int) -> None:
    place = (ref, run.turn, variant)
    before = run.entered.get(place)
    sites, visits = (before.sites, before.visits) if before is not None else (tuple(border.sites), ())
    if visits[-1:] != (run.visit,):
        run.entered[place] = Entered(ref, run.turn, variant, sites, (*visits, run.visit))


def resume(run: Run, border: Border, variant: Variant, state: State, ref: int) -> Exit | None:
    """How the function of a context manager ends after the block that it is around has run; None where that
    is not known. It stands in for the call that knew nothing of the block.
    """
    after = replace(variant, resumed=border.resumed(state))
    known = run.asked[variant.scope]
    if after not in known and len(known) >= MAX_VARIANTS:
        return None
    if after not in known:
        known.append(after)
    summary = run.lookup.summary(after)
    ends = [e for e in summary.exits if e.kind == "return"]
    if not summary.known or not ends:
        return None
    run.entered.pop((ref, run.turn, variant), None)
    run.visit += 1  # another path, that the same instruction is reached by
    _note_entered(run, border, after, ref)
    return ends[0]


def _one_of_many(run: Run, func: Func, ref: int) -> bool:
    """An entry of a model zoo: a function that nobody calls gives back what one makes that very many places
    call. To run the whole making for each of them would take minutes and tell what the others told.
    """
    entry = run.variant.args is None and run.variant.owner is None and run.scope.kind == "function"
    return (
        entry
        and func.bound is None
        and run.lookup.crowded(run.key, func.scope)
        and only_returned(run.defs, ref)
    )


def under(run: Run) -> str | None:
    """The file whose module this run is part of, if it is."""
    return run.key.partition("::")[0] if run.scope.kind == "module" else run.variant.under


def _live(run: Run, state: State, callee: str) -> dict[str, Value]:
    """The globals that the callee may touch, as they are now, where its module is what runs."""
    if under(run) != callee.partition("::")[0]:
        return {}
    names = state.env if run.scope.kind == "module" else state.globals
    return {n: names[n] for n in run.lookup.live_names(callee) if n in names}


def leave(run: Run, border: Border, exit_: Exit, callee: str, site: Site, ref: int) -> tuple[State, Value]:
    state, value = border.leave(exit_, callee, site)
    evaluating: tuple[Site, ...] = ()
    for graph in border.flowed(exit_):
        evaluating = evaluated(run, graph)
        flow_into(state, graph, site, evaluating)
        run.flowed |= {n for n in graph.nodes if n.part == "graph"}
    note_step_inside(run, border.state, state, evaluating, ref)
    mark_stale_inside(border.state, state)
    note_stepped_inside(run, border, exit_, state, ref)
    note_rest_inside(run, border.state, state, ref)
    if run.scope.kind == "module" and exit_.globals:
        state.env.update({n: state.globals.pop(n) for n in list(state.globals)})
    return state, value


def _unknown(run: Run, state: State, func: Func, args: Args) -> Paths:
    """It may do anything to what it is given, and to what it has of the scopes around it."""
    escape(run, state, [*args.values(), *captures(run, state, func).values()])
    return [(state, ANY)]


def merged(paths: Paths) -> Paths:
    """Calls that end in many ways go on as few paths: alike ones first, then all of one."""
    kept: Paths = []
    for state, value in paths:
        for other, known in kept:
            if known == value and other.same_as(state):
                break
        else:
            kept.append((state, value))
    if len(kept) <= MAX_EXITS:
        return kept
    state, value = kept[0]
    for other, another in kept[1:]:
        state, value = meet(state, other), meet_values(state, other, value, another)
    return [(state, value)]


def bind(run: Run, state: State, scope: Scope, func: Func, args: Args, ref: int) -> dict[str, Value]:
    """Arguments by parameter name, defaults filled in."""
    bound: dict[str, Value] = {}
    positional = [v for _, v in args.positional]
    named = {n: v for n, (_, v) in args.named.items()}
    defaults = dict(func.defaults)
    for param in scope.params:
        if param.kind == "star":
            bound[param.name] = Many(ANY) if args.open else Items(tuple(positional))
            positional = []
        elif param.kind == "double-star":
            bound[param.name] = _rest(run, state, named, args.open, ref)
        else:
            bound[param.name] = _one(param, positional, named, defaults, args.open)
    return bound


def _one(
    param: Param, positional: list[Value], named: dict[str, Value], defaults: dict[str, Value], open_: bool
) -> Value:
    if positional and param.kind in ("positional", "ordinary"):
        return positional.pop(0)
    if param.name in named:
        return named.pop(param.name)
    return ANY if open_ else defaults.get(param.name, ANY)


def _rest(run: Run, state: State, named: dict[str, Value], open_: bool, ref: int) -> Value:
    from torchwise.domain.value import Const

    site = run.site(ref, "**")
    items = tuple(x for n, v in named.items() for x in (Const(n), v))
    state.heap[site] = Obj("dict", {}, None if open_ else items, ANY if open_ else None)
    named.clear()
    return Pointer(site)


@handles(ir.Yield)
def _yield(run: Run, it: ir.Yield, state: State) -> None:
    value = NONE if it.value is None else state.regs.get(it.value, ANY)
    run.yielded.append((_each(run, state, value, it) if it.whole else state.current(value), state.copy()))
    escape(run, state, [value])  # whoever takes it may do anything with it before this goes on
    if run.variant.resumed is not None:
        inner = {site: grad for site, grad in state.grads.items() if site.scope != "^"}
        state.grads = {**inner, **run.variant.resumed}
    else:  # as to gradients: with whatever it can reach
        state.grads.update(dict.fromkeys([*state.grads, *all_leaves(state)], GRAD_UNKNOWN))
    state.regs[it.out] = ANY


def _each(run: Run, state: State, value: Value, it: ir.Yield) -> Value:
    """What covers all that `yield from` hands on."""
    from torchwise.flow.iteration import elements

    found = elements(run, state, value, it.out)
    if isinstance(found, Many):
        return found.each
    each: Value | None = None
    for one in found:
        each = one if each is None else join(each, one)
    return each or ANY
