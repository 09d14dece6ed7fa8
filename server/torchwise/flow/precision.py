"""Numbers that a dtype does not have: the `eps` of an optimizer over weights in float16.

Event: "eps-underflows" where such an optimizer steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, Const, Items, Params, Pointer, Tensor, Value
from torchwise.flow.moving import modules_in

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

HALF_OF_SMALLEST = 2.0**-25  # float16 rounds what is not above it to 0


def note_precision(run: Run, state: State, optimizer: Pointer, ref: int) -> None:
    """An `eps` that is added to float16 numbers, in which it is nothing."""
    obj = state.heap[optimizer.to]
    eps = obj.attrs.get("eps")
    small = isinstance(eps, Const) and isinstance(eps.value, float) and eps.value <= HALF_OF_SMALLEST
    if small and any(t.dtype == "float16" for t in held(state, obj.attrs.get("params", ANY))):
        run.event("eps-underflows", ref, state, (optimizer.to,), optimizer, str(eps.value))  # type: ignore[union-attr]


def held(state: State, params: Value) -> Iterator[Tensor]:
    """The parameters that an optimizer certainly holds, as they are now."""
    match params:
        case Params(of, some=False):
            modules = modules_in(state, Pointer(of))
            inside = [v for m in modules for v in state.heap[m.to].attrs.values()]
            found = [state.current(v) for v in inside]
            yield from (v for v in found if isinstance(v, Tensor) and v.kind == "parameter")
        case Items(items):
            for item in items:
                yield from held(state, item)
        case Pointer() if (obj := state.obj(params)) is not None and obj.cls in ("list", "dict"):
            for item in obj.items or ():
                yield from held(state, state.current(item))
        case Tensor():
            yield params
