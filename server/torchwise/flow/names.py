"""Names: loading, storing, importing, defining, unpacking."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.value import (
    ANY,
    Class,
    Const,
    Func,
    Items,
    Many,
    Num,
    Pointer,
    ShapeOf,
    Some,
    Tensor,
    Value,
)
from torchwise.flow.compiled import traced
from torchwise.flow.iteration import elements
from torchwise.flow.lookup import Snapshot
from torchwise.flow.registered import note_defaults
from torchwise.flow.run import Run, handles
from torchwise.flow.state import State
from torchwise.ir import nodes as ir


@handles(ir.Load)
def _load(run: Run, it: ir.Load, state: State) -> None:
    value = state.current(lookup(run, state, it.name))
    state.regs[it.out] = value
    if type(value) is Tensor:
        run.note(it.out, value)


def lookup(run: Run, state: State, name: str) -> Value:
    """What a name means here: local, enclosing, live global, global, builtin."""
    found = state.env.get(name)
    if found is not None:
        return found
    declared = run.outer.get(name)
    if name in run.scope.stores and declared is None and run.scope.kind == "function":
        return ANY  # a local that is not bound on this path
    if declared != "global":
        captured = enclosing(run, state, name)
        if captured is not None:
            return captured
    if name in state.globals:
        return state.globals[name]
    known = run.known.get(name)
    return known if known is not None else _global(run, state, name)


def _global(run: Run, state: State, name: str) -> Value:
    if (
        run.variant.under is not None
        and run.key.startswith(run.variant.under)
        and name in run.lookup.live_names(run.key)
    ):
        return ANY  # its module is running and has not bound it, as far as is known
    if name == "__name__" and run.scope.kind == "module":
        return Const("__main__")
    snapshot = run.lookup.global_value(run.key, name)
    if not snapshot.heap:
        run.known[name] = snapshot.value
    return take(state, snapshot)


def enclosing(run: Run, state: State, name: str) -> Value | None:
    frame = run.variant.frame
    obj = state.heap.get(frame) if frame is not None else None
    return obj.attrs.get(name) if obj is not None else None


def take(state: State, snapshot: Snapshot) -> Value:
    """Brings a value of another scope into this state, with the objects it leads to."""
    for site, obj in snapshot.heap.items():
        if site not in state.heap:
            state.heap[site] = obj
    return snapshot.value


@handles(ir.Store)
def _store(run: Run, it: ir.Store, state: State) -> None:
    value = state.regs.get(it.value, ANY)
    if run.outer.get(it.name) == "global" and state.regions:
        run.event("global-set", it.out, state, (), plain_subject(value), it.name)
    bind(run, state, it.name, value)
    run.note(it.out, state.current(value))


def plain_subject(value: Value) -> Value | None:
    """What an event can be about: what holds nothing that is not placed yet."""
    plain = isinstance(value, Const | Num | Tensor | Pointer) or (
        isinstance(value, Some) and value.of is None
    )
    return value if plain else None


def bind(run: Run, state: State, name: str, value: Value) -> None:
    state.forget(name)
    declared = run.outer.get(name)
    if declared == "global":
        state.globals[name] = value
    elif declared == "nonlocal" and run.variant.frame in state.heap:
        frame = run.variant.frame
        assert frame is not None
        state.heap[frame] = state.heap[frame].with_attr(name, value)
    else:
        state.env[name] = value


@handles(ir.Import)
def _import(run: Run, it: ir.Import, state: State) -> None:
    if it.name == "*":
        return  # answered by `global_value`: the project knows what a star brings
    value = take(state, run.lookup.imported(run.key, it.path))
    state.regs[it.out] = value
    bind(run, state, it.name, value)


@handles(ir.Define)
def _define(run: Run, it: ir.Define, state: State) -> list[State] | None:
    key = f"{run.key.partition('::')[0]}::{it.key}"
    if it.kind == "class":
        value: Value = Class(key)
        if traced(state):
            run.event("class-defined", it.out, state)
    else:
        frame = None if run.scope.kind in ("module", "class") else run.frame
        defaults = tuple([(a.name or "", state.regs.get(a.ref, ANY)) for a in it.defaults])
        value = Func(key, frame, defaults=defaults)
        if it.name == "__init__" and run.scope.kind == "class":
            note_defaults(run, it, state)
    state.regs[it.out] = value
    if not it.decorators:
        return None
    return _decorate(run, it, state, value)


def _decorate(run: Run, it: ir.Define, state: State, value: Value) -> list[State]:
    from torchwise.flow.calls import call
    from torchwise.flow.opcalls import Args

    states = [(state, value)]
    for decorator in reversed(it.decorators):
        after = []
        for one, inner in states:
            site = run.site(it.out, f"@{decorator}")
            args = Args(((None, inner),))
            after += call(run, one, one.regs.get(decorator, ANY), args, it.out, site, decorating=True)
        states = after
    for one, inner in states:
        one.regs[it.out] = inner
    return [one for one, _ in states]


@handles(ir.Unpack)
def _unpack(run: Run, it: ir.Unpack, state: State) -> None:
    value = state.regs.get(it.value, ANY)
    if it.index == 0:
        _note_count(run, it, state, value)
    if type(value) is ShapeOf:
        value = _teach_rank(run, it, state, value)
    elif (
        isinstance(value, Items) and value.kind == "size" and len(value.items) != it.count and it.star is None
    ):
        _unteach_rank(run, it, state)
    state.regs[it.out] = _element(run, it, state, state.current(value))


def _note_count(run: Run, it: ir.Unpack, state: State, value: Value) -> None:
    """Event "unpack": as many targets as there are, and another number of elements. What an earlier line has
    taught of a shape does not count: it may have been another branch's.
    """
    run.executions[it.out, run.turn] += 1
    count: int | None = None
    if isinstance(value, Items):
        read = run.defs.get(it.value)
        of = state.regs.get(read.base) if isinstance(read, ir.Attr) else None
        taught = isinstance(of, Tensor) and of.shape is None
        count = None if taught else len(value.items)
    elif isinstance(value, Tensor) and value.shape:
        count = value.shape[0].number
    if count is not None and (count != it.count if it.star is None else count < it.count - 1):
        run.event("unpack", it.out, state, (), value, f"{count}:{it.count - (it.star is not None)}")


def _element(run: Run, it: ir.Unpack, state: State, value: Value) -> Value:
    known = elements(run, state, value, it.out)
    if isinstance(known, Many):
        return Many(known.each) if it.star == it.index else known.each
    if it.star is None:
        return known[it.index] if len(known) == it.count else ANY
    after = it.count - it.star - 1
    if it.index == it.star:
        return Items(known[it.star : len(known) - after])
    at = it.index if it.index < it.star else len(known) - it.count + it.index
    return known[at] if 0 <= at < len(known) else ANY


def _teach_rank(run: Run, it: ir.Unpack, state: State, value: ShapeOf) -> Value:
    """`B, C, H, W = x.shape` says that x has four axes, and gives them their names."""
    if it.star is not None:
        return ANY
    names = target_names(run, it)
    known = state.tensors.get(value.tensor)
    if known is not None and known.shape is not None:
        shape = known.shape
    else:
        shape = tuple([Dim.of(symbol(run, names.get(i), it.value, i)) for i in range(it.count)])
        before = known if known is not None else Tensor(id=value.tensor)
        state.tensors[value.tensor] = before.but(shape=shape)
    items = Items(tuple([Num(d) for d in shape]), "size")
    state.regs[it.value] = items
    return items


def _unteach_rank(run: Run, it: ir.Unpack, state: State) -> None:
    """Whoever unpacks three sizes knows better than what had taught four: nothing is known of the shape."""
    read = run.defs.get(it.value)
    tensor = state.current(state.regs.get(read.base, ANY)) if isinstance(read, ir.Attr) else ANY
    if isinstance(tensor, Tensor) and tensor.id is not None:
        state.tensors[tensor.id] = tensor.but(shape=None, strides=None)


def target_names(run: Run, it: ir.Unpack) -> dict[int, str]:
    """The names that the elements of this unpacking are stored under."""
    parts = {i.out: i.index for i in run.defs.values() if isinstance(i, ir.Unpack) and i.value == it.value}
    return {
        parts[i.value]: i.name
        for i in run.defs.values()
        if isinstance(i, ir.Store) and i.value in parts and i.name != "_"
    }


def symbol(run: Run, name: str | None, ref: int, index: int) -> str:
    """A size named by the user's own variable. The place makes it a symbol of its own; only the name is
    shown.
    """
    return f"{name}@{run.key}:{ref}.{index}" if name else f"?{index}@{run.key}:{ref}"


def captures(run: Run, state: State, func: Func) -> dict[str, Value]:
    """The enclosing variables that a function of this frame (or of one that is kept) may need."""
    scope = run.lookup.scope(func.scope)
    if scope is None:
        return {}
    if func.frame == run.frame:
        found = {n: state.env[n] for n in scope.mentions if n in state.env}
        for name in scope.mentions - found.keys():
            value = enclosing(run, state, name)
            if value is not None:
                found[name] = value
        return found
    obj = state.heap.get(func.frame) if func.frame else None
    return {n: v for n, v in obj.attrs.items() if n in scope.mentions} if obj is not None else {}


def without_row(run: Run, state: State, base: Value, name: str, ref: int) -> Value:
    """An attribute that no table has; which one is asked of a tensor tells what torch it is meant for."""
    if isinstance(base, Tensor):
        run.event("tensor-asked", ref, state, tuple(base.calls), base, name)
    return ANY
