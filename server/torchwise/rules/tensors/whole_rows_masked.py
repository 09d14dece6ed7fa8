"""A mask with one entry for each row sets whole rows to -inf, and their softmax is NaN.

The softmax of scores (queries, keys) goes along the keys. A padding mask says which *keys* are left out, so its
last axis is theirs: `mask[:, None, None, :]`. As `mask[:, None, :, None]` it leaves out whole rows: nothing is
left to choose from, and 0/0 is NaN, in the row, and by way of the gradients everywhere.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading
from torchwise.rules.vocabulary.fitting import one_for_each_row

CODE, LEVEL, LESSON = "TW353", WARNING, "09-attention/attention#masks"

EXAMPLES = [
    Example(
        bad="""
            blocked = padding[:, :, None]
            weights = scores.masked_fill(blocked, float("-inf")).softmax(dim=-1)
                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ is NaN where `blocked` is True
            """,
        good="""
            blocked = padding[:, None, :]
            weights = scores.masked_fill(blocked, float("-inf")).softmax(dim=-1)
            """,
        setup="""
            import torch

            scores, padding = torch.randn(2, 3, 3), torch.tensor([[False, False, True]] * 2)
            """,
        harm=lambda bad, good: bad["weights"].isnan().any() and not good["weights"].isnan().any(),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch

    scores, padding = torch.randn(2, 3, 3), torch.tensor([[False, False, True]] * 2)
    rows = padding[:, :, None]
    little = scores.masked_fill(rows, -1e9).softmax(dim=-1)  # all alike, and no NaN
    across = scores.masked_fill(rows, float("-inf")).softmax(dim=1)  # along the axis of the mask
    """,
    """
    import torch

    scores, padding = torch.randn(2, 3, 3), torch.tensor([[False, False, True]] * 2)
    weights = scores.masked_fill(padding[:, :, None], float("-inf")).softmax(dim=-1)
    weights = weights.nan_to_num(0.0)  # seen to
    """,
    """
    import torch

    scores, padding = torch.randn(2, 3, 3), torch.tensor([[False, False, True]] * 2)
    weights = scores.masked_fill(padding[:, :, None], float("-inf")).softmax(dim=-1)
    weights = torch.where(padding[:, :, None], 0.0, weights)
    """,
]

MENDS = ("nan_to_num", "nan_to_num_", "isnan", "isfinite", "isinf", "where", "masked_fill_", "setitem")


def check(scope: Reading) -> Iterator[Flag]:
    softmaxes = scope.calls_to("softmax")
    if not softmaxes or scope.calls_to(*MENDS):
        return
    filled_after = [
        x.made_only_by("softmax") for c in scope.calls_to("masked_fill") if (x := c["input"] or c["self"])
    ]
    for softmax in softmaxes:
        scores, dim = softmax["input"], softmax["dim"]
        filled = scores.made_only_by("masked_fill") if scores is not None else None
        if filled is None or scores is None or dim is None or softmax in filled_after:
            continue
        mask, value = filled["mask"], filled["value"]
        endless = value is not None and value.constant == float("-inf")
        if endless and mask is not None and one_for_each_row(mask, scores, dim.constant):
            yield softmax.flag(
                f"is NaN where {mask.quoted} is True: the mask is {mask.sizes}, so whole rows are -inf",
                because=((filled.at, "masked here"),),
            )
