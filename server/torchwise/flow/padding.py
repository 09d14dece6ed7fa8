"""The row of an embedding that stands for padding, which torch makes zero: what draws it anew.

An embedding's mark "redrawn" says which initialiser has written to its weight. Notes "padding-redrawn" at the
end of an `__init__` and of a file's own run, where nothing has been written to the weight since.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.value import NONE, Items, Num, Pointer, Site, Tensor, Value

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

REDRAWN = "redrawn"
DRAWING = frozenset((
    "xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_", "normal_", "uniform_",
    "trunc_normal_", "orthogonal_",
))  # fmt: skip


FILLING = frozenset(("zeros_", "constant_"))


def note_drawn(run: Run, state: State, op: str, target: Value | None, ref: int) -> None:
    """Called where an initialiser is called."""
    if not isinstance(target, Tensor) or target.storage is None:
        return
    for at, obj in list(state.heap.items()):
        weight = obj.attrs.get("weight") if isinstance(obj.attrs.get("padding_idx"), Num) else None
        if isinstance(weight, Tensor) and weight.storage == target.storage:
            drawn = Items((Pointer(run.site(ref)), _last(state, target.storage))) if op in DRAWING else None
            state.heap[at] = obj.with_mark(REDRAWN, drawn)


def _last(state: State, storage: Site) -> Value:
    """What has written to it last."""
    written = state.written.get(storage)
    return Pointer(written.by) if written is not None and written.by is not None else NONE


def note_padding(run: Run, states: list[State]) -> None:
    from torchwise.flow.effects import modules_in

    for state in states:
        for root in list(state.env.values()):
            for module in modules_in(state, root):
                obj = state.heap[module.to]
                weight = obj.attrs.get("weight")
                match obj.marks.get(REDRAWN):
                    case Items((Pointer(at), last)) if (
                        isinstance(weight, Tensor) and weight.storage is not None
                    ):
                        state.heap[module.to] = obj.with_mark(REDRAWN, None)
                        if last == _last(state, weight.storage):
                            run.event("padding-redrawn", 0, state, (at, module.to))
