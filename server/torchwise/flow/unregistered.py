"""Tensors that a module holds as plain attributes, though its forward works with them.

Called at the end of an `__init__`, and of other methods for what they are the first to set. Notes
"state-not-registered" where another method goes on from the tensor's old value (running statistics: not
saved, not moved); "constant-not-registered" where forward reads a constant (not moved); and
"unregistered-parameters" where parameters stand in a plain list or dict, or a leaf that requires grad is no
Parameter. "layer-unread": a layer of a module with a forward that no method of it reads, so that nothing is
said for calls of it. "learned-not-saved": a buffer that is not persistent, and an average.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, NONE, Func, Items, Obj, Pointer, Tensor, Value, Wrapped
from torchwise.domain.verdict import HOLDS
from torchwise.flow.definitions import Definitions, definitions, operands
from torchwise.flow.moving import modules_in
from torchwise.ir import nodes as ir

if TYPE_CHECKING:
    from torchwise.flow.lookup import ClassFacts
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

MODULE = "torch.nn.Module"
MOVERS = ("_apply", "to", "cuda", "state_dict", "_save_to_state_dict", "get_extra_state", "__getstate__")


def note_unregistered_tensors(run: Run) -> None:
    me = run.scope.params[0].name if run.scope.params else ""
    stores = run.defs.of_kind(ir.SetAttr)
    assigned = {i.name: i.out for i in stores}
    if run.scope.name != "__init__" and (run.variant.args is None or not assigned):
        return  # what the object has by then is not known well enough
    for kind, _, state in run.finished:
        pointer = state.env.get(me)
        obj = state.obj(pointer) if kind == "return" and pointer is not None else None
        facts = run.lookup.class_facts(obj.cls) if obj is not None else None
        if obj is None or facts is None or MODULE not in obj.bases or not facts.closed:
            continue
        methods = dict(methods_of(run, facts))
        if "forward" in methods and run.scope.name == "__init__":
            _note_unread(run, state, obj, stores, methods)
            _note_unsaved(run, state, obj, methods)
        if not any(name in methods for name in MOVERS):
            for attr in assigned.keys() & obj.attrs.keys() - _known_before(run, pointer):
                value = state.current(obj.attrs[attr])
                making = run.scope.name == "__init__" or _read(methods, "__init__", run.scope.name)
                if not making and _of_arguments(run, assigned[attr]):
                    continue  # made anew for each batch
                _note(run, state, obj, attr, value, assigned[attr], methods)


def _of_arguments(run: Run, ref: int, depth: int = 0) -> bool:
    """Whether a value is made of what a method is given: its sizes, its device."""
    instr = run.defs.get(ref)
    if instr is None or depth > 12:
        return False
    if isinstance(instr, ir.Load):
        me, *given = [p.name for p in run.scope.params]
        if instr.name in given:
            return True
        if instr.name == me or instr.name not in run.scope.stores:
            return False
        stored = run.defs.stored_once(instr.name)
        return stored is None or _of_arguments(run, stored, depth + 1)
    return any(_of_arguments(run, inner, depth + 1) for inner in operands(instr))


def _known_before(run: Run, me: Value | None) -> frozenset[str]:
    """What the object had when the method began, None left out: that is there to be filled."""
    before = run.variant.heap.get(me.to) if isinstance(me, Pointer) else None
    return frozenset(name for name, value in before.attrs.items() if value != NONE) if before else frozenset()


def methods_of(run: Run, facts: ClassFacts) -> Iterator[tuple[str, Definitions]]:
    """The class's own methods and those that it inherits within the project."""
    for cls in reversed(facts.order):
        own = run.lookup.class_facts(cls) if "::" in cls else None
        for name, value in own.names.items() if own is not None else ():
            while isinstance(value, Wrapped):
                value = value.func
            scope = run.lookup.scope(value.scope) if isinstance(value, Func) else None
            if scope is not None:
                yield name, definitions(scope)


def _note_unread(
    run: Run, state: State, obj: Obj, stores: list[ir.SetAttr], methods: dict[str, Definitions]
) -> None:
    for store in stores:
        layer = state.obj(obj.attrs.get(store.name, ANY))
        if layer is None or MODULE not in layer.bases:
            continue
        if not any(i.name == store.name for defs in methods.values() for i in defs.of_kind(ir.Attr)):
            run.event("layer-unread", store.value, state)


def _note_unsaved(run: Run, state: State, obj: Obj, methods: dict[str, Definitions]) -> None:
    """Buffers that the state dict leaves out, though averages are kept in them."""
    for mark, value in obj.marks.items():
        attr, at = mark.removeprefix("unsaved."), obj.marks.get(f"{mark}@")
        if (
            mark.startswith("unsaved.")
            and value is HOLDS
            and isinstance(at, Pointer)
            and at.to.scope == run.key
        ):
            if any(_used(defs, attr) for defs in methods.values()) and any(
                _averages(defs, attr) for defs in methods.values()
            ):
                run.event("learned-not-saved", at.to.ref, state, (), None, attr)


def _used(defs: Definitions, attr: str) -> bool:
    """Whether anything but what changes it in place reads an attribute."""
    methods = {i.base for i in defs.of_kind(ir.Attr) if i.name.endswith("_")}
    return any(i.name == attr and i.out not in methods for i in defs.of_kind(ir.Attr))


def _averages(defs: Definitions, attr: str) -> bool:
    """`self.mean.lerp_(...)`, `self.codes[k].mul_(decay)`: what moves on from the old value."""
    for call in defs.of_kind(ir.Call):
        method = defs.get(call.callee) if isinstance(call.callee, int) else None
        if isinstance(method, ir.Attr) and method.name in ("lerp_", "mul_"):
            base = defs.get(method.base)
            while isinstance(base, ir.Index):
                base = defs.get(base.base)
            if isinstance(base, ir.Attr) and base.name == attr:
                return True
    return False


def _note(
    run: Run, state: State, obj: Obj, attr: str, value: Value, ref: int, methods: dict[str, Definitions]
) -> None:
    if _loose_parameters(state, obj, value):
        run.event("unregistered-parameters", ref, state, (), None, attr)
    if not isinstance(value, Tensor) or value.kind != "tensor" or not value.calls or value.id is None:
        return
    if any(site.scope == "^" for site in (*value.calls, value.id)) or not _read(methods, "forward", attr):
        return
    if value.requires_grad.holds and value.leaf.holds:
        run.event("leaf-not-registered", ref, state, tuple(value.calls), value, attr)
    elif value.requires_grad.fails:
        making = {"__init__", *(i.name for i in run.defs.of_kind(ir.Attr))}  # and what that calls
        making |= {run.scope.name} if _read(methods, "__init__", run.scope.name) else set()
        goes_on = any(_goes_on(defs, attr) for name, defs in methods.items() if name not in making)
        kind = "state-not-registered" if goes_on else "constant-not-registered"
        moved = not goes_on and all(_moved(defs, attr) for n, defs in methods.items() if n != "__init__")
        if not moved:
            run.event(kind, ref, state, tuple(value.calls), value, attr)


def _loose_parameters(state: State, obj: Obj, value: Value) -> bool:
    """Several parameters in a plain list, tuple or dict, none of which is registered in any other way."""
    holder = state.obj(value)
    items = value.items if isinstance(value, Items) else None
    if holder is not None and holder.cls in ("list", "dict"):
        items = (*(holder.items or ()), *((holder.each,) if holder.each is not None else ()))
    found = [i for i in items or () if isinstance(i, Tensor) and i.kind == "parameter" and i.id is not None]
    if not found:
        return False
    known = {
        v.id
        for o in (obj, *(state.heap[m.to] for v in obj.attrs.values() for m in _inner(state, v)))
        for v in o.attrs.values()
        if isinstance(v, Tensor)
    }
    return all(t.id not in known and t.id.scope != "^" for t in found)  # type: ignore[union-attr]


def _inner(state: State, value: Value) -> list[Pointer]:
    return modules_in(state, value) if isinstance(value, Pointer) else []


def _read(methods: dict[str, Definitions], name: str, attr: str, depth: int = 0) -> bool:
    """Whether a method reads the attribute, or a method that it calls on itself does."""
    defs = methods.get(name)
    if defs is None:
        return False
    names = [i.name for i in defs.values() if isinstance(i, ir.Attr)]
    return attr in names or (
        depth < 3 and any(_read(methods, n, attr, depth + 1) for n in names if n != name)
    )


def _goes_on(defs: Definitions, attr: str) -> bool:
    """`self.mean = self.mean + ...`, by arithmetic alone; `self.mean.lerp_(...)`."""
    for instr in defs.values():
        match instr:
            case ir.SetAttr(name=name, value=value) if name == attr:
                words: set[str] = set()
                modules: set[str] = set()
                _words(defs, value, words, modules)
                if attr in words and not modules and _computes(defs, value):
                    return True
            case ir.Call(callee=int(callee)):
                method = defs.get(callee)
                if (
                    isinstance(method, ir.Attr)
                    and method.name.endswith("_")
                    and not method.name.startswith("_")
                ):
                    if getattr(defs.get(method.base), "name", None) == attr:
                        return True
    return False


def _computes(defs: Definitions, ref: int) -> bool:
    """Whether an expression is arithmetic, and not a new beginning such as `zeros_like`."""
    instr = defs.get(ref)
    if isinstance(instr, ir.Load):
        stored = defs.stored_once(instr.name)
        return stored is not None and _computes(defs, stored)
    method = defs.get(instr.callee) if isinstance(instr, ir.Call) and isinstance(instr.callee, int) else None
    if isinstance(method, ir.Attr):
        return method.name in ARITHMETIC
    return isinstance(instr, ir.Call) and isinstance(instr.callee, str)


ARITHMETIC = frozenset(("lerp", "add", "sub", "mul", "div", "maximum", "minimum", "addcmul", "logaddexp"))


def _words(defs: Definitions, ref: int, words: set[str], modules: set[str], depth: int = 0) -> None:
    """The attributes that an expression is made of, and which of them are methods of `self`."""
    instr = defs.get(ref)
    if instr is None or depth > 14:
        return
    if isinstance(instr, ir.Load):
        stored = defs.stored_once(instr.name)
        if stored is not None:
            _words(defs, stored, words, modules, depth + 2)
    elif isinstance(instr, ir.Attr):
        words.add(instr.name)
    if isinstance(instr, ir.Call) and isinstance(instr.callee, int):
        callee = defs.get(instr.callee)
        owner = defs.get(callee.base) if isinstance(callee, ir.Attr) else None
        if isinstance(callee, ir.Attr) and getattr(owner, "name", "") == "self":
            modules.add(callee.name)
    for inner in operands(instr):
        _words(defs, inner, words, modules, depth + 1)


def _moved(defs: Definitions, attr: str) -> bool:
    """Whether every use is `self.x.to(...)`, or an assignment."""
    bases = {i.base for i in defs.values() if isinstance(i, ir.Attr) and i.name in ("to", "cuda", "type_as")}
    return all(i.out in bases for i in defs.values() if isinstance(i, ir.Attr) and i.name == attr)
