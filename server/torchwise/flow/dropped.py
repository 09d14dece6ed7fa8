"""`del rows[0]` and `del self.mask`: what is left is not known."""

from __future__ import annotations

from torchwise.domain.effects import SetItems
from torchwise.domain.value import ANY, Const, Pointer
from torchwise.flow.effects import carry_out
from torchwise.flow.run import Run, handles
from torchwise.flow.state import State
from torchwise.ir import nodes as ir


@handles(ir.DropIndex)
def _drop_index(run: Run, it: ir.DropIndex, state: State) -> None:
    base, index = state.regs.get(it.base, ANY), state.regs.get(it.index, ANY)
    obj = state.obj(base)
    if obj is None or not isinstance(base, Pointer):
        return
    if obj.cls in ("list", "dict", "set"):
        carry_out(run, state, (SetItems(base, None, ANY),), ANY, it.out, run.site(it.out))
    elif isinstance(index, Const) and isinstance(index.value, str) and index.value in obj.attrs:
        state.heap[base.to] = obj.with_attr(index.value, ANY)
