"""Calls of modules that have no `forward`.

Event "no-forward", where one is called; the detail is its class, and a method of it that may be meant.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from torchwise.domain.value import Obj, Pointer
from torchwise.flow.state import State

if TYPE_CHECKING:
    from torchwise.flow.run import Run

HOLDERS = frozenset(
    f"torch.nn.{name}" for name in ("ModuleList", "ModuleDict", "ParameterList", "ParameterDict")
)
PLAIN = frozenset(("torch.nn.Module", "builtins.object", "abc.ABC", "typing.Generic"))
ANSWERS = frozenset(("forward", "__call__", "__getattr__", "__getattribute__", "_call_impl"))


def note_no_forward(run: Run, state: State, callee: Pointer, obj: Obj, ref: int) -> None:
    """Called where nothing was found that would answer a call of an object."""
    if obj.cls in HOLDERS:
        run.event("no-forward", ref, state, (callee.to,), callee, f"{obj.cls.rpartition('.')[2]}:")
        return
    facts = run.lookup.class_facts(obj.cls) if "::" in obj.cls else None
    exact = run.variant.args is not None or callee.to.scope == run.key  # else a class below may have it
    if facts is None or not facts.closed or not exact or "opaque" in obj.marks or "forward" in obj.attrs:
        return
    ours = [run.lookup.class_facts(key) for key in facts.order if "::" in key]
    names = {name for base in ours if base is not None for name in base.names}
    outside = {path for path in facts.order if "::" not in path}
    if outside <= PLAIN and "torch.nn.Module" in outside and None not in ours and ANSWERS.isdisjoint(names):
        if not run.lookup.sets(run.key, "forward") and not run.lookup.sets(obj.cls, "forward"):
            meant = get_close_matches("forward", names, 1, 0.75)
            name = obj.cls.rpartition("::")[2].rpartition(".")[2]
            run.event("no-forward", ref, state, (callee.to,), callee, f"{name}:{''.join(meant)}")
