"""What certain calls are remembered for, beside what they give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, Const, Params, Pointer, Tensor, Value
from torchwise.flow.averaged import MOVES, REACHES, WALKS, note_averaged
from torchwise.flow.batches import note_batch
from torchwise.flow.compiled import traced
from torchwise.flow.drawing import note_drawing
from torchwise.flow.early import note_early_optimised
from torchwise.flow.hook_views import note_view_written
from torchwise.flow.kept import NOTED, note_kept, note_optimizer
from torchwise.flow.moving import modules_in
from torchwise.flow.reduced import note_reducing
from torchwise.flow.resumed import note_bare, note_resumed
from torchwise.flow.schedules import note_lambda
from torchwise.flow.shallow import note_shallow
from torchwise.flow.together import storages
from torchwise.flow.unborn_buffers import note_loaded
from torchwise.ops import Op
from torchwise.ops.parameters import TAKEN_FROM

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State


def note_aside(run: Run, state: State, op: Op, values: Mapping[str, Value], result: Value, ref: int) -> None:
    """Called for each call of an op, with its arguments and its result."""
    if "init" in op.tags:
        _note_written(run, state, values.get("tensor", ANY), ref)
    if op.inplace and run.hook_views:
        note_view_written(run, state, values.get(op.inplace), ref)
    if op.name in WALKS or op.name in REACHES or op.name in MOVES:
        note_averaged(run, state, op, values, ref)
    if op.name in NOTED:
        note_kept(run, state, op, values, ref)
    elif op.name == "backward":
        note_reducing(state, values.get("self"))
    elif "scheduler" in op.tags:
        note_resumed(run, state, op, values, ref)
        if op.name == "LambdaLR":
            note_lambda(run, state, values, ref)
    elif op.name == "deepcopy" and traced(state) and modules_in(state, values.get("x", ANY)):
        run.event("deepcopy-traced", ref, state)
    elif op.name == "DataLoader" and isinstance(result, Pointer):
        note_batch(run, state, result, ref)
        note_drawing(run, state, result)
    elif op.name == "load_state_dict" and op.spellings[0] == "torch.nn.Module.load_state_dict":
        given = values.get("state_dict", ANY)
        note_loaded(run, state, values["self"], given, values.get("strict", Const(True)), ref)
    elif op.name in ("list", "dict"):
        _note_listed(state, values.get("iterable", values.get("mapping", ANY)), result)
    elif "optimizer" in op.tags and isinstance(result, Pointer):
        note_optimizer(run, state, values.get("params", ANY), result, ref)
        note_shallow(run, state, values.get("params", ANY), ref)
        note_early_optimised(run, state, values.get("params", ANY), ref)
        note_bare(state, values.get("params", ANY), result)


def _note_written(run: Run, state: State, target: Value, ref: int) -> None:
    """An initialiser writes, and its target stays the leaf that it is."""
    if isinstance(target, Tensor) and target.storage is not None:
        for storage in storages(state, target.storage):
            state.write(storage, run.site(ref))


def _note_listed(state: State, given: Value, result: Value) -> None:
    """`list(model.parameters())` and `dict(model.named_parameters())` know whose they are."""
    if isinstance(given, Params) and isinstance(result, Pointer):
        state.heap[result.to] = state.heap[result.to].with_mark(TAKEN_FROM, Pointer(given.of))
