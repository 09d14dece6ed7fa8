"""Initialisers that were applied to a module before it had any layers.

A module's mark "applied-early" is the function that `apply` got while there was nothing but the module.
Notes "applied-early" where the module is used, by a call or for an optimizer, and has layers by then whose
parameters the function would have written, and nothing has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchwise.domain.value import Func, Pointer, Site, Tensor, Value
from torchwise.domain.verdict import HOLDS
from torchwise.flow.moving import modules_in
from torchwise.ops.layers_module import EARLY
from torchwise.ops.parameters import sources

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

MOST = 12  # layers that are tried


def note_early_optimised(run: Run, state: State, params: Value, ref: int) -> None:
    """Called where an optimizer is made."""
    for root in sources(state.heap, params):
        note_early(run, state, root, ref)


def note_early(run: Run, state: State, module: Pointer, ref: int) -> None:
    """Called where a module is called."""
    for one in modules_in(state, module):
        obj = state.heap[one.to]
        function, at = obj.marks.get(EARLY), obj.marks.get(f"{EARLY}@")
        if not isinstance(function, Func) or not isinstance(at, Pointer):
            continue
        state.heap[one.to] = obj.with_mark(EARLY, None)
        loaded = any(state.heap[m.to].marks.get("loaded") is HOLDS for m in (module, one))
        layer = None if loaded else _missed(run, state, one, function, ref)
        if layer is not None:
            run.event("applied-early", ref, state, (at.to, layer.to), one, state.heap[layer.to].cls)


def _missed(run: Run, state: State, module: Pointer, function: Func, ref: int) -> Pointer | None:
    """A layer inside of which the function writes a parameter, and that nothing has written to."""
    from torchwise.flow.functions import call_function
    from torchwise.flow.opcalls import Args

    entered = dict(run.entered)
    for number, layer in enumerate(modules_in(state, module)[1 : MOST + 1]):
        own = list(_parameters(state, layer))
        if not own or any(state.version(storage) for storage in own):
            continue
        tried = state.copy()
        site = run.site(ref, f"early{number}")
        ends = call_function(run, tried, function, Args(((None, layer),)), ref, site)
        if ends and all(any(one.version(storage) for storage in own) for one, _ in ends):
            run.entered = entered  # nobody has called it
            return layer
    run.entered = entered
    return None


def _parameters(state: State, layer: Pointer) -> Iterator[Site]:
    for value in state.heap[layer.to].attrs.values():
        if isinstance(value, Tensor) and value.kind == "parameter" and value.storage is not None:
            yield value.storage
