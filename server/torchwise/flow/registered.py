"""What a module has registered at the end of its `__init__`, and what it only holds.

Notes "unregistered-modules" at the assignment of a plain list, dict or tuple whose layers with parameters
the module
does not know of in any other way. What the caller handed over is the caller's business.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeGuard

from torchwise.domain.value import NONE, Const, Func, Items, Num, Obj, Pointer, Tensor, Value
from torchwise.flow.definitions import definitions
from torchwise.flow.moving import modules_in
from torchwise.flow.unheld import note_put, note_replaced
from torchwise.ir import nodes as ir

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

MODULE, OPTIMIZER = "torch.nn.Module", "torch.optim.Optimizer"
SEQUENTIAL = "torch.nn.Sequential"
PLAIN = ("list", "dict", "set")


def registers(state: State, value: Value) -> bool:
    """Whether assigning it to an attribute of a module registers it: a layer or a parameter."""
    if isinstance(value, Tensor):
        return value.kind == "parameter"
    obj = state.obj(value)
    return obj is not None and MODULE in obj.bases


def note_unregistered(run: Run) -> None:
    """Called at the end of an `__init__`."""
    ends = [state for kind, _, state in run.finished if kind == "return"]
    name = run.scope.params[0].name if run.scope.params else ""
    assigned = {i.name: i.out for i in run.defs.values() if isinstance(i, ir.SetAttr)}
    for state in ends:
        me = state.env.get(name)
        obj = state.obj(me) if me is not None else None
        if obj is None or MODULE not in obj.bases or "opaque" in obj.marks:
            continue
        known = {m.to for m in modules_in(state, me)}  # type: ignore[arg-type]
        partly = any(state.heap[site].items is None for site in known)  # others may be registered
        for attr, value in obj.attrs.items():
            if attr not in assigned:
                continue
            hidden = [
                m
                for m in held(state, value, samples=not partly)
                if m.to not in known and m.to.scope != "^" and learns(state, m) and not _trains(state, m)
            ]
            if len(hidden) > 1 or (hidden and not _alone(state, value)):
                run.event(
                    "unregistered-modules",
                    assigned[attr],
                    state,
                    tuple(m.to for m in hidden[:1]),
                    None,
                    _kind(state, value),
                )


def _alone(state: State, value: Value) -> bool:
    """One layer in a list of its own is hidden on purpose."""
    obj = state.obj(value)
    items = value.items if isinstance(value, Items) else obj.items if obj is not None else None
    return items is not None and len(items) == 1


def _kind(state: State, value: Value) -> str:
    obj = state.obj(value)
    return obj.cls if obj is not None else "tuple"


def held(state: State, value: Value, depth: int = 0, samples: bool = True) -> Iterator[Pointer]:
    """The modules in plain containers; of those that are not all known, one."""
    obj = state.obj(value)
    if isinstance(value, Items) or (obj is not None and obj.cls in PLAIN):
        inner = value.items if isinstance(value, Items) else _elements(obj, samples)
        for item in inner if depth < 3 else ():
            yield from held(state, item, depth + 1, samples)
    elif isinstance(value, Pointer) and depth and _is_module(obj):
        yield value


def _elements(obj: Obj | None, samples: bool) -> list[Value]:
    found = (
        [*(obj.items or ()), obj.each, obj.marks.get("sample") if samples else None]
        if obj is not None
        else []
    )
    return [v for v in found if isinstance(v, Value)]


def _trains(state: State, module: Pointer) -> bool:
    """Whether a module holds an optimizer of its own, and so needs none outside."""
    kept = (state.obj(v) for v in state.heap[module.to].attrs.values() if isinstance(v, Pointer))
    return any(obj is not None and (obj.cls == OPTIMIZER or OPTIMIZER in obj.bases) for obj in kept)


def _is_module(obj: Obj | None) -> bool:
    return obj is not None and MODULE in obj.bases


def learns(state: State, module: Value) -> bool:
    """Whether it certainly has a parameter."""
    for inner in modules_in(state, module):
        if any(isinstance(v, Tensor) and v.kind == "parameter" for v in state.heap[inner.to].attrs.values()):
            return True
    return False


def note_defaults(run: Run, it: ir.Define, state: State) -> None:
    """Layers with parameters as defaults of a constructor."""
    for default in it.defaults:
        if learns(state, state.regs.get(default.ref, NONE)):
            run.event("layer-as-default", default.ref, state)


def note_own_lookup(run: Run, it: ir.Attr, state: State, base: Value, value: Value) -> None:
    """Called in a `__getattr__`: what a module registers is found by the one that this one replaces."""
    me, obj = state.env.get(run.scope.params[0].name) if run.scope.params else None, state.obj(value)
    mine = state.obj(me) if me is not None else None
    if obj is None:  # what the constructor was given
        layer = isinstance(value, Pointer) and mine is not None and _is_called(run, mine.cls, it.name)
    else:
        layer = obj.cls == MODULE or MODULE in obj.bases
    if base == me and mine is not None and MODULE in mine.bases and (layer or registers(state, value)):
        run.event("registered-in-getattr", it.out, state)


def _is_called(run: Run, cls: str, name: str) -> bool:
    """Whether a method of the class calls what it holds under a name: `self.model(x)`."""
    facts = run.lookup.class_facts(cls)
    found = (
        run.lookup.scope(v.scope) for v in (facts.names.values() if facts else ()) if isinstance(v, Func)
    )
    for defs in (definitions(scope) for scope in found if scope is not None):
        refs = {i.out for i in defs.of_kind(ir.Attr) if i.name == name}
        if any(call.callee in refs for call in defs.of_kind(ir.Call)):
            return True
    return False


def note_overwritten(run: Run, it: ir.SetAttr, state: State, obj: Obj, value: Value) -> None:
    """Called before an attribute is set: whether what is registered under its name loses its place."""
    from torchwise.flow.names import plain_subject

    old = obj.attrs.get(it.name)
    owner = state.regs.get(it.base)
    if isinstance(owner, Pointer):
        note_put(run, state, owner, old, value, run.site(it.out))
    if not isinstance(old, Tensor):
        return
    note_replaced(run, it, state, obj, value)
    parametrized = obj.marks.get("parametrized") is True
    if old.kind == "parameter" and not parametrized and _is_plain(value) and value.calls:
        if not _may_be_given_back(run, it.value, value):
            run.event("parameter-overwritten", it.out, state, (), value, it.name)
    if old.kind == "buffer" and isinstance(value, Num | Const) and value != NONE:
        run.event("buffer-overwritten", it.out, state, (), plain_subject(value), it.name)


def _is_plain(value: Value) -> TypeGuard[Tensor]:
    return isinstance(value, Tensor) and value.kind == "tensor"


def _may_be_given_back(run: Run, ref: int, value: Tensor) -> bool:
    """Whether a conversion may have had nothing to do, so that it gave back the parameter itself."""
    return any(
        isinstance(given := fact.args["self"].value, Tensor)
        and given.kind == "parameter"
        and value.dtype in (None, given.dtype)
        and (value.device in (None, given.device) or given.device is None)
        for fact in run.calls
        if fact.at == ref and fact.op in ("to", "cuda", "cpu", "type") and "self" in fact.args
    )


def with_child(state: State, obj: Obj, name: str, value: Value) -> Obj:
    """An object with an attribute. A layer that a Sequential is given is one of those that it applies: in the
    place of the one that had the name, or as the last.
    """
    if SEQUENTIAL in (obj.cls, *obj.bases) and obj.items is not None and type(value) is Pointer:
        old = obj.attrs.get(name)
        if type(old) is Pointer and old in obj.items:
            obj = obj.with_items(tuple([value if item == old else item for item in obj.items]), None)
        elif registers(state, value):
            obj = obj.with_items((*(obj.items or ()), value), None)
    return obj.with_attr(name, value)
