"""Copies of a model that follow its parameters, and leave the statistics of BatchNorm as they were.

A deep copy's mark "followed" says where its parameters were moved towards those of the model that it is a
copy of, while BatchNorm layers of that went on gathering statistics. Whatever may touch the copy's buffers
takes the place of the mark for good. Notes "followed-without-statistics" where the copy is called in eval
mode.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from torchwise.domain.value import Const, Pointer, Site, Tensor, Value
from torchwise.domain.verdict import FAILS, HOLDS, UNKNOWN
from torchwise.flow.definitions import operands
from torchwise.flow.moving import modules_in
from torchwise.flow.together import storages
from torchwise.ops import Op
from torchwise.ops.parameters import TAKEN_FROM

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

COPY, FOLLOWED, WALKED, CALLED = "copy-of", "followed", "walked", "called-in-train-mode-with-grad"
NORMALISES = "torch.nn.modules.batchnorm._BatchNorm"
WALKS = frozenset(("parameters", "named_parameters"))
REACHES = frozenset((
    "buffers", "named_buffers", "state_dict", "load_state_dict", "modules", "named_modules", "children",
    "named_children", "get_buffer", "apply", "update_bn",
))  # fmt: skip
MOVES = frozenset(("add_", "lerp_", "copy_"))
DEPTH = 8


def note_averaged(run: Run, state: State, op: Op, values: Mapping[str, Value], ref: int) -> None:
    """Called for each call of an op of these names."""
    owner = values.get("self", values.get("model"))
    if op.name in WALKS:
        if isinstance(owner, Pointer) and _is_copy(state, owner.to):
            state.heap[owner.to] = state.heap[owner.to].with_mark(WALKED, Pointer(run.site(ref)))
    elif op.name in REACHES:
        for copy in [site for site in state.heap if _is_copy(state, site)]:
            if owner in modules_in(state, Pointer(copy)):
                state.heap[copy] = state.heap[copy].with_mark(FOLLOWED, UNKNOWN)
    else:
        _note_moved(run, state, values.get(op.inplace or "input"), ref)


def _is_copy(state: State, site: Site) -> bool:
    return isinstance(state.heap[site].marks.get(COPY), Pointer)


def _note_moved(run: Run, state: State, target: Value | None, ref: int) -> None:
    if not isinstance(target, Tensor) or target.storage is None:
        return
    written = set(storages(state, target.storage))
    for copy in [site for site in state.heap if _is_copy(state, site)]:
        obj = state.heap[copy]
        model = obj.marks[COPY]
        if not isinstance(model, Pointer) or model.to not in state.heap or obj.marks.get(FOLLOWED) is UNKNOWN:
            continue
        if not written.isdisjoint(_held(state, copy, "buffer")):
            state.heap[copy] = obj.with_mark(FOLLOWED, UNKNOWN)
        elif not written.isdisjoint(_held(state, copy, "parameter")):
            if _gathers(state, model) and _comes_from(run, state, ref, model):
                state.heap[copy] = obj.with_mark(FOLLOWED, obj.marks.get(WALKED) or Pointer(run.site(ref)))


def _held(state: State, module: Site, kind: str) -> Iterator[Site]:
    for inner in modules_in(state, Pointer(module)):
        for value in state.heap[inner.to].attrs.values():
            if isinstance(value, Tensor) and value.kind == kind and value.storage is not None:
                yield value.storage


def _gathers(state: State, model: Pointer) -> bool:
    """Whether the model is trained, and its BatchNorm layers gather statistics."""
    norms = [o for m in modules_in(state, model) if NORMALISES in (o := state.heap[m.to]).bases]
    return state.heap[model.to].marks.get(CALLED) is True and any(
        obj.marks.get("training") is HOLDS and obj.attrs.get("track_running_stats") == Const(True)
        for obj in norms
    )


def _comes_from(run: Run, state: State, ref: int, model: Pointer) -> bool:
    """Whether a parameter of the model stands in the expression."""
    inside, own = {m.to for m in modules_in(state, model)}, set(_held(state, model.to, "parameter"))
    queue = [(ref, 0)]
    while queue:
        at, depth = queue.pop()
        match state.current(state.regs[at]) if at in state.regs else None:
            case Tensor(storage=Site() as storage) if not own.isdisjoint(storages(state, storage)):
                return True
            case Pointer(to) if to in state.heap:
                marks = state.heap[to].marks
                if any(
                    isinstance(p := marks.get(n), Pointer) and p.to in inside
                    for n in (TAKEN_FROM, "state_of")
                ):
                    return True
        if depth < DEPTH and at in run.defs:
            queue += [(inner, depth + 1) for inner in operands(run.defs[at])]
    return False


def note_followed(run: Run, state: State, module: Pointer, ref: int) -> None:
    """Called where a module is called."""
    obj = state.heap[module.to]
    at = obj.marks.get(FOLLOWED)
    if not isinstance(at, Pointer):
        return
    state.heap[module.to] = obj.with_mark(FOLLOWED, UNKNOWN)
    if obj.marks.get("training") is FAILS:  # in train mode a call gathers statistics
        run.event("followed-without-statistics", ref, state, (at.to, module.to), module)
