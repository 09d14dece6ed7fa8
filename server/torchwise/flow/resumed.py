"""Schedulers that go on from an epoch, with an optimizer that knows no rate to start from.

A scheduler with `last_epoch` other than -1 takes `initial_lr` from the groups of its optimizer. It stands
there once a scheduler was made for it from the start, or its state was loaded. Event: "scheduler-resumed",
where one is made that goes on; "bare" where the optimizer certainly has no `initial_lr` and the epoch is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, NONE, Const, Items, Num, Params, Pointer, Tensor, Value
from torchwise.domain.verdict import HOLDS, UNKNOWN
from torchwise.flow.definitions import Definitions
from torchwise.ir import nodes as ir
from torchwise.ops import Op
from torchwise.ops.optim import BARE
from torchwise.ops.optim_schedulers import APART

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State


def note_bare(state: State, params: Value, made: Pointer) -> None:
    """Called where an optimizer is made."""
    if _without_rate(state, params):
        state.heap[made.to] = state.heap[made.to].with_mark(BARE, HOLDS)


def reach_groups(state: State, optimizer: Pointer) -> None:
    """Called where the groups of an optimizer are asked for: whoever has them may write to them."""
    held = state.heap.get(optimizer.to)
    if held is not None and BARE in held.marks:
        state.heap[optimizer.to] = held.with_mark(BARE, UNKNOWN)


def _without_rate(state: State, params: Value) -> bool:
    """Whether parameters, or groups of them, certainly bring no `initial_lr` along."""
    obj = state.obj(params)
    items = params.items if isinstance(params, Items) else obj.items if obj is not None else None
    if isinstance(params, Params | Tensor):
        return True
    if items is None:
        return False
    if obj is not None and obj.cls == "dict":
        return all(isinstance(key, Const) and key != Const("initial_lr") for key in items[::2])
    return all(_without_rate(state, item) for item in items)


def note_resumed(run: Run, state: State, op: Op, values: Mapping[str, Value], ref: int) -> None:
    """Called where a scheduler is made."""
    last, optimizer = values.get("last_epoch", NONE), values.get("optimizer", ANY)
    held = state.obj(optimizer)
    if op.name in APART or last == NONE or (isinstance(last, Num) and last.dim.number == -1):
        return
    given = _argument(run, op, ref, "last_epoch")
    epoch = last.dim.number is not None if isinstance(last, Num) else _from_checkpoint(run, given, last)
    bare = epoch and held is not None and held.marks.get(BARE) is HOLDS
    run.event("scheduler-resumed", ref, state, (), optimizer, "bare" if bare else "")


def _argument(run: Run, op: Op, ref: int, name: str) -> int | None:
    """The instruction of an argument; None where stars may bring it along."""
    made = run.defs.get(ref)
    args = made.args if isinstance(made, ir.Call) else ()
    named = next((a.ref for a in args if a.name == name), None)
    before = [a for a in args if a.name is None]
    place = op.params.index(name)
    if named is not None or place >= len(before) or any(a.stars for a in args):
        return named
    return before[place].ref


def _from_checkpoint(run: Run, given: int | None, last: Value) -> bool:
    """Whether an argument that is not known was read out of what `torch.load` gave."""
    behind = _behind(run, given) if given is not None else None
    return last == ANY and behind is not None and behind >= 0


def _behind(run: Run, ref: int, depth: int = 5) -> int | None:
    """How much is added to an entry of a checkpoint; a name may be a number on other paths."""
    defs, instr = run.defs, run.defs.get(ref)
    if not depth:
        return None
    match instr:
        case ir.Load(name=name):
            kept = [v for v in _stored(defs, name) if not _is_number(defs, v)]
            found = {_behind(run, v, depth - 1) for v in kept}
            return found.pop() if len(found) == 1 else None
        case ir.Index(base=base, index=index):
            key = defs.get(index)
            text = isinstance(key, ir.Const) and isinstance(key.value, str)
            return 0 if text and _is_loaded(run, base, depth - 1) else None
        case ir.Call(callee="operator.add" | "operator.sub" as callee, args=(left, right)):
            before, by = _behind(run, left.ref, depth - 1), defs.get(right.ref)
            if before is None or not isinstance(by, ir.Const) or type(by.value) is not int:
                return None
            return before + by.value if callee == "operator.add" else before - by.value
    return None


def _is_loaded(run: Run, ref: int, depth: int) -> bool:
    """Whether an instruction gives what `torch.load` gave, or None."""
    match run.defs.get(ref):
        case ir.Const(value=None):
            return True
        case ir.Load(name=name):
            stored = _stored(run.defs, name) if depth else []
            return bool(stored) and all(_is_loaded(run, v, depth - 1) for v in stored)
        case ir.If(values=(one, other)):
            return _is_loaded(run, one, depth) and _is_loaded(run, other, depth)
    return any(call.at == ref and call.spelling == "torch.load" for call in run.calls)


def _stored(defs: Definitions, name: str) -> list[int]:
    return [i.value for i in defs.of_kind(ir.Store) if i.name == name]


def _is_number(defs: Definitions, ref: int) -> bool:
    match defs.get(ref):
        case ir.Const(value=value):
            return type(value) is int
        case ir.Call(callee="operator.neg", args=(arg,)):
            return _is_number(defs, arg.ref)
    return False
