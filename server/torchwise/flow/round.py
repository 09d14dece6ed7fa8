"""Calls that go round something: `model.forward(x)` round the hooks, `ddp.module(x)` round the wrapper.

Events: "forward-called", "module-called", "state_dict-called", "compiled-state-dict"; "hooks-passed" for a
call of a hooked module by a `__call__` of its class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, Func, Method, Obj, Pointer, Site, Value, Wrapped
from torchwise.flow.definitions import definitions
from torchwise.ir import nodes as ir

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

MODULE = "torch.nn.Module"


def note_attribute_called(run: Run, it: ir.Call, state: State) -> None:
    """`model.forward(x)` goes round the module's hooks, `ddp.module(x)` round what wraps it."""
    attr = run.defs.get(it.callee) if isinstance(it.callee, int) else None
    if not isinstance(attr, ir.Attr) or attr.name not in ("forward", "module", "state_dict"):
        return
    owner = state.regs.get(attr.base, ANY)
    if (
        isinstance(owner, Wrapped)
        and attr.name == "state_dict"
        and any(r.kind == "compile" for r in owner.regions)
    ):
        run.event("compiled-state-dict", it.out, state, (owner.at,) if owner.at is not None else (), owner)
    obj = state.obj(owner)
    if (
        obj is not None
        and MODULE in obj.bases
        and not (attr.name == "forward" and _meant(run, state, attr, obj))
    ):
        me = state.env.get(run.scope.params[0].name) if run.scope.params else None
        of = _watched(obj) if attr.name == "forward" else obj.cls
        detail = "own" if owner == me and run.variant.owner is not None else of
        run.event(
            f"{attr.name}-called",
            it.out,
            state,
            (owner.to,) if isinstance(owner, Pointer) else (),
            owner,
            detail,
        )


def note_forward_handed_on(run: Run, state: State, func: Value, ref: int) -> None:
    """`map(model.forward, batches)`: what gets the method calls it."""
    from torchwise.flow.objects import class_attribute

    match func:
        case Func(scope=name, bound=owner) | Method(path=name, owner=owner) if name.endswith(".forward"):
            obj = state.obj(owner) if owner is not None else None
        case _:
            return
    me = state.env.get(run.scope.params[0].name) if run.scope.params else None
    if obj is None or MODULE not in obj.bases or owner == me or obj.marks.get("opaque") is True:
        return
    if "::" not in obj.cls or class_attribute(run, state, obj.cls, "__call__") is None:
        run.event("forward-called", ref, state, (owner.to,), owner, _watched(obj))  # type: ignore[union-attr]


def _watched(obj: Obj) -> str:
    """What is known to go with a call of the module, other than its `forward`."""
    return next((mark for mark in ("hooked", "wrapped", "compiled") if mark in obj.marks), "")


# What nothing but a module has: asked of a parameter, it says that the parameter's name does not deceive.
ASKED_OF_MODULES = frozenset(
    ("children", "eval", "load_state_dict", "modules", "named_parameters", "parameters", "train", "zero_grad")
)


def note_hooks_passed(run: Run, state: State, callee: Pointer, obj: Obj, ref: int) -> None:
    """A class with a `__call__` of its own runs no hook, unless that calls the one of its base."""
    from torchwise.flow.objects import class_attribute

    if "hooked" not in obj.marks or "::" not in obj.cls:
        return
    own = class_attribute(run, state, obj.cls, "__call__")
    scope_key = own.scope if isinstance(own, Func) else ""
    scope = run.lookup.scope(scope_key) if scope_key else None
    if scope is not None and not any(
        isinstance(i, ir.Load | ir.Attr) and i.name in ("super", "_call_impl", "__call__")
        for i in definitions(scope).values()
    ):
        run.event("hooks-passed", ref, state, (Site(scope_key, 0), callee.to), callee, obj.cls)


def _meant(run: Run, state: State, attr: ir.Attr, obj: Obj) -> bool:
    """Whether `forward` may be just what is wanted: of a class that is called in a way of its own, or of
    something that may be no module.
    """
    from torchwise.flow.objects import class_attribute

    own_call = "::" in obj.cls and class_attribute(run, state, obj.cls, "__call__") is not None
    return own_call or _by_name_only(run, attr, obj)


def _by_name_only(run: Run, attr: ir.Attr, obj: Obj) -> bool:
    """Whether something is taken for a module because of its name, and nothing is done that bears it out."""
    load = run.defs.get(attr.base)
    if obj.marks.get("opaque") is not True or not isinstance(load, ir.Load):
        return False
    param = next((p for p in run.scope.params if p.name == load.name), None)
    if param is None or param.annotation is not None:
        return False
    loads = {ref for ref, i in run.defs.items() if isinstance(i, ir.Load) and i.name == load.name}
    return not any(
        (isinstance(i, ir.Attr) and i.base in loads and i.name in ASKED_OF_MODULES)
        or (isinstance(i, ir.Call) and i.callee in loads)
        for i in run.defs.values()
    )


ROUND = (Func, Pointer)  # what `ddp.module.encode`, `ddp.module.head` may be


def wrapper_of(run: Run, it: ir.Call, state: State) -> Pointer | None:
    """The module that wraps what a call `wrapper.module.part(x)` belongs to."""
    part = run.defs.get(it.callee) if isinstance(it.callee, int) else None
    inner = run.defs.get(part.base) if isinstance(part, ir.Attr) else None
    if not isinstance(inner, ir.Attr) or inner.name != "module":
        return None
    owner = state.regs.get(inner.base, ANY)
    obj = state.obj(owner)
    return owner if isinstance(owner, Pointer) and obj is not None and MODULE in obj.bases else None
