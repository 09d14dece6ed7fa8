"""Scores that are masked before a softmax, and how."""

from __future__ import annotations

from torchwise.rules.vocabulary import Call
from torchwise.rules.vocabulary.fitting import is_mask


def what_it_fills(fill: Call) -> str:
    """What a `masked_fill` gives to what is masked, where that leaves it a share; "" otherwise."""
    value, mask = fill["value"], fill["mask"]
    if value is None or mask is None:
        return ""
    number = value.constant
    known = is_mask(mask)
    tiny = isinstance(number, float) and 0 < abs(number) < 0.001
    if isinstance(number, int | float) and (tiny or (known and number == 0)):
        return f"gives {number} to what is masked"
    return ""


def what_it_multiplies(product: Call) -> str:
    """What a product with a mask gives to what is masked; "" where none of the factors is one."""
    for side in product.operands if product.op.startswith("mul") else ():
        if side.tensor is not None and side.tensor.nature == "keep":
            return f"gives 0 to what {side.quoted} masks"
    return ""
