"""Natures of numbers (see `natures`) that say which axis is which: heads split off the features, weights that
add up along the first axis. And one that says that gradients end: steps.
"""

from __future__ import annotations

from torchwise.domain.nature import PROBABILITIES, ROUNDED, made_at
from torchwise.domain.value import Num, Pointer, Tensor
from torchwise.ops.spec import Given

SPLITS = frozenset(("view", "reshape", "unflatten"))
# what leaves the axes of heads where they are
UNMOVED = frozenset(
    ("contiguous", "clone", "float", "half", "bfloat16", "to", "detach", "dropout", "layer_norm", "rms_norm")
)
MOVES = frozenset((
    "transpose", "permute", "movedim", "swapaxes", "t", "T", "mT", "reshape", "flatten", "view", "expand",
    "getitem", "select", "unflatten",
))  # fmt: skip


def moves_first(name: str, given: Given) -> bool:
    """Whether the first axis may be another one afterwards."""
    return name in MOVES or (name == "unsqueeze" and given.int("dim") == 0)


def splits_heads(name: str, given: Given, source: Tensor) -> bool:
    """(batch, tokens, features) to (batch, tokens, heads, rest)."""
    if name not in SPLITS or source.shape is None or len(source.shape) != 3:
        return False
    if name == "unflatten":
        return given.int("dim") in (2, -1) and len(given.dims("sizes") or ()) == 2
    sizes = given.dims("shape") or ()
    return len(sizes) == 4 and sizes[:2] == source.shape[:2]


def normalised(given: Given) -> str | None:
    """Of a softmax. Along the first axis of several it is said by which call, or by which layer."""
    asked = given.get("dim", given.attr("dim"))
    dim = asked.dim.number if isinstance(asked, Num) else None
    source = given.tensor("input")
    rank = source.rank if source is not None else None
    layer = given.get("self")
    maker = layer.to if isinstance(layer, Pointer) else given.site  # the axis is said where a layer is made
    over_first = rank is not None and rank > 1 and dim in (0, -rank)
    return made_at(PROBABILITIES, maker) if over_first and maker is not None else PROBABILITIES


def rounded(given: Given) -> str | None:
    """The derivative of a step is 0: nothing of what comes after reaches what gradients flow to before."""
    source = given.tensor("input") or given.tensor("self")
    known = source is not None and source.requires_grad.holds
    return made_at(ROUNDED, given.site) if known and given.site is not None else None
