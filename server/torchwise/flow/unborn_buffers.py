"""Buffers that are registered as None and get a value later: they are in the state dict only from then on.

Notes "none-buffer-loaded" where a state dict is loaded into a module with such a buffer that is None yet, and
a method of its class gives it a value; the detail is its name, followed by "!" where the state certainly has
it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, NONE, Const, Func, Obj, Pointer, Site, Tensor, Value, Wrapped
from torchwise.flow.definitions import definitions
from torchwise.flow.lookup import ClassFacts
from torchwise.flow.moving import modules_in
from torchwise.ir import nodes as ir
from torchwise.ops.members import REGISTERED

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

LOADS = frozenset((
    "_load_from_state_dict", "load_state_dict", "_register_load_state_dict_pre_hook", "__setstate__",
    "register_load_state_dict_pre_hook", "set_extra_state",
))  # fmt: skip


def note_loaded(run: Run, state: State, module: Value, given: Value, strict: Value, ref: int) -> None:
    """Called where a module loads a state dict."""
    held = state.obj(given)
    owner = held.marks.get("state_of") if held is not None else None
    if strict != Const(True):
        return
    for inner in modules_in(state, module):
        obj = state.heap[inner.to]
        for name, at in _missing(run, obj):
            there = _counterpart(state, module, inner, owner)
            value = there.attrs.get(name, ANY) if there is not None else ANY
            if value != NONE:
                sure = "!" if isinstance(value, Tensor) else ""
                run.event("none-buffer-loaded", ref, state, (at,), module, name + sure)
                return


def _missing(run: Run, obj: Obj) -> Iterator[tuple[str, Site]]:
    """Its buffers that are None, and that a method of its class gives a value; where they were registered."""
    for mark in obj.marks:
        name = mark.removeprefix(REGISTERED)
        at = obj.marks.get(f"{mark}@")
        if mark.startswith(REGISTERED) and obj.attrs.get(name) == NONE and isinstance(at, Pointer):
            if f"unsaved.{name}" not in obj.marks and _is_given_later(run, obj, name):
                yield name, at.to


def _is_given_later(run: Run, obj: Obj, name: str) -> bool:
    facts = run.lookup.class_facts(obj.cls) if "::" in obj.cls else None
    if facts is None or not facts.closed:
        return False
    classes = [run.lookup.class_facts(key) for key in facts.order if "::" in key]
    known = [one for one in classes if one is not None]
    if any(not LOADS.isdisjoint((*one.names, *_words(run, one))) for one in known):
        return False
    return any(_assigns(run, one, name) for one in known)


def _methods(run: Run, facts: ClassFacts) -> Iterator[ir.Scope]:
    for value in facts.names.values():
        while isinstance(value, Wrapped):
            value = value.func
        scope = run.lookup.scope(value.scope) if isinstance(value, Func) else None
        if scope is not None and scope.params:
            yield scope


def _words(run: Run, facts: ClassFacts) -> Iterator[str]:
    for scope in _methods(run, facts):
        yield from (i.name for i in definitions(scope).of_kind(ir.Attr))


def _assigns(run: Run, facts: ClassFacts, name: str) -> bool:
    """Whether a method but the constructor sets the attribute of its own object, and not to None."""
    for scope in _methods(run, facts):
        defs = definitions(scope)
        for it in defs.of_kind(ir.SetAttr) if scope.name != "__init__" else ():
            base, value = defs.get(it.base), defs.get(it.value)
            mine = isinstance(base, ir.Load) and base.name == scope.params[0].name
            if it.name == name and mine and not isinstance(value, ir.Const):
                return True
    return False


def _counterpart(state: State, module: Value, inner: Pointer, owner: object) -> Obj | None:
    """What stands in the owner of the state where `inner` stands in the module."""
    if not isinstance(owner, Pointer):
        return None
    own, others = modules_in(state, module), modules_in(state, owner)
    alike = [state.heap[m.to].cls for m in own] == [state.heap[m.to].cls for m in others]
    return state.heap[others[own.index(inner)].to] if alike else None
