"""Batches of which the last one is shorter: calls that work for the full ones and fail on the last.

Where a length has two values (see `domain.batches`), a call that breaks nothing as far as the symbol
goes is worked out once more for each of them. A test of such a length shows that the code knows: from
there on it is any length.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from torchwise.domain.batches import Batches, Lengths, evened, uneven
from torchwise.domain.dim import Dim
from torchwise.domain.value import Items, Many, Num, Pointer, Tensor, Value
from torchwise.ir import nodes as ir
from torchwise.ops import Broken, Given, Op, Outcome

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State


def last_broken(op: Op, given: Given) -> tuple[Broken, ...]:
    """What the call breaks on the last batch; or on every batch, where that shows for either length."""
    found: dict[str, Batches] = {}
    given = replace(given, values={n: _listed(given, v) for n, v in given.values.items()})
    for value in given.values.values():
        found |= uneven(value)
    if not any(kind == "export" for kind, _ in given.regions):
        found = {n: b for n, b in found.items() if b.total}
    if not found:
        return ()
    last, full = (
        _broken(op, given, {n: Dim.of(getattr(b, which)) for n, b in found.items()})
        for which in ("last", "full")
    )
    if last and full:
        return full
    batches = next(iter(found.values()))
    kind = "short-batch" if batches.total else "open-axis"
    return tuple([replace(b, kind=kind, message=_told(batches)) for b in last if b.kind != "batch"])


def _listed(given: Given, value: Value) -> Value:
    """The tensors of a list, as they stand in it."""
    obj = given.heap.get(value.to) if isinstance(value, Pointer) else None
    return Items(obj.items, "list") if obj is not None and obj.cls == "list" and obj.items else value


def _told(batches: Batches) -> str:
    if not batches.total:
        return f"an axis is declared open, and with {batches.last} in place of {batches.full} this fails"
    examples = "example" if batches.last == 1 else "examples"
    return f"the last batch has {batches.last} {examples}, not {batches.full}"


def _broken(op: Op, given: Given, names: dict[str, Dim]) -> tuple[Broken, ...]:
    values = {n: Lengths(names).value(v) for n, v in given.values.items()}
    answer = op.returns(replace(given, values=values))
    return answer.broken if isinstance(answer, Outcome) else ()


def note_test(run: Run, state: State, test: int) -> None:
    """Called for a test that may go either way."""
    instr = run.defs.get(test)
    if not isinstance(instr, ir.Call) or not isinstance(instr.callee, str):
        return
    found: dict[str, Batches] = {}
    for arg in instr.args:
        value = state.regs.get(arg.ref)
        if isinstance(value, Num):
            found |= uneven(value)
    if not found:
        return
    lengths = Lengths({n: Dim.of("?batch" + n.partition("in")[2]) for n in found})
    state.env = {n: lengths.value(v) for n, v in state.env.items()}
    state.regs = {r: lengths.value(v) for r, v in state.regs.items()}
    for key, tensor in state.tensors.items():
        now = lengths.value(tensor)
        assert isinstance(now, Tensor)
        state.tensors[key] = now
    for site, obj in state.heap.items():
        state.heap[site] = lengths.obj(obj)


def each_turn(it: ir.Loop, each: Value) -> Value:
    """What a loop gives its body: a loop that may be left early may never see the last batch."""
    return evened(each) if uneven(Many(each)) and _may_leave(it.body) else each


def _may_leave(block: ir.Block, inner: bool = False) -> bool:
    for instr in block:
        match instr:
            case ir.Return() | ir.Yield():
                return True
            case ir.Leave(kind="break") if not inner:
                return True
            case ir.If():
                if _may_leave(instr.then, inner) or _may_leave(instr.other, inner):
                    return True
            case ir.Loop():
                if _may_leave(instr.body, True) or _may_leave(instr.orelse, inner):
                    return True
            case ir.With() if _may_leave(instr.body, inner):
                return True
            case ir.Try():
                blocks = (instr.body, instr.orelse, instr.final, *(h.body for h in instr.handlers))
                if any(_may_leave(b, inner) for b in blocks):
                    return True
    return False
