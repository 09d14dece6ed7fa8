"""What goes into a normalisation.

Notes "biased-norm" where a BatchNorm in train mode gets the result of a layer with a bias as it is; the
detail is the call of that layer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from torchwise.domain.value import NONE, Pointer, Tensor, Value
from torchwise.domain.verdict import HOLDS

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

WEIGHED = frozenset(
    ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
)


def note_biased(run: Run, state: State, values: Mapping[str, Value], ref: int) -> None:
    """Called where a BatchNorm layer is applied."""
    norm, given = values.get("self", NONE), values.get("input")
    layer = state.obj(norm)
    if layer is None or layer.marks.get("training") is not HOLDS or not isinstance(given, Tensor):
        return
    made = [site for site in given.calls if site.scope == run.key]
    if len(made) != 1 or len(given.calls) != 1 or not isinstance(norm, Pointer):
        return
    for fact in reversed(run.calls):
        if (fact.at, fact.turn, fact.part) == (made[0].ref, made[0].turn, made[0].part):
            source = fact.args["self"].value if fact.op in WEIGHED and "self" in fact.args else NONE
            obj = state.obj(source)
            bias = obj.attrs.get("bias") if obj is not None else None
            if isinstance(bias, Tensor) and bias.kind == "parameter" and isinstance(source, Pointer):
                run.event("biased-norm", ref, state, (source.to, norm.to), given, str(fact.at))
            return
