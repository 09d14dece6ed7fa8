"""An axis is named that the tensor does not have, or one is named twice.

A tensor with three axes has axes 0 to 2, or -3 to -1. `permute` and reductions over several axes want each
of them once.

Source: https://docs.pytorch.org/docs/stable/generated/torch.sum.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW306", ERROR, "02-tensors/operations#reductions"

EXAMPLES = [
    Example(
        bad="""
            pooled = tokens.mean(dim=3)
                     ^^^^^^^^^^^^^^^^^^ `tokens` is (2, 5, 8)
            """,
        good="""
            pooled = tokens.mean(dim=2)
            """,
        setup="""
            import torch

            tokens = torch.randn(2, 5, 8)
            """,
        harm=IndexError,
    ),
]

SILENT = [
    """
    import torch

    row = torch.randn(2, 5).unsqueeze(2)  # the new axis may be the last
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("dim-range"):
        for broken in call.breaks("dim-range"):
            source = next(
                (o for o in call.operands if o.tensor is not None and o.tensor.shape is not None), None
            )
            has = f"{source.quoted} is {source.sizes}: " if source is not None else ""
            yield call.flag(f"{has}axis {broken.got} is asked for where {broken.wanted} is possible")
            break
