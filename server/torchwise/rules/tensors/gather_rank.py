"""The index of `gather` or `scatter` has another number of axes than the tensor.

To pick one score per row by its label, a label vector (N,) must become a column (N, 1) first:
`scores.gather(1, labels.unsqueeze(1))`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.gather.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW311", ERROR, "02-tensors/indexing#gather-one-entry-per-position"

EXAMPLES = [
    Example(
        bad="""
            chosen = values.gather(1, actions)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^ `actions` is (6,): 1-d where 2-d is needed
            """,
        good="""
            chosen = values.gather(1, actions.unsqueeze(1))
            """,
        setup="""
            import torch

            values, actions = torch.randn(6, 3), torch.randint(0, 3, (6,))
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    values, best = torch.randn(6, 3), torch.zeros(1, 1, dtype=torch.int64)
    chosen = torch.take_along_dim(values, best, dim=1)  # stretches the index
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("rank", "axis"):
        if call.op.rstrip("_") in ("gather", "scatter", "scatter_add", "scatter_reduce"):
            for broken in call.breaks("rank", "axis"):
                yield call.refuses(broken)
                break
