"""The one dataset of several subsets, changed through one of them: `val.dataset.transform = plain`.

Notes "set-for-all" where a loader of another part is walked through after that, with where it was set. What
was set before in its place is lost to that part: what the dataset was made with, or what was set through the
part itself. A dataset that a loader has been through before may change its attributes from phase to phase.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.value import NONE, Any, Const, Func, Items, Obj, Pointer, Site, Value
from torchwise.flow.definitions import definitions
from torchwise.ir import nodes as ir

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

SUBSET = "torch.utils.data.Subset"
SET = "set-through"  # mark of a dataset: the part, the attribute, where, and whether a value was lost
WALKED = "walked-in-parts"
VISION = "torchvision.datasets."


def note_set_through(run: Run, state: State, it: ir.SetAttr, to: Site, value: Value) -> Obj:
    """Called before an attribute of an object is set: gives the object, perhaps with a mark."""
    reached = run.defs.get(it.base)
    part = (
        state.regs.get(reached.base) if isinstance(reached, ir.Attr) and reached.name == "dataset" else None
    )
    inner = state.obj(part) if part is not None else None
    obj = state.heap[to]
    if inner is None or inner.cls != SUBSET or part is None or WALKED in obj.marks:
        return obj
    before, last = obj.attrs.get(it.name), obj.marks.get(SET)
    if before is None or before == value or not asks(run, state, Pointer(to), it.name):
        return obj
    again = isinstance(last, Items) and last.items[1] == Const(it.name) and last.items[0] != part
    lost = Const(again or not (isinstance(before, Any) or before == NONE))
    where = Pointer(run.site(it.out))
    return obj.with_mark(SET, Items((part, Const(it.name), where, lost)))


def note_part_walked(run: Run, state: State, part: Value, ref: int) -> None:
    """Called where a loader of a part is walked through."""
    inner = state.obj(part)
    whole = inner.attrs.get("dataset") if inner is not None and inner.cls == SUBSET else None
    obj = state.obj(whole) if whole is not None else None
    if obj is None or not isinstance(whole, Pointer):
        return
    last = obj.marks.get(SET)
    if isinstance(last, Items) and last.items[0] != part and last.items[3] == Const(True):
        _, name, where, _ = last.items
        if isinstance(where, Pointer) and isinstance(name, Const):
            run.event("set-for-all", ref, state, (where.to,), part, str(name.value))
    state.heap[whole.to] = obj.with_mark(WALKED, True)


def asks(run: Run, state: State, dataset: Pointer, name: str) -> bool:
    """Whether making an example reads an attribute of the dataset, as far as its own text says."""
    from torchwise.flow.objects import find_method

    obj = state.heap[dataset.to]
    if obj.cls.startswith(VISION):
        return name in ("transform", "target_transform", "transforms")
    method = find_method(run, state, dataset, obj, "__getitem__")
    scope = run.lookup.scope(method.scope) if isinstance(method, Func) else None
    return scope is not None and any(i.name == name for i in definitions(scope).of_kind(ir.Attr))
