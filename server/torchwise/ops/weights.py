"""Weights that are not what they seem: of lazy layers before their first call (they have no size, and torch
refuses most of what takes them), and those that a layer computes anew each time (what is written into them
is lost).
"""

from __future__ import annotations

from collections.abc import Mapping

from torchwise.domain.nature import COMPUTED, JAGGED, UNBORN, word_of
from torchwise.domain.value import Tensor, Value
from torchwise.ops.spec import Broken

# What torch lets through: torch.nn.parameter.UninitializedTensorMixin
ALLOWED = frozenset((
    "size", "copy_", "is_complex", "is_floating_point", "half", "float", "double", "char", "short", "int",
    "long", "cuda", "cpu", "to", "get_device", "requires_grad_", "is_tensor", "save",
))  # fmt: skip


def weight_faults(spelling: str, inplace: str | None, values: Mapping[str, Value]) -> tuple[Broken, ...]:
    """What is wrong with an operator's arguments for what they are read from."""
    ragged: list[tuple[str, Tensor]] = []
    for name, value in values.items():
        if type(value) is not Tensor or value.nature is None:
            continue
        if value.nature == UNBORN and _reads(spelling):
            return (Broken("unborn", name, because=value),)
        if value.nature == COMPUTED and name == inplace:
            return (Broken("computed", name, because=value),)
        if word_of(value.nature) == JAGGED:
            ragged.append((name, value))
    return _offset_faults(spelling, ragged) if len(ragged) > 1 else ()


def _offset_faults(spelling: str, ragged: list[tuple[str, Tensor]]) -> tuple[Broken, ...]:
    """Two nested tensors, each with offsets of its own, in one elementwise operator."""
    (_, first), (name, second) = ragged[:2]
    apart = first.nature != second.nature and spelling.rpartition(".")[2] in PAIRED
    return (Broken("offsets", name, because=first),) if apart else ()


PAIRED = frozenset(("add", "sub", "mul", "truediv", "div", "iadd", "isub", "imul"))


def _reads(spelling: str) -> bool:
    """Whether it needs a parameter's numbers or size."""
    home, _, name = spelling.rpartition(".")
    return home in ("Tensor", "torch", "torch.nn.init") and name not in ALLOWED
