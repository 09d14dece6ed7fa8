"""Objects: attributes, indices, methods, and the making of instances of the project's classes."""

from __future__ import annotations

from dataclasses import replace

from torchwise.domain.nature import COMPUTED, UNBORN
from torchwise.domain.value import (
    ANY,
    Any,
    Class,
    Const,
    Dtype,
    Func,
    Items,
    Method,
    Module,
    Named,
    Obj,
    Params,
    Pointer,
    Site,
    Some,
    Super,
    Tensor,
    Value,
    Wrapped,
)
from torchwise.domain.verdict import FAILS, HOLDS, UNKNOWN, Verdict
from torchwise.flow.custom import APPLY, is_function
from torchwise.flow.effects import escape
from torchwise.flow.fields import fill_fields, made_somehow
from torchwise.flow.functions import call_function
from torchwise.flow.gradients import look_at, set_on_some
from torchwise.flow.held import as_read
from torchwise.flow.kept import note_carried
from torchwise.flow.lookup import ClassFacts
from torchwise.flow.names import plain_subject, take, without_row
from torchwise.flow.opcalls import Args, call_op, evaluate
from torchwise.flow.registered import note_overwritten, note_own_lookup, registers, with_child
from torchwise.flow.resumed import reach_groups
from torchwise.flow.run import Run, handles
from torchwise.flow.state import State
from torchwise.flow.supers import BASE_CALL
from torchwise.flow.ties import note_tie
from torchwise.flow.tuples import is_no_tensor, named_tuple
from torchwise.flow.worker_copies import note_dataset_set
from torchwise.ir import nodes as ir
from torchwise.ops import OPS
from torchwise.ops.axis_arguments import dtype_named
from torchwise.ops.creation import ARRAY

Paths = list[tuple[State, Value]]
MODULE, DATASET = "torch.nn.Module", "torch.utils.data.Dataset"


@handles(ir.Attr)
def _attr(run: Run, it: ir.Attr, state: State) -> list[State] | None:
    base = state.current(state.regs.get(it.base, ANY))
    value = attribute(run, state, base, it.name, it.out)
    if isinstance(value, Func) and value.static == "property" and value.bound is not None:
        paths = call_function(run, state, replace(value, static=""), Args(), it.out, run.site(it.out))
        for one, result in paths:
            one.regs[it.out] = one.current(result)
        return [one for one, _ in paths]
    if not isinstance(value, Tensor) or value.nature not in (COMPUTED, UNBORN):
        value = state.current(value)
    state.regs[it.out] = value
    if run.scope.name == "__getattr__":
        note_own_lookup(run, it, state, base, value)
    if isinstance(value, Tensor):
        run.note(it.out, value)
    return None


def attribute(run: Run, state: State, base: Value, name: str, ref: int) -> Value:
    match base:
        case Named(path):
            full = f"{path}.{name}"
            op = OPS.get(full)
            if path == "torch" and (dtype := dtype_named(Named(full))) is not None:
                return Dtype(dtype)
            return (
                evaluate(run, state, op, {}, run.site(ref))
                if op is not None and "constant" in op.tags
                else Named(full)
            )
        case Module(path):
            return take(state, run.lookup.imported(run.key, f"{path}:{name}"))
        case Tensor():
            return _of_op(run, state, base, "Tensor", name, ref)
        case Pointer(to):
            return _of_object(run, state, base, state.heap.get(to), name, ref)
        case Super(cls, owner):
            return _of_super(run, state, cls, owner, name)
        case Class(key):
            if name == "apply" and is_function(run.lookup.class_facts(key)):
                return Method(APPLY, base)
            found = class_attribute(run, state, key, name)
            return _on_class(found, base) if found is not None else ANY
        case Wrapped(func):
            return attribute(run, state, func, name, ref)
        case Items(items, _, names) if name in names:
            return items[names.index(name)]
        case Items(_, "load_state_dict") if f"torch.nn.Module.{name}" in OPS:
            run.event("keys-called", ref, state)
        case Items(_, op, fields) if is_no_tensor(fields, op, name):
            run.event("named-tuple-as-tensor", ref, state, (), base, f"{op}:{name}")
    kind = _KINDS.get(type(base).__name__) or getattr(base, "kind", None)
    if isinstance(base, Const):
        kind = type(base.value).__name__
    if isinstance(base, Some) and (base.dtype not in ("", "?") or base.kind == "ndarray"):
        kind = ARRAY  # a number of numpy's has what arrays have
    return _of_op(run, state, base, kind, name, ref) if isinstance(kind, str) else ANY


_KINDS = {"Num": "int", "Params": "generator", "Dtype": "dtype", "Device": "device"}


def _of_op(run: Run, state: State, base: Value, kind: str, name: str, ref: int) -> Value:
    op = OPS.get(f"{kind}.{name}")
    if op is None:
        return without_row(run, state, base, name, ref)
    if name == "grad" and isinstance(base, Tensor):
        look_at(state, base)
        if base.leaf.fails and base.requires_grad.holds and base.kind == "tensor":
            run.event("grad-of-result", ref, state, tuple(base.calls), base)
    if isinstance(base, Tensor) and base.nature == UNBORN and name in ("shape", "T", "mT", "data"):
        run.event("unborn-read", ref, state, (), base, name)
    if name == "param_groups" and isinstance(base, Pointer):
        reach_groups(state, base)
    if "attribute" in op.tags:
        return evaluate(run, state, op, {"self": base}, run.site(ref))
    return Method(f"{kind}.{name}", base)


def _of_object(run: Run, state: State, base: Pointer, obj: Obj | None, name: str, ref: int) -> Value:
    if obj is None:
        return ANY
    found = obj.attrs.get(name)
    if found is not None:
        return as_read(obj, name, state.current(found))
    if name == "__class__" and "::" in obj.cls:
        return Class(obj.cls)
    method = find_method(run, state, base, obj, name)
    if method is not None:
        return method
    for cls in (obj.cls, *obj.bases):
        if f"{cls}.{name}" in OPS:
            return _of_op(run, state, base, cls, name, ref)
    inner = obj.attrs.get("module") if f"{obj.cls}.forward" in OPS and MODULE in obj.bases else None
    held = state.obj(inner) if inner is not None else None
    if held is not None and inner is not None:
        if name in held.attrs or find_method(run, state, inner, held, name) is not None:
            run.event("wrapper-attribute", ref, state, (base.to,), base, name)
    return ANY


def find_method(run: Run, state: State, base: Value, obj: Obj, name: str) -> Value | None:
    """A name of the object's classes of the project, bound to the object."""
    if "::" not in obj.cls:
        return None
    found: Value | None = class_attribute(run, state, obj.cls, name)
    return found if found is None else bound_to(found, base, obj.cls)


def _on_class(found: Value, cls: Class) -> Value:
    """A name that is asked of the class itself: a classmethod gets it, a method is as it was written."""
    if isinstance(found, Wrapped):
        return replace(found, func=_on_class(found.func, cls))
    return replace(found, bound=cls) if isinstance(found, Func) and found.static == "classmethod" else found


def bound_to(found: Value, base: Value, cls: str) -> Value:
    if isinstance(found, Wrapped):
        return replace(found, func=bound_to(found.func, base, cls))
    if not isinstance(found, Func) or found.static == "staticmethod":
        return found
    return replace(found, bound=Class(cls) if found.static == "classmethod" else base)


def class_attribute(run: Run, state: State, key: str, name: str, after: str | None = None) -> Value | None:
    """A name looked up along the method resolution order; `after` starts behind that class (super)."""
    facts = run.lookup.class_facts(key)
    if facts is None:
        return None
    mro = facts.order
    start = mro.index(after) + 1 if after in mro else 0
    for cls in mro[start:]:
        if "::" not in cls:
            if f"{cls}.{name}" in OPS:  # `class Both(nn.Module, Mixin)`: that of the module comes first
                return None
            continue
        own = run.lookup.class_facts(cls)
        if own is not None and name in own.names:
            for site, obj in own.heap.items():
                state.heap.setdefault(site, obj)
            value = own.names[name]
            return _owned(value, cls)
    return None


def _owned(value: Value, cls: str) -> Value:
    if isinstance(value, Wrapped):
        return replace(value, func=_owned(value.func, cls))
    return replace(value, owner=cls) if isinstance(value, Func) else value


def _of_super(run: Run, state: State, cls: str, owner: Value, name: str) -> Value:
    obj = state.obj(owner)
    key = obj.cls if obj is not None and "::" in obj.cls else cls
    found = class_attribute(run, state, key, name, after=cls)
    if found is not None:
        return bound_to(found, owner, key)
    facts = run.lookup.class_facts(key)
    for base in facts.order if facts else ():
        if "::" not in base and f"{base}.{name}" in OPS:
            return Method(f"{base}.{name}", owner)
    plain = name == "__call__" and facts is not None and MODULE in facts.order
    return Method(BASE_CALL, owner) if plain else ANY


@handles(ir.SetAttr)
def _set_attr(run: Run, it: ir.SetAttr, state: State) -> None:
    base = state.current(state.regs.get(it.base, ANY))
    value = state.current(state.regs.get(it.value, ANY))
    run.note(it.out, value)
    state.forget(f".{it.name}")
    if it.name in ("requires_grad", "grad") and isinstance(base, Any | Tensor):
        set_on_some(state, it.name, base)
    match base:
        case Pointer(to) if to in state.heap:
            _set_on_object(run, it, state, to, value)
        case Tensor(id=Site()):
            _set_on_tensor(run, it, state, base, value)
        case Named(path):
            run.event("setting", it.out, state, (), plain_subject(value), f"{path}.{it.name}")


def _set_on_object(run: Run, it: ir.SetAttr, state: State, to: Site, value: Value) -> None:
    obj = state.heap[to]
    if it.name == "__class__":  # from now on its attributes may be computed in any way
        state.heap[to] = obj = Obj(obj.cls, {}, None, None, {**obj.marks, "opaque": True}, obj.bases)
        return
    if find_method(run, state, Pointer(to), obj, "__setattr__"):  # what it keeps is its own affair
        escape(run, state, [Pointer(to), value])
        value = ANY
    op = next((OPS[p] for c in (obj.cls, *obj.bases) if (p := f"{c}.__setattr__") in OPS), None)
    kind, subject = "module-attribute-set" if MODULE in obj.bases else "attribute-set", plain_subject(value)
    run.event(kind, it.out, state, (), subject, it.name)
    if obj.marks.get("initialised") is FAILS and registers(state, value):
        run.event("set-before-init", it.out, state, (), subject, it.name)
    note_overwritten(run, it, state, obj, value)
    obj = note_dataset_set(run, state, it, to, value)
    if MODULE in obj.bases and isinstance(value, Tensor | Pointer):
        note_tie(state, to, it.name, value, run.site(it.out))
        obj = state.heap[to]
    note_carried(run, state, obj.attrs.get(it.name), value, run.defs.get(it.value))
    state.heap[to] = with_child(state, obj, it.name, value)
    if op is not None:
        call_op(
            run,
            state,
            op,
            op.spellings[0],
            Args(((it.base, Pointer(to)), (None, Const(it.name)), (it.value, value))),
            it.out,
            run.site(it.out),
        )


def _set_on_tensor(run: Run, it: ir.SetAttr, state: State, base: Tensor, value: Value) -> None:
    op = OPS.get(f"Tensor.{it.name}=")
    if op is not None:
        call_op(
            run,
            state,
            op,
            op.spellings[0],
            Args(((it.base, base), (it.value, value))),
            it.out,
            run.site(it.out),
        )
    else:
        run.event("tensor-attribute-set", it.out, state, tuple(base.calls), base, it.name)


# -- instances


def instantiate(run: Run, state: State, key: str, args: Args, ref: int, site: Site) -> Paths:
    facts = run.lookup.class_facts(key)
    if facts is None:
        escape(run, state, args.values())
        return [(state, ANY)]
    if "typing.NamedTuple" in facts.order:
        return [(state, named_tuple(facts, args))]
    return _initialised(run, state, key, facts, args, ref, site)


def _initialised(
    run: Run, state: State, key: str, facts: ClassFacts, args: Args, ref: int, site: Site
) -> Paths:
    pointer = make(state, key, facts, site)
    if DATASET in facts.order and facts.closed and "torch.utils.data.IterableDataset" not in facts.order:
        sized = Verdict.of(class_attribute(run, state, key, "__len__") is not None)
        state.heap[site] = state.heap[site].with_mark("sized", sized)
    if facts.dataclass and "__init__" not in facts.names:
        return fill_fields(run, state, pointer, facts, args, ref, site)
    obj = state.heap[site]
    init = find_method(run, state, pointer, obj, "__init__")
    if isinstance(init, Func):
        paths = call_function(run, state, init, args, ref, site.of("init"))
        return [(one, pointer) for one, _ in paths]
    if init is not None:
        return made_somehow(run, state, pointer, args)
    base = next((OPS[p] for c in obj.bases if (p := f"{c}.__init__") in OPS), None)
    if base is not None:  # a class that adds methods alone is made as its base is
        spelling = base.spellings[0]
        return [
            (one, pointer)
            for one, _ in call_op(run, state, base, spelling, args.before(pointer), ref, site.of("init"))
        ]
    state.heap[site] = obj.with_mark("initialised", HOLDS)
    if not facts.closed or args.positional or args.named:
        escape(run, state, args.values())
    return [(state, pointer)]


def make(state: State, key: str, facts: ClassFacts, site: Site) -> Pointer:
    marks: dict[str, object] = {}
    if MODULE in facts.order:
        marks["training"] = HOLDS
        marks["initialised"] = FAILS if facts.closed else UNKNOWN
    if not facts.closed:
        marks["opaque"] = True
    state.heap[site] = Obj(key, {}, (), None, marks, facts.order[1:])
    return Pointer(site)


__all__ = ["Params", "attribute", "class_attribute", "find_method", "instantiate", "make"]
