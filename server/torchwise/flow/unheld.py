"""Parameters that a model got after its optimizer was made: they get gradients, and no steps.

A module's mark "held" says that an optimizer has taken its parameters, "held@" which one, "frozen-then"
which of them were frozen at that time. "unheld.weight" says where another Parameter took the place of one of
these, and under which optimizer; "put@" where a model that is held got a layer, "replaced" what took the
place of a layer that is held, and where. Notes "unheld-step" and "unfrozen-step" where an optimizer steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, Any, Const, Items, Obj, Params, Pointer, Site, Tensor, Value
from torchwise.domain.verdict import HOLDS
from torchwise.flow.autograd import EVERYTHING, MODULE
from torchwise.flow.moving import modules_in
from torchwise.flow.shallow import set_apart
from torchwise.flow.state import CLEAR, State
from torchwise.ir import nodes as ir
from torchwise.ops.optim import OPTIMIZER, REGROUPED
from torchwise.ops.parameters import TAKEN_FROM, sources

if TYPE_CHECKING:
    from torchwise.flow.run import Run

MARK, PUT, REPLACED = "unheld.", "put@", "replaced"
FROZEN = "frozen-then"


def note_replaced(run: Run, it: ir.SetAttr, state: State, obj: Obj, value: Value) -> None:
    """Called before an attribute that holds a tensor is assigned."""
    old, owner = obj.attrs.get(it.name), state.regs.get(it.base)
    if not isinstance(old, Tensor) or not isinstance(value, Tensor) or "held" not in obj.marks:
        return
    replaced = old.kind == value.kind == "parameter" and old.id is not None and old.id != value.id
    if replaced and isinstance(owner, Pointer) and _goes_nowhere_else(run, it.value):
        at = Items((Pointer(run.site(it.out)), _optimizer(obj)))
        state.heap[owner.to] = obj.with_mark(MARK + it.name, at)


def note_put(
    run: Run, state: State, owner: Pointer, before: Value | None, value: Value | None, site: Site
) -> None:
    """Called before a module gets a value in the place of another one, or as a new one."""
    set_apart(state, owner.to)
    holder = state.heap[owner.to]
    if not isinstance(value, Pointer) or value == before or MODULE not in holder.bases:
        return
    itself = bool(run.scope.params) and state.env.get(run.scope.params[0].name) == owner
    if "held" in holder.marks and not itself:  # its own method may be right elsewhere
        for inner in modules_in(state, value):
            state.heap[inner.to] = state.heap[inner.to].with_mark(PUT, Pointer(site))
    old = state.obj(before) if before is not None else None
    if isinstance(before, Pointer) and old is not None and "held" in old.marks:
        at = Items((Pointer(site), value, Const(itself)))
        state.heap[before.to] = old.with_mark(REPLACED, at)


def note_items_put(
    run: Run, state: State, owner: Pointer, values: tuple[Value, ...] | None, site: Site
) -> None:
    """Called before a module gets other items."""
    before = state.heap[owner.to].items or ()
    for i, value in enumerate(values or ()):
        note_put(run, state, owner, before[i] if len(before) == len(values or ()) else None, value, site)


def _optimizer(obj: Obj) -> Value:
    at = obj.marks.get("held@")
    return at if isinstance(at, Pointer) else ANY


def _goes_nowhere_else(run: Run, ref: int) -> bool:
    """Whether a new parameter is not given to the optimizer as well."""
    made = run.defs.get(ref)
    if isinstance(made, ir.Load):
        return [i.name for i in run.defs.of_kind(ir.Load)].count(made.name) == 1
    return isinstance(made, ir.Call)


def note_taken(it: ir.Loop, state: State, over: Value) -> None:
    """Called after a comprehension: a list of parameters, perhaps not of all, knows whose they are."""
    held = state.obj(over)
    walked = held.each if held is not None and held.cls == "list" else over
    ref = _filled(it.body) if it.comprehension and isinstance(walked, Params) else None
    made = state.regs.get(ref) if ref is not None else None
    obj = state.obj(made) if made is not None else None
    if obj is None or not isinstance(made, Pointer) or not isinstance(walked, Params):
        return
    values = obj.items if obj.items is not None else (obj.each or ANY,)
    if all(isinstance(value, Tensor) and value.kind == "parameter" for value in values):
        state.heap[made.to] = obj.with_mark(TAKEN_FROM, Pointer(walked.of))


def _filled(body: tuple[ir.Instr, ...]) -> int | None:
    """The list that a comprehension of one clause fills."""
    for it in body:
        if isinstance(it, ir.If):
            return _filled(it.then)
        if isinstance(it, ir.Call) and isinstance(it.callee, str) and it.callee.startswith("collect."):
            return it.args[0].ref
    return None


def note_unheld(run: Run, state: State, optimizer: Pointer, ref: int) -> None:
    """A layer or a parameter of the model that has gradients, and came after the optimizer."""
    stepped = state.heap[optimizer.to]
    for root in sources(state.heap, stepped.attrs.get("params", ANY)):
        for module in modules_in(state, root):
            for at, what, put in _unheld(state, module.to):
                run.event("unheld-step", ref, state, (at, optimizer.to, *put), optimizer, what)
                return
            if REGROUPED not in stepped.marks and _unfrozen(state, module.to):
                run.event("unfrozen-step", ref, state, (optimizer.to,), optimizer)
                return
        for at, itself in _replaced(state, root):
            kind = "replaced by itself" if itself else "replaced"
            run.event("unheld-step", ref, state, (at, optimizer.to), optimizer, kind)
            return


def _unheld(state: State, module: Site) -> Iterator[tuple[Site, str, tuple[Site, ...]]]:
    obj = state.heap[module]
    put = obj.marks.get(PUT)
    for name, tensor in obj.attrs.items():
        if not _is_fresh(state, tensor):
            continue
        if "held" not in obj.marks:
            yield module, "layer", (put.to,) if isinstance(put, Pointer) else ()
        match obj.marks.get(MARK + name):
            case Items((Pointer(at), Pointer(held))) if Pointer(held) == _optimizer(obj):
                if held not in state.heap or REGROUPED not in state.heap[held].marks:
                    yield at, "parameter", ()


def note_regrouped(state: State, group: Value, key: Value) -> None:
    """`group["params"]` of something unknown: whoever asks for it may put a parameter in its place."""
    if type(group) is Any and key == Const("params"):
        for site, obj in state.heap.items():
            if OPTIMIZER in (obj.cls, *obj.bases):
                state.heap[site] = obj.with_mark(REGROUPED, HOLDS)


def _replaced(state: State, module: Pointer) -> Iterator[tuple[Site, bool]]:
    """Where a layer took the place of a module that is held, and gets the gradients now; and whether a method
    of the model that has it put it there.
    """
    match state.heap[module.to].marks.get(REPLACED):
        case Items((Pointer(at), new, Const(itself))):
            old, inside = modules_in(state, module), modules_in(state, new)
            taken = any("held" in state.heap[m.to].marks for m in inside)
            if not taken and _get_gradients(state, inside) and not _get_gradients(state, old):
                yield at, itself is True


def _get_gradients(state: State, modules: list[Pointer]) -> bool:
    return any(_is_fresh(state, value) for m in modules for value in state.heap[m.to].attrs.values())


def _is_fresh(state: State, value: Value) -> bool:
    if not isinstance(value, Tensor) or value.kind != "parameter" or value.storage is None:
        return False
    return state.grads.get(value.storage, CLEAR).kind in ("fresh", "mixed")


def note_frozen(state: State, module: Value) -> None:
    """Called for each module whose parameters an optimizer is given, perhaps through a filter."""
    obj = state.obj(module)
    if obj is None or not isinstance(module, Pointer):
        return
    held = [state.current(value) for value in obj.attrs.values()]
    frozen = [t for t in held if isinstance(t, Tensor) and t.kind == "parameter" and t.requires_grad.fails]
    if frozen:
        kept = Items(tuple([Pointer(t.storage) for t in frozen if t.storage is not None]))
        state.heap[module.to] = obj.with_mark(FROZEN, kept)


def _unfrozen(state: State, module: Site) -> bool:
    """Whether a filter left out a parameter, since it was frozen, that has gradients now."""
    from torchwise.flow.gradients import optimizer_leaves

    then = state.heap[module].marks.get(FROZEN)
    if not isinstance(then, Items):
        return False
    fresh = [p for p in then.items if isinstance(p, Pointer) and state.grads.get(p.to, CLEAR).kind == "fresh"]
    optimizers = [to for to, obj in state.heap.items() if OPTIMIZER in obj.bases] if fresh else []
    stepped = {leaf for to in optimizers for leaf in optimizer_leaves(state, Pointer(to))}
    known = not any(EVERYTHING in leaf.part for leaf in stepped)
    return known and any(parameter.to not in stepped for parameter in fresh)
