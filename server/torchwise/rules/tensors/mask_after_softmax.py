"""Attention weights are masked after the softmax.

What is masked has taken its share already: the weights that are left do not sum to 1, and the result is
the smaller the more is masked. Before the softmax, `masked_fill(mask, float("-inf"))` leaves nothing out
of the sum but what is masked.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Operand, Reading
from torchwise.rules.vocabulary.fitting import is_mask

CODE, LEVEL, LESSON = "TW341", WARNING, "09-attention/attention#masks"


def _does_not_sum_to_one(bad: dict[str, object], good: dict[str, object]) -> bool:
    sums = [ns["weights"].sum(dim=-1) for ns in (bad, good)]  # type: ignore[attr-defined]
    return bool((sums[0] < 0.99).any() and (sums[1] - 1).abs().max() < 1e-5)


EXAMPLES = [
    Example(
        bad="""
            weights = scores.softmax(dim=-1)
            weights = weights * keep
                      ^^^^^^^^^^^^^^ masks after the softmax
            mixed = weights @ values
            """,
        good="""
            weights = scores.masked_fill(keep == 0, float("-inf")).softmax(dim=-1)
            mixed = weights @ values
            """,
        setup="""
            import torch

            scores, values = torch.randn(1, 4, 4), torch.randn(1, 4, 8)
            keep = torch.tensor([1.0, 1.0, 0.0, 0.0])
            """,
        harm=_does_not_sum_to_one,
    ),
]

SILENT = [
    """
    import torch

    scores, values, keep = torch.randn(1, 4, 4), torch.randn(1, 4, 8), torch.tensor([1.0, 1.0, 0.0, 0.0])
    weights = scores.softmax(dim=-1) * keep
    weights = weights / weights.sum(dim=-1, keepdim=True)  # made to sum to 1 again
    mixed = weights @ values
    """,
    """
    import torch

    scores, values, drop = torch.randn(1, 4, 4), torch.randn(1, 4, 8), torch.tensor([False, False, True, True])
    scores = scores.masked_fill(drop, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1).masked_fill(drop, 0.0)  # they were masked before
    mixed = weights @ values
    """,
    """
    import torch

    scores, values, mask = torch.randn(1, 4, 4), torch.randn(1, 4, 8), torch.ones(1, 4, 1)
    weights = torch.softmax(scores, dim=-1) * mask  # leaves out whole rows
    mixed = weights.transpose(1, 2) @ values
    """,
]

MASKS = ("mul", "mul_", "masked_fill", "masked_fill_")


def check(scope: Reading) -> Iterator[Flag]:
    for product in scope.calls_to("matmul", "bmm"):
        weights = product["input"]
        masking = weights.made_only_by(*MASKS) if weights is not None else None
        if masking is None:
            continue
        for shares in masking.operands:
            softmax = shares.made_only_by("softmax")
            others = [o for o in masking.operands if o.param != shares.param and o.param != "value"]
            if softmax is None or _masked_before(softmax) or any(_whole_rows(o) for o in others):
                continue
            if any(is_mask(o) for o in others):
                yield masking.flag(
                    "masks after the softmax: the weights that are left do not sum to 1",
                    ((softmax.at, "the softmax"),),
                )


def _masked_before(softmax: Call) -> bool:
    scores = softmax["input"]
    before = (
        scores.made_only_by("masked_fill", "masked_fill_", "where", "add") if scores is not None else None
    )
    return before is not None and (before.op != "add" or any(is_mask(o) for o in before.operands))


def _whole_rows(mask: Operand) -> bool:
    """Of length 1 along the last axis: it keeps or drops all weights of a row."""
    shape = mask.tensor.shape if mask.tensor is not None else None
    return shape is not None and len(shape) > 0 and shape[-1].number == 1
