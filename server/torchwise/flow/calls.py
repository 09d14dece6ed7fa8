"""Calls: of ops, of functions and classes of the project, of objects, and of what nothing is known of."""

from __future__ import annotations

from dataclasses import replace

from torchwise.domain.value import (
    ANY,
    Any,
    Class,
    Either,
    Func,
    Items,
    Many,
    Method,
    Named,
    Obj,
    Partial,
    Pointer,
    Region,
    Site,
    Tensor,
    Value,
    Wrapped,
)
from torchwise.domain.verdict import HOLDS
from torchwise.flow.choices import one_of
from torchwise.flow.compiled import note_compiled_call, replayed, run_hooks
from torchwise.flow.crops import sliced
from torchwise.flow.custom import APPLY, apply
from torchwise.flow.effects import call_back, escape
from torchwise.flow.facts import Arg, CallFact
from torchwise.flow.gradients import backward_by_name, perhaps_frozen
from torchwise.flow.hooks import look_into_by_name
from torchwise.flow.modes import note_forward, note_module_call, note_wrapped_method
from torchwise.flow.opcalls import Args, call_op, partial
from torchwise.flow.round import ROUND, note_attribute_called, note_hooks_passed, wrapper_of
from torchwise.flow.run import Run, handles
from torchwise.flow.state import State
from torchwise.flow.supers import BASE_CALL, LOOKS_UP, looked_up
from torchwise.flow.tuples import only_guessed
from torchwise.flow.unanswered import note_no_forward
from torchwise.ir import nodes as ir
from torchwise.ops import OPS
from torchwise.ops.iterables import state_marks

Paths = list[tuple[State, Value]]
MODULE = "torch.nn.Module"


@handles(ir.Call)
def _call(run: Run, it: ir.Call, state: State) -> list[State] | None:
    if isinstance(it.callee, str):
        values = [state.current(state.regs.get(a.ref, ANY)) for a in it.args]
        if it.callee in ARITHMETIC and all(type(v) is Any for v in values):
            state.regs[it.out] = ANY
            run.unanswered.add((it.out, run.turn))
            return None
        args = Args(tuple([(a.ref, v) for a, v in zip(it.args, values, strict=True)]))
        callee: Value = Named(it.callee)
    else:
        args = gather(run, state, it)
        callee = state.regs.get(it.callee, ANY)
        note_attribute_called(run, it, state)
        if type(callee) is Any:
            backward_by_name(run, state, it)
            look_into_by_name(run, state, it, args)
    wrapper = wrapper_of(run, it, state) if type(callee) in ROUND else None
    paths = call(run, state, callee, args, it.out, run.site(it.out))
    for one, value in paths:
        if wrapper is not None and type(value) is Tensor and value.requires_grad.holds:
            run.event("module-called", it.out, one, (wrapper.to,), wrapper, one.heap[wrapper.to].cls)
        one.regs[it.out] = value = one.current(value)
        if type(value) is Tensor or it.out in run.values:
            run.note(it.out, value)
            if type(callee) is Func and callee.bound is not None:
                note_wrapped_method(run, one, callee.bound, value, it.out)
    return [one for one, _ in paths]


ARITHMETIC = frozenset(f"operator.{n}" for n in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "iadd", "isub", "imul",
    "itruediv", "getitem", "and_", "or_",
))  # fmt: skip


def gather(run: Run, state: State, it: ir.Call | ir.Build) -> Args:
    """The arguments as they stand, with `*x` and `**x` spread out where their content is known."""
    from torchwise.flow.iteration import elements, mapping

    positional: list[tuple[int | None, Value]] = []
    named: dict[str, tuple[int | None, Value]] = {}
    unknown = False
    rest: Value = ANY
    given = it.args if isinstance(it, ir.Call) else it.items
    for arg in given:
        value = state.current(state.regs.get(arg.ref, ANY))
        if arg.stars == 1:
            found = elements(run, state, value, arg.ref)
            if isinstance(found, tuple):
                positional += [(arg.ref, v) for v in found]
            else:
                unknown, rest = True, found.each if len(given) == 1 else ANY
        elif arg.stars == 2:
            pairs = mapping(state, value)
            unknown = unknown or pairs is None
            named.update({n: (arg.ref, v) for n, v in (pairs or {}).items()})
        elif arg.name is not None:
            named[arg.name] = (arg.ref, value)
        elif not unknown:
            positional.append((arg.ref, value))
    return Args(tuple(positional), named, unknown, rest)


def call(
    run: Run, state: State, callee: Value, args: Args, ref: int, site: Site, decorating: bool = False
) -> Paths:
    """Calls a value. `decorating`: an unknown decorator leaves a function that is not known, but does
    nothing else.
    """
    match callee:
        case Named(path):
            return _call_named(run, state, path, args, ref, site, decorating)
        case Method(path, owner):
            return _call_method(run, state, path, owner, args, ref, site)
        case Func():
            from torchwise.flow.functions import call_function, given_back

            paths = given_back(run, state, callee, args, ref, site) if decorating else None
            return call_function(run, state, callee, args, ref, site) if paths is None else paths
        case Class(key):
            from torchwise.flow.objects import instantiate

            return instantiate(run, state, key, args, ref, site)
        case Pointer(to):
            return _call_object(run, state, callee, state.heap.get(to), args, ref, site)
        case Either(options):
            return one_of(call, run, state, options, args, ref, site)
        case Partial(func):
            return call(run, state, func, partial(callee, args), ref, site)
        case Wrapped(func, regions):
            return _call_wrapped(run, state, func, regions, args, ref, site)
    if isinstance(callee, Items) and callee.kind == "load_state_dict":
        run.event("keys-called", ref, state)
    return unknown_call(run, state, callee, args, ref, decorating)


def unknown_call(
    run: Run, state: State, callee: Value, args: Args, ref: int, decorating: bool = False
) -> Paths:
    if not decorating:
        run.unanswered.add((ref, run.turn))
        escape(run, state, [*args.values(), callee])
        if type(callee) is Any:
            call_back(run, state)
    return [(state, ANY)]


def _call_named(
    run: Run, state: State, path: str, args: Args, ref: int, site: Site, decorating: bool
) -> Paths:
    if path in LOOKS_UP and (found := looked_up(run, state, path, args, ref)) is not None:
        return [(state, found)]
    if path in DESCRIPTORS and args.positional:
        return [(state, _descriptor(path, args.positional[0][1]))]
    if decorating and path in TRANSPARENT and args.positional:
        return [(state, args.positional[0][1])]
    op = OPS.get(path)
    if op is None:
        from torchwise.flow.subscripts import dunder

        own = dunder(run, state, path, args, ref, site) if path.startswith("operator.") else None
        _note_outside_call(run, state, path, args, site)
        return own if own is not None else unknown_call(run, state, Named(path), args, ref, decorating)
    if path.startswith("operator."):
        from torchwise.flow.subscripts import dunder

        own = dunder(run, state, path, args, ref, site)
        if own is not None:
            return own
    return call_op(run, state, op, path, args, ref, site)


def _note_outside_call(run: Run, state: State, path: str, args: Args, site: Site) -> None:
    """A call of what has an import path but no row: a fact without an op, its positional arguments by
    number.
    """
    if not path.startswith("operator.") and not args.open:
        given = {str(i): Arg(*pair) for i, pair in enumerate(args.positional)} | {
            n: Arg(*pair) for n, pair in args.named.items()
        }
        run.calls.append(
            CallFact(site.ref, "", path, given, ANY, run.turn, run.loops, state.regions, part=site.part)
        )
        run.executions[site.ref, run.turn] += 1


DESCRIPTORS = {
    "builtins.property": "property",
    "builtins.staticmethod": "staticmethod",
    "builtins.classmethod": "classmethod",
    "functools.cached_property": "property",
    "contextlib.contextmanager": "contextmanager",
}
TRANSPARENT = frozenset((
    "functools.lru_cache", "functools.cache", "typing.overload", "typing.final", "typing.override",
    "abc.abstractmethod", "typing.no_type_check", "torch.jit.export", "torch.jit.unused", "torch.jit.ignore",
    "dataclasses.dataclass", "torch.jit.script_method",
    "torch.autograd.function.once_differentiable", "torch.fx.wrap", "torch.jit.script_if_tracing",
    "torch.jit._overload_method", "torch.compiler.assume_constant_result",
))  # fmt: skip


def _descriptor(path: str, value: Value) -> Value:
    return replace(value, static=DESCRIPTORS[path]) if isinstance(value, Func) else ANY


def _call_method(run: Run, state: State, path: str, owner: Value, args: Args, ref: int, site: Site) -> Paths:
    if (
        path == APPLY
        and isinstance(owner, Class)
        and (paths := apply(run, state, owner, args, ref, site)) is not None
    ):
        return paths
    if path == BASE_CALL and isinstance(owner, Pointer) and owner.to in state.heap:
        return _answer(run, state, owner, state.heap[owner.to], ("forward",), args, ref, site)
    op = OPS.get(path)
    if op is None or (isinstance(owner, Tensor) and only_guessed(op, owner, args.named)):
        return unknown_call(run, state, owner, args, ref)
    if path == "Tensor.requires_grad_":
        perhaps_frozen(state, owner)
    return call_op(run, state, op, path, args.before(owner, _receiver(run, ref)), ref, site)


def _called(run: Run, ref: int) -> int | None:
    """The instruction of `x` in `x(...)`."""
    instr = run.defs.get(ref)
    return instr.callee if isinstance(instr, ir.Call) and isinstance(instr.callee, int) else None


def _receiver(run: Run, ref: int) -> int | None:
    """The instruction of `x` in `x.method(...)`."""
    instr = run.defs.get(ref)
    if isinstance(instr, ir.Call) and isinstance(instr.callee, int):
        attr = run.defs.get(instr.callee)
        if isinstance(attr, ir.Attr):
            return attr.base
        return instr.callee
    return None


def _call_object(
    run: Run, state: State, callee: Pointer, obj: Obj | None, args: Args, ref: int, site: Site
) -> Paths:
    paths = _call_itself(run, state, callee, obj, args, ref, site)
    hooked = obj is not None and "hooked" in obj.marks
    return run_hooks(run, paths, callee, args, ref, site) if hooked else paths


def _call_itself(
    run: Run, state: State, callee: Pointer, obj: Obj | None, args: Args, ref: int, site: Site
) -> Paths:
    if obj is None:
        return unknown_call(run, state, callee, args, ref)
    if (
        "region" in obj.marks
        and args.positional
        and isinstance(args.positional[0][1], Func | Wrapped | Pointer | Class)
    ):
        region = obj.marks["region"]
        assert isinstance(region, Region)
        return [(state, Wrapped(args.positional[0][1], (replace(region, at=callee.to),), site))]
    compiled = obj.marks.get("compiled")
    if isinstance(compiled, Region) and compiled not in state.regions:
        return _call_wrapped(run, state, callee, (compiled,), args, ref, site)
    if MODULE in obj.bases or obj.cls == MODULE:
        if not run.inside_chain:
            note_forward(run, state, callee, ref)
        note_hooks_passed(run, state, callee, obj, ref)
        if obj.marks.get("wrapped") is HOLDS and "invoke" not in site.part:
            run.event("wrapped-called", ref, state, (callee.to,), callee)
        obj = state.heap[callee.to]
    return _answer(run, state, callee, obj, ("__call__", "forward"), args, ref, site)


def _answer(
    run: Run,
    state: State,
    callee: Pointer,
    obj: Obj,
    names: tuple[str, ...],
    args: Args,
    ref: int,
    site: Site,
) -> Paths:
    """By the first of these methods that its class has in the project; else by the row of its class."""
    from torchwise.flow.functions import call_function
    from torchwise.flow.objects import find_method

    counts = 0 if run.inside_chain else 1
    run.executions[ref, run.turn] += counts
    for name in names if MODULE in obj.bases else names[:1]:
        method = find_method(run, state, callee, obj, name)
        if isinstance(method, Func):
            note_module_call(run, state, callee, obj, args.positional, site, _called(run, site.ref))
            return call_function(run, state, method, args, ref, site)
        if isinstance(method, Wrapped):
            return call(run, state, method, args, ref, site)
    for cls in (obj.cls, *obj.bases):
        op = OPS.get(f"{cls}.__call__")
        if op is not None:
            if not op.chain:
                run.executions[ref, run.turn] -= counts  # counted there
            return call_op(
                run, state, op, f"{cls}.__call__", args.before(callee, _called(run, ref)), ref, site
            )
    note_no_forward(run, state, callee, obj, ref)
    return unknown_call(run, state, callee, args, ref)


def _call_wrapped(
    run: Run, state: State, func: Value, regions: tuple[Region, ...], args: Args, ref: int, site: Site
) -> Paths:
    before = state.regions
    if any(r.mode == "disabled" for r in regions) and any(r.kind == "compile" for r in before):
        run.event("disabled-called", ref, state, ())
    note_compiled_call(run, state, regions, args.values(), ref)
    state.regions = (*before, *regions)
    paths = call(run, state, func, args, ref, site)
    for one, _ in paths:
        one.regions = before
    return replayed(paths, regions, site)


@handles(ir.Build)
def _build(run: Run, it: ir.Build, state: State) -> None:
    if it.kind == "string":
        for item in it.items:
            value = state.regs.get(item.ref, ANY)
            if isinstance(value, Tensor):
                run.event("tensor-in-string", it.out, state, tuple(value.calls), value)
        state.regs[it.out] = _formatted(it, state)
    elif it.kind == "slice":
        state.regs[it.out] = sliced(run, state, it)
    elif it.kind == "dict":
        state.regs[it.out] = _dict(run, it, state)
    else:
        args = gather(run, state, it)
        items = tuple([v for _, v in args.positional])
        if it.kind == "tuple":
            state.regs[it.out] = Many(ANY) if args.open else Items(items)
        else:
            site = run.site(it.out)
            state.heap[site] = Obj(it.kind, {}, None if args.open else items, ANY if args.open else None)
            state.regs[it.out] = Pointer(site)


def _formatted(it: ir.Build, state: State) -> Value:
    """An f-string, whose text is known where all that is put in is."""
    from torchwise.domain.value import Const, Num, Some

    parts: list[str] = []
    for item in it.items:
        match state.regs.get(item.ref, ANY):
            case Num(dim) if dim.number is not None:
                parts.append(str(dim.number))
            case Const(str(text)):
                parts.append(text)
            case _:
                return Some("str")
    if len(it.texts) != len(parts) + 1:
        return Some("str")
    return Const("".join(a + b for a, b in zip(it.texts, [*parts, ""], strict=True)))


def _dict(run: Run, it: ir.Build, state: State) -> Value:
    site = run.site(it.out)
    items: list[Value] = []
    known = True
    at = iter(it.items)
    for arg in at:
        value = state.current(state.regs.get(arg.ref, ANY))
        if arg.stars == 2:
            obj = state.obj(value)
            if obj is not None and obj.cls == "dict" and obj.items is not None:
                items += obj.items
            else:
                known = False
        else:
            items += [value, state.current(state.regs.get(next(at).ref, ANY))]
    state.heap[site] = Obj("dict", {}, tuple(items) if known else None, None if known else ANY)
    if len(it.items) == 1 and not known:  # `{**state}`
        obj = state.obj(state.regs.get(it.items[0].ref, ANY))
        if obj is not None and obj.cls == "dict":
            state.heap[site] = Obj("dict", {}, None, obj.each, state_marks(obj))
    return Pointer(site)
