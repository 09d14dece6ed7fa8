"""Parameters that a model got after its optimizer was made: they get gradients, and no steps.

A module's mark "held" says that an optimizer has taken its parameters, "held@" which one. "unheld.weight"
says where another Parameter took the place of one of these, and under which optimizer. Notes "unheld-step"
where an optimizer steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, Items, Obj, Params, Pointer, Site, Tensor, Value
from torchwise.flow.state import CLEAR, State
from torchwise.ir import nodes as ir

if TYPE_CHECKING:
    from torchwise.flow.run import Run

MARK = "unheld."


def note_replaced(run: Run, it: ir.SetAttr, state: State, obj: Obj, value: Value) -> None:
    """Called before an attribute that holds a tensor is assigned."""
    old, owner = obj.attrs.get(it.name), state.regs.get(it.base)
    if not isinstance(old, Tensor) or not isinstance(value, Tensor) or "held" not in obj.marks:
        return
    replaced = old.kind == value.kind == "parameter" and old.id is not None and old.id != value.id
    if replaced and isinstance(owner, Pointer) and _goes_nowhere_else(run, it.value):
        at = Items((Pointer(run.site(it.out)), _optimizer(obj)))
        state.heap[owner.to] = obj.with_mark(MARK + it.name, at)


def _optimizer(obj: Obj) -> Value:
    at = obj.marks.get("held@")
    return at if isinstance(at, Pointer) else ANY


def _goes_nowhere_else(run: Run, ref: int) -> bool:
    """Whether a new parameter is not given to the optimizer as well."""
    made = run.defs.get(ref)
    if isinstance(made, ir.Load):
        return [i.name for i in run.defs.of_kind(ir.Load)].count(made.name) == 1
    return isinstance(made, ir.Call)


def note_unheld(run: Run, state: State, optimizer: Pointer, ref: int) -> None:
    """A layer or a parameter of the model that has gradients, and came after the optimizer."""
    from torchwise.flow.effects import modules_in

    params = state.heap[optimizer.to].attrs.get("params", ANY)
    for module in modules_in(state, Pointer(params.of)) if type(params) is Params and not params.some else ():
        for at, what in _unheld(state, module.to):
            run.event("unheld-step", ref, state, (at, optimizer.to), optimizer, what)
            return


def _unheld(state: State, module: Site) -> Iterator[tuple[Site, str]]:
    obj = state.heap[module]
    for name, tensor in obj.attrs.items():
        if not isinstance(tensor, Tensor) or tensor.kind != "parameter" or tensor.storage is None:
            continue
        if state.grads.get(tensor.storage, CLEAR).kind not in ("fresh", "mixed"):
            continue
        if "held" not in obj.marks:
            yield module, "layer"
        match obj.marks.get(MARK + name):
            case Items((Pointer(at), held)) if held == _optimizer(obj) and held is not ANY:
                yield at, "parameter"
