"""Shallow copies of a module, which share its parameters, and the optimizers that are given them.

The original's mark "optimised-as" says which copy an optimizer has got. Notes "shallow-optimised" where an
optimizer gets a copy after one got the original, or another copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.value import Pointer, Site, Value
from torchwise.domain.verdict import HOLDS
from torchwise.ops.copying import SHALLOW
from torchwise.ops.parameters import sources

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

OPTIMISED = "optimised-as"


def note_shallow(run: Run, state: State, params: Value, ref: int) -> None:
    """Called where an optimizer is made."""
    for root in list(sources(state.heap, params)):
        obj = state.obj(root)
        original = obj.marks.get(SHALLOW, root) if obj is not None else None
        held = state.obj(original) if isinstance(original, Pointer) else None
        if held is None or not isinstance(original, Pointer):
            continue
        before = held.marks.get(OPTIMISED)
        if original != root:
            if not isinstance(before, Pointer) and held.marks.get("held") is HOLDS:
                before = original
            state.heap[original.to] = held.with_mark(OPTIMISED, root)
        if isinstance(before, Pointer) and before != root:
            run.event("shallow-optimised", ref, state, (root.to if original != root else before.to,), root)


def set_apart(state: State, site: Site) -> None:
    """Called where an attribute of a module is set: what a copy has of its own may be all that it is for."""
    if SHALLOW in state.heap[site].marks:
        state.heap[site] = state.heap[site].with_mark(SHALLOW, None)
