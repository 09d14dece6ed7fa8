"""The way into the interpreter: one scope, one variant -> what was seen in it, and what it does to a
caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from torchwise.domain.value import (
    ANY,
    NONE,
    Any,
    Func,
    Items,
    Num,
    Obj,
    Pointer,
    Region,
    Site,
    Tensor,
    Value,
    Wrapped,
)
from torchwise.domain.verdict import UNKNOWN, Verdict
from torchwise.flow import (  # noqa: F401 - imported, they register what they handle
    branches,
    calls,
    contexts,
    dropped,
    functions,
    loops,
    names,
    objects,
    subscripts,
)
from torchwise.flow.autograd import EVERYTHING, check_saved
from torchwise.flow.compiled import compiling_as_configured
from torchwise.flow.custom import note_promises
from torchwise.flow.custom import parameter as custom_parameter
from torchwise.flow.definitions import fills
from torchwise.flow.exits import exit_of
from torchwise.flow.facts import Facts
from torchwise.flow.idle import note_idle
from torchwise.flow.later import waits
from torchwise.flow.lookup import ClassFacts, Lookup, Snapshot
from torchwise.flow.opcalls import Args
from torchwise.flow.padding import note_padding
from torchwise.flow.reach import reach
from torchwise.flow.registered import note_unregistered
from torchwise.flow.roles import EVALUATES, left_to_base, role_of, used_as_tensor
from torchwise.flow.run import Run, Spent
from torchwise.flow.state import GRAD_UNKNOWN, State, meet, meet_values
from torchwise.flow.ties import note_untied
from torchwise.flow.turns import FEW, MAX_UNROLLED
from torchwise.flow.unregistered import note_unregistered_tensors
from torchwise.flow.variant import NOTHING_KNOWN, Exit, Summary, Variant
from torchwise.ir.nodes import Scope

MAX_EXITS = 6
TAKEN_OVER = ("forward", "<lambda>")  # what they set is of one call


@dataclass(frozen=True)
class Interpreted:
    """`names` and `heap`: what a module or class body has bound at its end."""

    facts: Facts
    summary: Summary
    names: Mapping[str, Value] = field(default_factory=dict)
    heap: Mapping[Site, Obj] = field(default_factory=dict)
    steps: int = 0


def interpret(
    scope: Scope, key: str, lookup: Lookup, variant: Variant, unroll: int = MAX_UNROLLED
) -> Interpreted:
    """`unroll`: loops of at most so many turns are run turn by turn. Where that takes too long, none is."""
    run = Run(scope, key, lookup, variant)
    run.unroll = unroll
    state = State()
    state.heap = dict(variant.heap)
    state.globals = dict(variant.globals)
    state.grads = dict(variant.grads)
    state.freed = variant.freed
    state.regions = (*compiling_as_configured(run, variant.regions), *_mode_of_base(run))
    state.narrow = int(variant.narrow)
    try:
        _parameters(run, state)
        start = state.copy()
        run.finished += [("return", NONE, s) for s in run.block(scope.body, [state])]
    except Spent:
        if run.unrolled and scope.kind != "class":
            again = interpret(scope, key, lookup, variant, unroll=FEW)
            return replace(again, steps=again.steps + run.steps)
        return Interpreted(run.facts(spent=True), NOTHING_KNOWN, steps=run.steps)
    if scope.kind == "module" or scope.name == "__init__":
        note_untied(run, [state for _, _, state in run.finished])
        note_padding(run, [state for _, _, state in run.finished])
    note_idle(run)
    if scope.kind in ("module", "class"):
        return _top(run)
    if scope.name == "__init__":
        note_unregistered(run)
    if scope.name not in TAKEN_OVER:
        note_unregistered_tensors(run)
    note_promises(run)
    if variant.args is None:
        _expect_backward(run)
    return Interpreted(run.facts(spent=False), _summary(run, start), steps=run.steps)


def _mode_of_base(run: Run) -> tuple[Region, ...]:
    """Whether autograd records in a `validation_step`, the trainer knows that calls it."""
    owner = run.variant.owner if run.variant.args is None else None
    facts = run.lookup.class_facts(owner) if owner and EVALUATES.search(run.scope.name) else None
    return (Region("grad", "maybe"),) if facts is not None and left_to_base(facts.order) else ()


def _expect_backward(run: Run) -> None:
    """What a module's forward returns is there to be differentiated: says so where that is bound to fail."""
    owner = run.variant.owner
    facts = run.lookup.class_facts(owner) if owner is not None and run.scope.name == "forward" else None
    if facts is None or objects.MODULE not in facts.order:
        return
    for kind, value, state in run.finished:
        result = state.current(value)
        if (
            kind == "return"
            and isinstance(result, Tensor)
            and result.graph is not None
            and result.requires_grad.holds
        ):
            ref = next((s.ref for s in result.calls if s.scope == run.key), None)
            if ref is not None:
                check_saved(run, state, result.graph, ref, result)


def _top(run: Run) -> Interpreted:
    states = [s for _, _, s in run.finished]
    if not states:
        return Interpreted(run.facts(spent=False), NOTHING_KNOWN, steps=run.steps)
    end = states[0]
    for other in states[1:]:
        end = meet(end, other)
    bound = {n: end.current(v) for n, v in end.env.items()}
    heap = {s: _aged(o) for s, o in end.heap.items()}
    return Interpreted(run.facts(spent=False), Summary(), bound, heap, run.steps)


def _aged(obj: Obj) -> Obj:
    """An object as it may be at any later time: what it is made of stays, its typestate does not."""
    marks = {n: UNKNOWN if isinstance(m, Verdict) else m for n, m in obj.marks.items()}
    return obj if marks == obj.marks else Obj(obj.cls, obj.attrs, obj.items, obj.each, marks, obj.bases)


def _summary(run: Run, start: State) -> Summary:
    exits: list[Exit] = []
    flowed = frozenset(run.flowed)
    ends = [(kind, value, state) for kind, value, state in run.finished]
    ends += [("yield", value, state) for value, state in run.yielded]
    if run.scope.inner:
        for _, _, state in ends:
            _keep_frame(run, state)
    for kind, value, state in ends:
        exit_ = exit_of(kind, value, state, start, flowed)
        if exit_ not in exits:
            exits.append(exit_)
    if len(exits) > MAX_EXITS:
        exits = _joined(ends, start, flowed)
    differentiates = any(e.kind == "differentiates" for e in run.events)
    return Summary(tuple(exits), differentiates=differentiates, waits=waits(run))


def _keep_frame(run: Run, state: State) -> None:
    """The variables that functions defined here see, for the case that one of them outlives the call."""
    path = run.key.partition("::")[0]
    scopes = [run.lookup.scope(f"{path}::{inner}") for inner in run.scope.inner]
    needed = {name for scope in scopes if scope is not None for name in scope.mentions}
    kept = {n: v for n, v in state.env.items() if n in needed}
    further = {n: names.enclosing(run, state, n) for n in needed - kept.keys()}
    state.heap[run.frame] = Obj("frame", {**kept, **{n: v for n, v in further.items() if v is not None}})


def _joined(ends: list[tuple[str, Value, State]], start: State, flowed: frozenset[Site]) -> list[Exit]:
    exits = []
    for wanted in ("return", "raise", "yield"):
        group = [(v, s) for kind, v, s in ends if kind == wanted]
        if group:
            value, state = group[0]
            for other, one in group[1:]:
                value, state = meet_values(state, one, value, other), meet(state, one)
            exits.append(exit_of(wanted, value, state, start, flowed))
    return exits


def _parameters(run: Run, state: State) -> None:
    """Binds the parameters: what the caller gave; by their roles where it gave nothing that is known."""
    given = dict(run.variant.args or ())
    params = run.scope.params
    for number, param in enumerate(params):
        value = given.get(param.name, ANY)
        site = run.site(0, param.name)
        if run.variant.args is None and number == 0 and run.variant.owner is not None:
            _generic_self(run, state, param.name)
            continue
        if type(value) is Any and param.kind in ("ordinary", "positional", "keyword"):
            value = custom_parameter(run, state, number, site) or role_of(run, state, param, site)
            if type(value) is Any and _is_tensor(run, param.name):
                value = Tensor(id=site, storage=site)
        state.env[param.name] = value
        if isinstance(value, Tensor):
            run.note(-number - 1, value)


def _is_tensor(run: Run, name: str) -> bool:
    compiled = any(r.kind in ("compile", "export") for r in run.variant.regions)
    return used_as_tensor(run.defs, name, compiled or run.scope.name == "forward")


def _generic_self(run: Run, state: State, name: str) -> None:
    """An instance of the method's class as it may be at any time after it was made."""
    assert run.variant.owner is not None
    snapshot = run.lookup.instance(run.variant.owner)
    state.env[name] = names.take(state, snapshot)
    for obj in snapshot.heap.values():
        for value in obj.attrs.values():
            if isinstance(value, Tensor) and value.kind == "parameter" and value.storage is not None:
                state.grads[value.storage] = GRAD_UNKNOWN
    me = state.obj(snapshot.value)
    for attr, value in me.attrs.items() if me is not None else ():
        held = state.obj(value)
        if held is not None and held.cls in GROWS and held.items == () and not fills(run.defs, attr):
            state.heap[value.to] = held.with_items(None, ANY)  # type: ignore[attr-defined]
    for site in snapshot.heap:
        state.grads.setdefault(site.of(EVERYTHING), GRAD_UNKNOWN)


# What is empty when it is made is filled by and by, in other methods or from outside.
GROWS = frozenset(
    ("list", "dict", "set")
    + tuple(
        f"torch.nn.{n}" for n in ("ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "Sequential")
    )
)


def instance_of(key: str, scope: Scope, lookup: Lookup) -> Snapshot:
    """An instance of a class of the project that nobody makes: `__init__` with its defaults, and
    parameters by their roles.
    """
    run = Run(scope, f"{key}<instance>", lookup, Variant(key, ()))
    facts = lookup.class_facts(key)
    paths = objects.instantiate(run, State(), key, _defaults(facts), 0, run.site(0))
    if not paths:
        return Snapshot(ANY)
    end, pointer = paths[0]
    for other, _ in paths[1:]:
        end = meet(end, other)
    heap = {}
    for site, obj in reach([pointer], end.heap).items():
        attrs = {n: end.current(v) for n, v in obj.attrs.items()}
        if isinstance(pointer, Pointer) and site == pointer.to and facts is not None:
            attrs |= _assigned_later(run, end, facts, attrs)
        attrs = {n: _at_any_time(v) for n, v in attrs.items()}
        items = obj.items and tuple([_at_any_time(v) for v in obj.items])
        heap[site] = _aged(Obj(obj.cls, attrs, items, obj.each, obj.marks, obj.bases))
    return Snapshot(pointer, heap)


def _at_any_time(value: Value) -> Value:
    """An attribute without what others may change: where it lies, and that it is empty as yet."""
    if isinstance(value, Items):
        return Items(tuple([_at_any_time(v) for v in value.items]), value.kind, value.names)
    if isinstance(value, Tensor) and value.kind in ("parameter", "buffer"):
        return value.but(device=None)
    empty = isinstance(value, Tensor) and value.kind == "tensor" and value.shape is not None
    return ANY if empty and any(d.number == 0 for d in value.shape) else value  # type: ignore[attr-defined]


def _defaults(facts: ClassFacts | None) -> Args:
    """A default of None stands for what whoever makes one will give: it says nothing."""
    init = facts.names.get("__init__") if facts is not None else None
    if not isinstance(init, Func):
        return Args()
    return Args((), {name: (None, ANY) for name, value in init.defaults if _stands_in(value)})


def _stands_in(value: Value) -> bool:
    """A default of None or -1 is there for what is always given."""
    return value == NONE or (isinstance(value, Num) and value.dim.number is not None and value.dim.number < 0)


def _assigned_later(
    run: Run, state: State, facts: ClassFacts, attrs: Mapping[str, Value]
) -> dict[str, Value]:
    """What other methods assign, those of the bases among them: in place of a class's own name too."""
    out = {}
    for cls in facts.order:
        own = run.lookup.class_facts(cls) if "::" in cls else None
        for name in own.rebound if own is not None else ():
            value = attrs.get(name, objects.class_attribute(run, state, facts.key, name))
            if value is not None and not isinstance(value, Func | Wrapped):
                out[name] = _rebound(value)
    return out


def _rebound(value: Value) -> Value:
    """What is left of an attribute that other methods assign: a registered parameter stays one, whatever
    its size.
    """
    if isinstance(value, Tensor) and value.kind == "parameter":
        return value.but(shape=None, strides=None, dtype=None, device=None, requires_grad=UNKNOWN)
    return ANY
