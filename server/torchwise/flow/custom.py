"""Classes of the project that derive from `torch.autograd.Function`: what `apply` gives, and what the two
halves promise.

`apply` runs forward without recording, and records one node for all of it. Notes four kinds of event:
"gradient-count" where backward
returns another number of gradients than forward has inputs; "gradient-written" where it changes a gradient
that it was handed;
"kept-on-ctx" where forward keeps an input or its output as an attribute; "function-bypassed" where forward
is called without `apply`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from torchwise.domain.join import show_size
from torchwise.domain.value import (
    ANY,
    NONE,
    Class,
    Const,
    Func,
    Items,
    Obj,
    Pointer,
    Region,
    Site,
    Some,
    Tensor,
    Value,
)
from torchwise.domain.verdict import FAILS
from torchwise.flow.compiled import traced
from torchwise.flow.definitions import definitions
from torchwise.flow.facts import Arg, CallFact
from torchwise.flow.roles import says_tensor
from torchwise.ir import nodes as ir
from torchwise.ops import OPS, Outcome

if TYPE_CHECKING:
    from torchwise.flow.lookup import ClassFacts
    from torchwise.flow.opcalls import Args
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

BASES = frozenset(("torch.autograd.Function", "torch.autograd.function.Function"))
APPLY, CTX = "torch.autograd.Function.apply", "torch.autograd.function.FunctionCtx"


def is_function(facts: ClassFacts | None) -> bool:
    return facts is not None and not BASES.isdisjoint(facts.order)


def class_of(run: Run) -> ClassFacts | None:
    """The class that a method of a Function is defined in; None for everything else."""
    if run.scope.name not in ("forward", "backward"):
        return None
    facts = run.lookup.class_facts(run.variant.owner or run.key.rpartition(".")[0])
    return facts if is_function(facts) else None


def apply(
    run: Run, state: State, cls: Class, args: Args, ref: int, site: Site
) -> list[tuple[State, Value]] | None:
    """`Cls.apply(...)`; None where the class has no forward that is known."""
    from torchwise.flow.functions import call_function

    facts = run.lookup.class_facts(cls.scope)
    forward = _half(facts, cls, "forward") if facts is not None else None
    if facts is None or forward is None:
        return None
    before = state.regions
    state.regions = (*before, Region("grad", "off"))
    given = args
    if "setup_context" not in facts.names:
        ctx = site.of("ctx")
        state.heap[ctx] = _context(args)
        given = args.before(Pointer(ctx))
    paths = call_function(run, state, forward, given, ref, site.of("forward"))
    out = []
    for one, value in paths:
        one.regions = before
        out.append((one, _applied(run, one, args, value, ref, site)))
    if out and any(isinstance(v, Tensor) and not v.requires_grad.fails for _, v in out):
        _follow_backward(run, out[0][0].copy(), cls, facts, given, out[0][1], ref, site)
    return out


def _half(facts: ClassFacts, cls: Class, name: str) -> Func | None:
    """`forward` or `backward`, which may be a method of the class."""
    found = facts.names.get(name)
    if not isinstance(found, Func):
        return None
    return replace(found, bound=cls) if found.static == "classmethod" else found


def _context(args: Args) -> Obj:
    """With what it was applied to, as its mark "inputs"."""
    values = tuple(args.values())
    asked = [v.requires_grad if isinstance(v, Tensor) else FAILS for v in values]
    needs = Items(tuple([Some("bool") if n.unknown else Const(n.holds) for n in asked]))
    return Obj(CTX, {"needs_input_grad": needs}, marks={"inputs": Items(values)})


def _follow_backward(
    run: Run, state: State, cls: Class, facts: ClassFacts, given: Args, value: Value, ref: int, site: Site
) -> None:
    """Backward is run without recording, and by Dynamo read together with forward."""
    from torchwise.flow.functions import call_function
    from torchwise.flow.opcalls import Args

    backward = _half(facts, cls, "backward")
    if backward is not None:
        results = value.items if isinstance(value, Items) else (value,)
        ctx = given.positional[0] if "setup_context" not in facts.names else (None, ANY)
        handed = Args((ctx, *((None, _bare(v)) for v in results)))
        if not traced(state):
            state.regions = (*state.regions, Region("grad", "off"))
        call_function(run, state, backward, handed, ref, site.of("backward"))


def _applied(run: Run, state: State, args: Args, value: Value, ref: int, site: Site) -> Value:
    from torchwise.flow.opcalls import given_for, settle

    op = OPS[APPLY]
    bound = {"args": Items(tuple(args.values()))}
    given = given_for(run, state, bound, site)
    made = (
        Items(tuple(map(_bare, value.items)), value.kind, value.names)
        if isinstance(value, Items)
        else _bare(value)
    )
    result = settle(run, state, op, given, Outcome(made), site)
    shown = {"args": Arg(None, bound["args"])}
    run.calls.append(CallFact(ref, op.name, APPLY, shown, result, run.turn, run.loops, state.regions))
    run.executions[ref, run.turn] += 1
    return result


def _bare(value: Value) -> Value:
    return (
        Tensor(value.shape, value.strides, value.dtype, value.device) if isinstance(value, Tensor) else value
    )


def parameter(run: Run, state: State, number: int, site: Site) -> Value | None:
    """What a parameter of a half that nobody calls is: the context, then, for backward, gradients."""
    facts = class_of(run)
    if facts is None:
        return None
    if number == 0 and not (run.scope.name == "forward" and "setup_context" in facts.names):
        state.heap[site] = Obj(CTX)
        return Pointer(site)
    return Tensor(id=site, storage=site) if run.scope.name == "backward" else None


def note_bypassed(run: Run, state: State, func: Func, scope: ir.Scope, ref: int) -> None:
    """Called for every call of a function of the project."""
    if scope.name == "forward" and func.owner is not None and func.bound is None and class_of(run) is None:
        if is_function(run.lookup.class_facts(func.owner)):
            run.event("function-bypassed", ref, state, (), None, func.owner.rpartition("::")[2])


def note_promises(run: Run) -> None:
    """Called at the end of every function."""
    facts = class_of(run)
    if facts is None or not run.finished:
        return
    state = run.finished[0][2]
    if run.scope.name == "backward":
        _count(run, state, facts)
        _misfits(run)
        _written(run, state)
    else:
        _kept(run, state)


def _count(run: Run, state: State, facts: ClassFacts) -> None:
    forward = facts.names.get("forward")
    scope = run.lookup.scope(forward.scope) if isinstance(forward, Func) else None
    if scope is None or any(p.kind in ("star", "double-star") for p in scope.params):
        return
    if _gives_no_gradient(run, scope):
        return
    bound = isinstance(forward, Func) and forward.static == "classmethod"
    wanted = len(scope.params) - (0 if "setup_context" in facts.names else 1) - bound
    least = wanted - sum(p.default for p in scope.params)  # those may be left out
    for ref, value in run.returned.items():
        given = len(value.items) if isinstance(value, Items) else 1 if isinstance(value, Tensor) else None
        extra = value.items[wanted:] if isinstance(value, Items) else ()
        if given is not None and (given < least or any(v != NONE for v in extra)):
            run.event("gradient-count", ref, state, (), value, f"{given}:{wanted}")


def _misfits(run: Run) -> None:
    """Notes "gradient-shape" where a gradient cannot be summed down to the input that it is for."""
    name = run.scope.params[0].name if run.scope.params else ""
    ctx = dict(run.variant.args or ()).get(name)
    paths = [(value, state) for kind, value, state in run.finished if kind == "return"]
    found = paths[0][1].heap.get(ctx.to) if paths and isinstance(ctx, Pointer) else None
    inputs = found.marks.get("inputs") if found is not None else None
    for number, given in enumerate(inputs.items if isinstance(inputs, Items) else ()):
        made = [_at(state.current(value), number) for value, state in paths]
        wrong = [g for g in made if isinstance(g, Tensor) and not _fits(given, g)]
        if wrong and isinstance(given, Tensor) and all(g in wrong or g == NONE for g in made):
            sizes = [", ".join(map(show_size, t.shape or ())) for t in (wrong[0], given)]
            run.event("gradient-shape", next(iter(run.returned)), paths[0][1], (), wrong[0], ":".join(sizes))


def _at(value: Value, number: int) -> Value:
    if isinstance(value, Items):
        return value.items[number] if number < len(value.items) else NONE
    return value if number == 0 else NONE


def _fits(given: Value, gradient: Tensor) -> bool:
    """Whether torch may take a gradient for an input: it sums over axes that the input was stretched
    along.
    """
    if (
        not isinstance(given, Tensor)
        or not given.requires_grad.holds
        or given.shape is None
        or gradient.shape is None
    ):
        return True
    aligned = zip(reversed(given.shape), reversed(gradient.shape), strict=False)
    return len(given.shape) <= len(gradient.shape) and not any(
        own.same_as(1).fails and own.same_as(other).fails for own, other in aligned
    )


def _gives_no_gradient(run: Run, forward: ir.Scope) -> bool:
    """Whether `forward` says of a result that it is not differentiable: then `backward` may never be run."""
    return any(
        isinstance(i, ir.Attr) and i.name == "mark_non_differentiable" for i in definitions(forward).values()
    )


def _written(run: Run, state: State) -> None:
    handed = {v.storage for n, v in _arguments(run).items() if isinstance(v, Tensor)}
    for call in run.calls:
        op = OPS.get(call.spelling)
        target = call.args.get(op.inplace) if op is not None and op.inplace is not None else None
        if target is not None and isinstance(target.value, Tensor) and target.value.storage in handed:
            run.event("gradient-written", call.at, state, (), target.value)


def _kept(run: Run, state: State) -> None:
    tensors = {
        p.name for p in run.scope.params if p.annotation is None or says_tensor(run, state, p.annotation)
    }
    given = [v for n, v in _arguments(run).items() if n in tensors]
    outside = {v.id: "an input" for v in given if isinstance(v, Tensor)}
    for value in run.returned.values():
        outside |= {
            v.id: "its output"
            for v in (value.items if isinstance(value, Items) else (value,))
            if isinstance(v, Tensor)
        }
    for obj in state.heap.values():
        for name, value in obj.attrs.items() if obj.cls == CTX else ():
            if isinstance(value, Tensor) and value.id in outside:
                for instr in run.defs.values():
                    if isinstance(instr, ir.SetAttr) and instr.name == name:
                        run.event("kept-on-ctx", instr.out, state, (), value, outside[value.id])


def _arguments(run: Run) -> dict[str, Value]:
    """The parameters as they were handed over, without the context."""
    first = run.scope.params[0].name if run.scope.params else ""
    given = dict(run.variant.args or ())
    made = {p.name: Tensor(id=s, storage=s) for p in run.scope.params if (s := run.site(0, p.name))}
    return {n: given.get(n, made[n]) for n in made if n != first}
