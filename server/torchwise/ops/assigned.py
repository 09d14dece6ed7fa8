"""What setting an attribute of a tensor does: `p.grad = None`."""

from __future__ import annotations

from torchwise.domain.effects import ClearGrads, SetGrad
from torchwise.domain.value import NONE
from torchwise.ops.spec import Given, Outcome, op


def _grad(given: Given) -> Outcome:
    """None clears; anything else is a gradient made by hand."""
    target = given["self"]
    return Outcome(NONE, (), (ClearGrads(target) if given["value"] == NONE else SetGrad(target),))


op(
    "Tensor.grad=",
    params="self value",
    returns=_grad,
    grad="cut",
    tags="pure",
    source="generated/torch.Tensor.grad.html",
)
