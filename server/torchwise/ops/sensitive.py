"""Layers that do something else in train mode than in eval mode, by their base classes.

https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.train
"""

from __future__ import annotations

from torchwise.domain.value import Const, Num, Obj

BASES = frozenset((
    "torch.nn.modules.dropout._DropoutNd",
    "torch.nn.modules.batchnorm._BatchNorm",
))  # fmt: skip


def mode_matters(obj: Obj) -> bool:
    """Whether the layer certainly behaves differently in the two modes. Dropout with p=0 does not."""
    if BASES.isdisjoint(obj.bases):
        return False
    match obj.attrs.get("p"):
        case Const(0.0):
            return False
        case Num(dim):
            return dim.number != 0
    return True
