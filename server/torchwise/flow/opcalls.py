"""Calls of what the op tables know: arguments to parameters, the result into the world, the effects
carried out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import cache
from typing import TYPE_CHECKING

from torchwise.domain.effects import Write
from torchwise.domain.nature import LISTED_AGAIN, UNWRITTEN, word_of
from torchwise.domain.value import (
    ANY,
    Any,
    Func,
    Items,
    Many,
    Obj,
    Params,
    Partial,
    Pointer,
    ShapeOf,
    Site,
    Tensor,
    Value,
    Wrapped,
)
from torchwise.domain.verdict import FAILS, HOLDS, UNKNOWN
from torchwise.flow.aside import note_aside
from torchwise.flow.autograd import differentiable, recorded
from torchwise.flow.facts import Arg, CallFact
from torchwise.flow.gradients import written_by_hand
from torchwise.flow.iterators import made, spread, walked
from torchwise.flow.last_batch import last_broken
from torchwise.flow.narrow import proven
from torchwise.flow.outputs import put_out
from torchwise.flow.together import storages
from torchwise.flow.walking import walking
from torchwise.ops import Broken, Given, Made, Op, Outcome
from torchwise.ops.containers_as_input import listed_input
from torchwise.ops.creation import leaf_requires_grad
from torchwise.ops.natures import nature_of, overwrites, reads_first
from torchwise.ops.weights import weight_faults
from torchwise.record import record

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

AMBIENT = {"dtype": "float32", "device": "cpu"}


@record
class Args:
    """The arguments of a call: value, and the instruction it came from. `open`: there may be more that nobody
    knows. `rest`: what covers each, where all are one `*rest`."""

    positional: tuple[tuple[int | None, Value], ...] = ()
    named: Mapping[str, tuple[int | None, Value]] = field(default_factory=dict)
    open: bool = False
    rest: Value = ANY

    def values(self) -> list[Value]:
        return [v for _, v in self.positional] + [v for _, v in self.named.values()]

    def before(self, value: Value, ref: int | None = None) -> Args:
        return Args(((ref, value), *self.positional), self.named, self.open)


def bind_args(state: State, op: Op, args: Args) -> tuple[dict[str, Arg], tuple[Value, ...]]:
    """Arguments by parameter, as they are now, and positional ones past the last parameter."""
    bound: dict[str, Arg] = {}
    positional = args.positional
    current = state.current
    extra: tuple[Value, ...] = ()
    if op.star is None:
        for name, (ref, value) in zip(op.params, positional, strict=False):
            bound[name] = Arg(ref, current(value))
        if len(positional) > len(op.params):
            extra = tuple([v for _, v in positional[len(op.params) :]])
    else:
        _bind_star(op, positional, bound, current)
        if args.open and op.star in SIZES:
            bound[op.star] = Arg(None, Many(ANY))  # `view(batch, *sizes)` has any number of them
    for name, (ref, value) in args.named.items():
        also = ALSO_CALLED.get(name, name)
        bound[also if also in op.params and name not in op.params else name] = Arg(ref, current(value))
    return bound, extra


ALSO_CALLED = {"axis": "dim", "keepdims": "keepdim"}  # torch takes numpy's words for these


def _bind_star(
    op: Op,
    positional: tuple[tuple[int | None, Value], ...],
    bound: dict[str, Arg],
    current: Callable[[Value], Value],
) -> None:
    """`view(2, 3)` and `view((2, 3))` give one parameter the same tuple; `map(f, pair)` has one iterable."""
    for number, name in enumerate(op.params):
        if name == op.star:
            rest = positional[number:]
            if (
                len(rest) == 1
                and op.star != "iterables"
                and (isinstance(rest[0][1], Items | Pointer | Many) or _may_be_sizes(op, rest[0][1]))
            ):
                bound[name] = Arg(*rest[0])
            elif rest:
                bound[name] = Arg(rest[0][0], Items(tuple([v for _, v in rest])))
            break
        if number < len(positional):
            ref, value = positional[number]
            bound[name] = Arg(ref, current(value))


def _may_be_sizes(op: Op, value: Value) -> bool:
    """What nothing is known of may be a tuple of sizes as well as one size."""
    return op.star in SIZES and isinstance(value, Any | ShapeOf)


SIZES = frozenset(("shape", "size", "sizes", "dims", "repeats"))


def given_for(
    run: Run, state: State, values: Mapping[str, Value], site: Site, extra: tuple[Value, ...] = ()
) -> Given:
    if not state.regions:
        return Given(values, state.heap, extra, AMBIENT, (), site)
    regions = tuple([(r.kind, r.mode) for r in state.regions])
    return Given(values, state.heap, extra, _ambient(regions), regions, site)


def _ambient(regions: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    changed = {kind: mode for kind, mode in regions if kind in AMBIENT}
    known = {**AMBIENT, **changed} if changed else AMBIENT
    return known if "?" not in changed.values() else {k: v if v != "?" else None for k, v in known.items()}  # type: ignore[misc]


def evaluate(run: Run, state: State, op: Op, values: Mapping[str, Value], site: Site) -> Value:
    """An attribute or an iteration: an op without effects that is no call in the user's code."""
    given = given_for(run, state, {n: state.current(v) for n, v in values.items()}, site)
    outcome = _outcome(op.returns(given))
    return settle(run, state, op, given, outcome, site)


def _outcome(answer: Value | Made | Outcome) -> Outcome:
    return answer if isinstance(answer, Outcome) else Outcome(answer)


def call_op(
    run: Run, state: State, op: Op, spelling: str, args: Args, ref: int, site: Site
) -> list[tuple[State, Value]]:
    from torchwise.flow.effects import carry_out, keep_function

    bound, extra = bind_args(state, op, args)
    values = {name: arg.value for name, arg in bound.items()}
    if args.open:
        rest = Many(args.rest, "rows") if op.name == "zip" else ANY
        values.update(
            {n: rest if n == op.star else ANY for n in op.params if n not in values or n == op.star}
        )
    if op.chain:
        return _chain(run, state, values, ref, site)
    walked(run, state, op, values, ref, site)
    values = walking(run, state, op.name, values, ref)
    given = given_for(run, state, spread(state, op, values), site, extra)
    outcome = _outcome(op.returns(given))
    if args.open and outcome.broken:
        outcome = Outcome(outcome.result, (), outcome.effects)
    if op.inplace is None and outcome.effects:
        op, outcome = _handed_back(op, values, outcome)
    broken = outcome.broken + _leaf_broken(state, op, values) if op.inplace else outcome.broken
    broken += weight_faults(spelling, op.inplace, values) + listed_input(spelling, values, state.heap)
    result = put_out(state, values, settle(run, state, op, given, outcome, site), site)
    if not broken:
        broken = last_broken(op, given)
    if op.inplace and any(b.kind == "leaf-write" for b in broken):  # torch raises: the leaf stays one
        target = values[op.inplace]
        result = target
        if isinstance(target, Tensor) and target.id is not None:
            state.tensors[target.id] = target
    note_aside(run, state, op, values, result, ref)
    if op.inplace:
        _write(run, state, op, values, site, ref)
    for name, arg in bound.items():
        if type(arg.value) is Pointer:
            bound[name] = Arg(arg.ref, arg.value, cls_of(state, arg.value))
    if broken:
        broken = proven(run, state, broken, values)
    run.calls.append(
        CallFact(
            ref, op.name, spelling, bound, result, run.turn, run.loops, state.regions, broken, part=site.part
        )
    )
    if not run.inside_chain:
        run.executions[ref, run.turn] += 1
    for value in values.values():
        if type(value) is Func:
            keep_function(run, state, value)
    if not outcome.effects:
        return [(state, result)]
    return carry_out(run, state, outcome.effects, result, ref, site)


def cls_of(state: State, value: Value) -> str:
    """The class of an object; "" of all else."""
    obj = state.heap.get(value.to) if type(value) is Pointer else None
    return obj.cls if obj is not None else ""


def _chain(
    run: Run, state: State, values: Mapping[str, Value], ref: int, site: Site
) -> list[tuple[State, Value]]:
    """An object whose items are applied in turn: the first to the argument, each next one to what came
    out.
    """
    from torchwise.flow.calls import call
    from torchwise.flow.functions import merged

    obj = state.obj(values.get("self", ANY))
    value = next((v for n, v in values.items() if n != "self"), ANY)
    if obj is None or obj.items is None:
        from torchwise.flow.effects import escape

        escape(run, state, list(values.values()))
        return [(state, ANY)]
    paths = [(state, value)]
    run.inside_chain += 1
    try:
        for number, item in enumerate(obj.items):
            after = []
            for one, inner in paths:
                args = Args(((ref if number == 0 else None, inner),))
                after += call(run, one, item, args, ref, site.of(str(number)))
            paths = merged(after)
    finally:
        run.inside_chain -= 1
    return paths


def _handed_back(op: Op, values: Mapping[str, Value], outcome: Outcome) -> tuple[Op, Outcome]:
    """An op that writes into an argument and hands it back is one in place: `relu(x, inplace=True)`."""
    written = [e.target for e in outcome.effects if isinstance(e, Write)]
    param = next((n for n, v in values.items() if v is outcome.result and any(v is w for w in written)), None)
    if param is None:
        return op, outcome
    others = tuple(e for e in outcome.effects if not isinstance(e, Write))
    return in_place_form(op, param), Outcome(outcome.result, outcome.broken, others)


@cache
def in_place_form(op: Op, param: str) -> Op:
    """The input is gone by the time of backward: what is kept for it can only be the result."""
    kept = "result" in op.saves or "keeps-result-in-place" in op.tags
    return replace(op, inplace=param, saves=("result",) if kept else ())


def _leaf_broken(state: State, op: Op, values: Mapping[str, Value]) -> tuple[Broken, ...]:
    """Autograd refuses an in-place change of a leaf that requires grad while it records."""
    assert op.inplace is not None
    if not state.grad_mode().holds:
        return ()
    target = values.get(op.inplace)
    if (
        isinstance(target, Tensor)
        and target.requires_grad.holds
        and (target.leaf.holds or _views_leaf(target))
    ):
        return (Broken("leaf-write", op.inplace, because=target),)
    return ()


def _views_leaf(tensor: Tensor) -> bool:
    """Whether it lies in the storage of a leaf that gradients flow to."""
    return tensor.graph is not None and tensor.storage in tensor.graph.owners


def _write(run: Run, state: State, op: Op, values: Mapping[str, Value], site: Site, ref: int) -> None:
    target = values.get(op.inplace or "")
    if isinstance(target, Tensor) and target.storage is not None:
        if target.nature == UNWRITTEN and reads_first(op):
            _note_unwritten(run, state, target, ref)
        elif word_of(target.nature) == LISTED_AGAIN:
            run.event("listed-again-written", ref, state, (), target)
        for storage in storages(state, target.storage):
            state.write(storage, site)
        written_by_hand(run, state, op.name, target, values, site, ref)


def _note_unwritten(run: Run, state: State, target: Tensor, ref: int) -> None:
    """Where the memory was taken here, and nobody has written to it since."""
    assert target.storage is not None
    here = target.storage.scope == run.key and state.version(target.storage) == 0
    if here and target.shape is not None and all(d.number != 0 for d in target.shape):
        run.event("unwritten-read", ref, state, (target.storage,), target)


def settle(run: Run, state: State, op: Op, given: Given, outcome: Outcome, site: Site) -> Value:
    """Gives the result its identity: a place on the heap, a storage, a node of the autograd graph."""
    result = outcome.result
    if isinstance(result, Made):
        return allocate(state, result.obj, site)
    if isinstance(result, Tensor):
        return _settle_tensor(run, state, op, given, result, site)
    if isinstance(result, Items):
        return _settle_items(run, state, op, given, result, site, site)
    if isinstance(result, Params):
        made(state, result, site)
    if isinstance(result, Wrapped) and result.at is None:
        return replace(result, at=site)
    return result


def _settle_items(
    run: Run, state: State, op: Op, given: Given, result: Items, site: Site, node: Site
) -> Items:
    """Several results of one call: one node of the graph."""
    items: list[Value] = []
    for number, value in enumerate(result.items):
        at = site.of(str(number))
        if isinstance(value, Tensor) and value.id is None:
            value = _settle_tensor(run, state, op, given, value, at, node)
        elif isinstance(value, Made):
            value = allocate(state, value.obj, at)
        elif isinstance(value, Items):
            value = _settle_items(run, state, op, given, value, at, node)
        items.append(value)
    return Items(tuple(items), result.kind, result.names)


def _settle_tensor(
    run: Run, state: State, op: Op, given: Given, result: Tensor, site: Site, node: Site | None = None
) -> Tensor:
    if result.id is not None and op.inplace is None:
        return result  # an argument handed back as it is
    call = frozenset((site,))
    if op.grad == "leaf":
        wants = leaf_requires_grad(given, result)
        nature = result.nature or nature_of(op, given)
        return result.but(
            id=site, storage=site, calls=call, requires_grad=wants, leaf=HOLDS, graph=None, nature=nature
        )
    source = given.tensor(op.view) if op.view else given.tensor(op.inplace) if op.inplace else None
    storage = source.storage if source is not None and source.storage is not None else result.storage or site
    if result.nature is None or overwrites(op, result):
        result = result.but(nature=nature_of(op, given))
    requires = differentiable(state, op, given, result)
    graph = None if requires.fails else recorded(run, state, op, given, node or site, storage)
    leaf = HOLDS if requires.fails else FAILS if requires.holds else UNKNOWN
    made = result.but(id=site, storage=storage, calls=call, requires_grad=requires, leaf=leaf, graph=graph)
    if made.kind == "tensor" and _for_inference(state, source):
        made = made.but(kind="inference")
    if op.inplace and source is not None and source.id is not None:
        made = made.but(id=source.id, kind=source.kind)
        if not requires.holds and not source.requires_grad.fails:  # changed while autograd looks away
            made = made.but(leaf=source.leaf, requires_grad=source.requires_grad, graph=source.graph)
        state.tensors[source.id] = made
    return made


def _for_inference(state: State, source: Tensor | None) -> bool:
    """Whether a result is an inference tensor: made in that mode, or a view of one."""
    modes = [r.mode for r in state.regions if r.kind == "grad"] if state.regions else []
    return (bool(modes) and modes[-1] == "inference") or (source is not None and source.kind == "inference")


def allocate(state: State, obj: Obj, site: Site) -> Pointer:
    """Puts an object on the heap; its own tensors get the object's site and their attribute's name."""
    attrs = {name: _own(state, value, site.of(name)) for name, value in obj.attrs.items()}
    items = obj.items and tuple([_own(state, value, site.of(str(i))) for i, value in enumerate(obj.items)])
    state.heap[site] = Obj(obj.cls, attrs, items, obj.each, obj.marks, obj.bases)
    return Pointer(site)


def _own(state: State, value: Value | Made, site: Site) -> Value:
    if isinstance(value, Made):
        return allocate(state, value.obj, site)
    if isinstance(value, Tensor) and value.id is None:
        leaf = HOLDS if value.kind != "tensor" else value.leaf
        return value.but(id=site, storage=site, leaf=leaf)
    return value


def partial(value: Partial, args: Args) -> Args:
    named = {n: (None, v) for n, v in value.named}
    return Args(tuple((None, v) for v in value.args) + args.positional, {**named, **args.named}, args.open)
