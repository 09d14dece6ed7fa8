"""Branches: what a test is known to be, what is assumed on each side, and what each side then knows."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from torchwise.domain.batches import Lengths
from torchwise.domain.dim import Dim
from torchwise.domain.join import join
from torchwise.domain.value import (
    ANY,
    NONE,
    Any,
    Class,
    Const,
    Device,
    Func,
    Items,
    Module,
    Named,
    Num,
    Pointer,
    Region,
    Tensor,
    Value,
)
from torchwise.domain.verdict import Verdict
from torchwise.flow.definitions import Definitions
from torchwise.flow.guards import ON_SOME, guarded
from torchwise.flow.implied import implied
from torchwise.flow.last_batch import note_test
from torchwise.flow.names import bind
from torchwise.flow.narrow import widen
from torchwise.flow.run import Run, distinct, handles
from torchwise.flow.state import Condition, State
from torchwise.ir import nodes as ir
from torchwise.ops.comparison import same_object

# Objects that are there are true: `if sampler:` asks whether it is None.
TRUE_OBJECTS = ("torch.optim.", "torch.utils.data.", "torch.amp.", "torch.cuda.amp.")


def truth(state: State, value: Value) -> bool | None:
    """What `bool(value)` certainly is."""
    match value:
        case Const(constant):
            return bool(constant)
        case Num(dim):
            return None if dim.number is None else dim.number != 0
        case Items(items):
            return bool(items)
        case Named() | Func() | Class() | Module():
            return True
        case Pointer(to):
            obj = state.heap.get(to)
            if obj is None:
                return None
            if obj.cls in ("list", "dict", "set"):
                return bool(obj.items) if obj.items is not None else None
            plain = "torch.nn.Module" in obj.bases and not obj.items
            return True if plain or obj.cls.startswith(TRUE_OBJECTS) else None
    return None


def _always_true(run: Run, state: State, value: Value) -> bool:
    """Whether it is an object of a class of the project that says neither how long nor whether it is true."""
    obj = state.obj(value)
    facts = run.lookup.class_facts(obj.cls) if obj is not None and "::" in obj.cls else None
    if facts is None or not facts.closed or any("::" not in base for base in facts.order):
        return False
    classes = [run.lookup.class_facts(base) for base in facts.order]
    return all(c is not None and c.names.keys().isdisjoint(("__bool__", "__len__")) for c in classes)


@handles(ir.If)
def _if(run: Run, it: ir.If, state: State) -> list[State]:
    value = state.regs.get(it.test, ANY)
    run.executions[it.test, run.turn] += 1
    if isinstance(value, Tensor):
        run.event("branch-on-tensor", it.test, state, tuple(value.calls), value)
    known = truth(state, value)
    if known is None and _always_true(run, state, value):
        known = True
    if known is not None:
        return _parted_before(run, it, state, known) if _parts(run, it.test) else _side(run, it, state, known)
    condition = condition_of(run, it.test)
    if condition is not None and condition in state.assumed:
        return _side(run, it, state, state.assumed[condition])
    follows = implied(condition, state.assumed) if condition is not None and state.assumed else None
    if follows is not None:
        return _side(run, it, state, follows)
    note_test(run, state, it.test)
    other = state.copy()
    sides = []
    traced = any(r.kind in ("compile", "export") for r in state.regions)
    maybe = (Region("guard", "maybe", run.site(it.test)),) if traced else ()
    for one, answer in ((state, True), (other, False)):
        if refine(run, one, it.test, answer):
            if condition is not None:
                one.assumed[condition] = answer
            one.narrow += 1
            sides.append(_side(run, it, one, answer, maybe))
    if it.values is not None and it.values[0] == it.test and type(value) is Any:
        _note_default(run, it, sides[-1])
    widen(it, sides)
    if all(len(s) == 1 for s in sides) and (it.values is None or _devices(it, sides)):
        return distinct([s[0] for s in sides])
    _stay_guarded(run, it, sides)
    return [s for side in sides for s in side]


def _parts(run: Run, test: int) -> bool:
    """Whether the answer is that of a call which has parted the path: a test inside it was not known."""
    made = run.defs.get(test)
    if isinstance(made, ir.Call) and made.callee == "operator.not_":
        test = made.args[0].ref
    return test in run.parted


def _parted_before(run: Run, it: ir.If, state: State, known: bool) -> list[State]:
    state.narrow += 1
    ends = _side(run, it, state, known)
    other = it.other if known else it.then
    if not (other and isinstance(other[-1], ir.Return | ir.Leave)):
        for one in ends:
            one.narrow -= 1
    return ends


def _note_default(run: Run, it: ir.If, otherwise: list[State]) -> None:
    """`given or torch.ones(n)`: what is given instead of such a tensor is one, too."""
    for state in otherwise[:1]:
        value = state.regs.get(it.out, ANY)
        if isinstance(value, Tensor) and value.shape != () and value.dtype != "bool":
            run.event("default-by-truth", it.test, state, tuple(value.calls), value)


def _stay_guarded(run: Run, it: ir.If, sides: list[list[State]]) -> None:
    """`if rank != 0: return`: what comes after it runs on some processes only."""
    kept = tuple([g for g in guarded(run, it.test) if g.mode in ON_SOME])
    if kept and len(sides) == 2 and not all(sides) and it.values is None:
        for one in (*sides[0], *sides[1]):
            one.regions = (*one.regions, *kept)


def _devices(it: ir.If, sides: list[list[State]]) -> bool:
    """Whether an expression chooses between devices: those are known as well together."""
    found = [side[0].regs.get(it.out, ANY) for side in sides]
    return len(found) == 2 and type(join(found[0], found[1])) is Device


def _side(run: Run, it: ir.If, state: State, answer: bool, maybe: tuple[Region, ...] = ()) -> list[State]:
    """`maybe`: compiled code knows which side it goes; where we do not, nothing in it is certain to run."""
    run.sides.add((it.out, answer))
    guards = (*guarded(run, it.test), *maybe)
    before = state.regions
    state.regions = (*before, *guards) if guards else before
    states = run.block(it.then if answer else it.other, [state])
    for one in states if guards else ():
        one.regions = (*before, *one.regions[len(before) + len(guards) :])
    if it.values is not None:
        ref = it.values[0 if answer else 1]
        for one in states:
            one.regs[it.out] = one.regs.get(ref, ANY)
            if ref == it.test:  # of `a or b` it is `a`, which was true
                one.assumed[_valued(it.out)] = answer
            else:
                one.assumed.pop(_valued(it.out), None)
    return states


def _valued(out: int) -> Condition:
    """The truth of an expression's value on a path where the value is a test's own."""
    return frozenset(), ("value", out)


def condition_of(run: Run, ref: int) -> Condition | None:
    """The test as a key: equal keys are equal answers, as long as none of the names in it is bound again.

    The first part is the set of names; tests that call something are no condition.
    """
    known = _CONDITIONS.get(run.defs)
    if known is None:
        known = _CONDITIONS[run.defs] = {}
    if ref not in known:
        names: set[str] = set()
        key = _key(run, ref, names)
        known[ref] = None if key is None or not names else (frozenset(names), key)
    return known[ref]


_CONDITIONS: WeakKeyDictionary[Definitions, dict[int, Condition | None]] = WeakKeyDictionary()


def _key(run: Run, ref: int, names: set[str]) -> object:
    match run.defs.get(ref):
        case ir.Load(name=name):
            names.add(name)
            return name
        case ir.Const(value=value):
            return (type(value).__name__, value)
        case ir.Attr(base=base, name=name):
            inner = _key(run, base, names)
            names.add(f".{name}")
            return None if inner is None else (inner, ".", name)
        case ir.Index(base=base, index=index):
            of, at = _key(run, base, names), _key(run, index, names)
            return None if of is None or at is None else (of, "[]", at)
        case ir.Call(callee=str() as operator, args=args):
            parts = tuple([_key(run, a.ref, names) for a in args])
            return None if None in parts else (operator, *parts)
    return None


def refine(run: Run, state: State, ref: int, answer: bool) -> bool:
    """Puts into the state what the test's answer says. False where the answer is impossible."""
    if state.assumed.get(_valued(ref), answer) != answer:
        return False
    match run.defs.get(ref):
        case ir.Call(callee="operator.not_", args=(ir.Arg(ref=inner),)):
            return refine(run, state, inner, not answer)
        case ir.Call(
            callee="operator.is_" | "operator.is_not" as operator, args=(ir.Arg(ref=left), ir.Arg(ref=right))
        ):
            if state.regs.get(right) == NONE:
                return _refine_none(run, state, left, answer == (operator == "operator.is_"))
        case ir.Call(
            callee="operator.eq" | "operator.ne" as operator, args=(ir.Arg(ref=left), ir.Arg(ref=right))
        ):
            if answer == (operator == "operator.eq"):
                _refine_size(state, state.regs.get(left, ANY), state.regs.get(right, ANY))
        case ir.Call(args=(ir.Arg(ref=asked), ir.Arg(ref=kind))) if answer and _names_parameter(state, kind):
            _refine_tensor(state, asked, kind="parameter")
        case ir.Attr(base=base, name="requires_grad"):
            _refine_tensor(state, base, requires_grad=Verdict.of(answer))
        case ir.If(values=(a, _), test=test):
            if answer and run.defs.get(ref).other == ():  # type: ignore[union-attr]
                return refine(run, state, test, True) and refine(run, state, a, True)
    return True


PARAMETER = frozenset(("torch.nn.Parameter", "torch.nn.parameter.Parameter"))


def _names_parameter(state: State, kind: int) -> bool:
    """`isinstance(x, nn.Parameter)`: nothing else that is asked of two things names the class."""
    value = state.regs.get(kind)
    return isinstance(value, Named) and value.path in PARAMETER


def _refine_tensor(state: State, ref: int, **known: object) -> None:
    value = state.current(state.regs.get(ref, ANY))
    if isinstance(value, Tensor) and value.id is not None:
        state.tensors[value.id] = value.but(**known)


def _refine_size(state: State, left: Value, right: Value) -> None:
    """`if batch == 1:` says how long an axis is that nothing was known of."""
    for size, known in ((left, right), (right, left)):
        if not isinstance(size, Num) or not isinstance(known, Num) or known.dim.number is None:
            continue
        symbol = next(iter(size.dim.symbols), "")
        if size.dim == Dim.of(symbol) and _measures(state, symbol):
            lengths = Lengths({symbol: known.dim})
            state.env = {name: lengths.value(v) for name, v in state.env.items()}
            state.regs = {ref: lengths.value(v) for ref, v in state.regs.items()}
            tensors = {site: lengths.value(t) for site, t in state.tensors.items()}
            state.tensors = tensors  # type: ignore[assignment]


def _measures(state: State, symbol: str) -> bool:
    """Whether it is the size of a tensor."""
    tensors = (v for v in (*state.tensors.values(), *state.env.values()) if isinstance(v, Tensor))
    return any(symbol in d.symbols for t in tensors for d in t.shape or ())


def _refine_none(run: Run, state: State, ref: int, is_none: bool) -> bool:
    value = state.regs.get(ref, ANY)
    if is_none:
        match run.defs.get(ref):
            case ir.Load(name=name) if type(value) is Any and name in state.env:
                bind(run, state, name, NONE)
        return type(value) in (Any, Const) or not same_object(value, NONE).fails  # gradients may be cleared
    return value != NONE


@handles(ir.Assert)
def _assert(run: Run, it: ir.Assert, state: State) -> list[State]:
    value = state.regs.get(it.test, ANY)
    run.executions[it.test, run.turn] += 1
    if isinstance(value, Tensor):
        message = run.defs.get(it.message) if it.message is not None else None
        detail = "string" if isinstance(message, ir.Build) else ""
        run.event("assert-on-tensor", it.test, state, tuple(value.calls), value, detail)
    if truth(state, value) is False or not refine(run, state, it.test, True):
        return []
    condition = condition_of(run, it.test)
    if condition is not None:
        state.assumed[condition] = True
    return [state]
