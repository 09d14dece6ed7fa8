"""What goes through a module with full backward hooks comes out as a view that must not be changed in place.

`Run.hook_views` knows the storages of such outputs, with the module. Notes "hook-view-written" where one
of them is changed in place in the scope that made the call, and where the module itself changes its input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.value import Const, Items, Pointer, Site, Tensor, Value

if TYPE_CHECKING:
    from torchwise.flow.opcalls import Args
    from torchwise.flow.run import Run
    from torchwise.flow.state import State


def note_views(run: Run, paths: list[tuple[State, Value]], module: Pointer, args: Args, ref: int) -> None:
    """Called after a call of a module with hooks."""
    for state, value in paths:
        obj = state.heap.get(module.to)
        hooks = obj.marks.get("backward-hooks") if obj is not None else None
        if obj is None or not isinstance(hooks, Items) or not hooks.items or not state.grad_mode().holds:
            continue
        at = obj.marks.get("backward-hooks@")
        given = {v.storage: v for v in args.values() if isinstance(v, Tensor) and v.requires_grad.holds}
        for out in value.items if isinstance(value, Items) else (value,):
            if not isinstance(out, Tensor) or out.storage is None or not out.requires_grad.holds:
                continue
            if out.storage not in given:
                run.hook_views[out.storage] = at.to if isinstance(at, Pointer) else module.to
            elif obj.attrs.get("inplace") == Const(True) and isinstance(at, Pointer):
                run.event("hook-view-written", ref, state, (at.to,), out, "its input")


def note_view_written(run: Run, state: State, target: Value | None, ref: int) -> None:
    """Called where a tensor is changed in place."""
    if not isinstance(target, Tensor) or target.storage is None or not target.requires_grad.holds:
        return
    at: Site | None = run.hook_views.get(target.storage)
    if at is not None and state.grad_mode().holds:
        run.event("hook-view-written", ref, state, (at,), target)
