"""Tensors of dtypes are combined that do not go together.

Arithmetic promotes, but matrix products, layers and most losses do not: float64 that came from numpy meets
float32 weights, integer
labels meet a loss that wants floats, and torch raises.

Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.dtype
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import CALLER, ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW308", ERROR, "02-tensors/making#dtypes"

EXAMPLES = [
    Example(
        bad="""
            scores = head(measured)
                     ^^^^^^^^^^^^^^ `measured` is float64 where float32 is needed that `head` takes
            """,
        good="""
            scores = head(measured.float())
            """,
        setup="""
            import torch
            from torch import nn

            head = nn.Linear(3, 2)
            measured = torch.randn(5, 3, dtype=torch.float64)
            """,
        harm=RuntimeError,
    ),
    Example(
        bad="""
            loss = nn.CrossEntropyLoss(weight=weight)(scores, labels)
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `weight` is float64 where float32 is needed
            """,
        good="""
            loss = nn.CrossEntropyLoss(weight=weight.float())(scores, labels)
            """,
        setup="""
            import numpy as np
            import torch
            from torch import nn

            weight = torch.from_numpy(6 / np.bincount(np.array([0, 1, 1, 2, 2, 2])))
            scores, labels = torch.randn(4, 3), torch.tensor([0, 1, 2, 0])
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch
    from torch.nn import functional as F

    rows, bags = torch.tensor([1, 2, 0]), torch.tensor([0, 2])
    summed = F.embedding_bag(torch.randn(4, 3), rows, bags)  # table first, as it once was: torch swaps them
    """,
    """
    import torch

    counts, weights = torch.arange(3), torch.rand(3)
    total = counts * weights  # promoted to float
    """,
    """
    import torch
    from torch import nn

    head = nn.Linear(3, 2).double()
    scores = head(torch.randn(5, 3, dtype=torch.float64))  # both are float64
    """,
    """
    import torch
    from torch import nn

    class Head(nn.Module):
        def __init__(self):
            super().__init__()
            self.project = nn.Linear(3, 2)

        def forward(self, x):
            return self.project(x.half())  # whoever makes the module casts it

    scores = Head().half()(torch.randn(5, 3))
    """,
]

ELSEWHERE = (  # rules of their own speak of these
    "mean", "std", "var", "var_mean", "std_mean", "softmax", "log_softmax", "norm", "vector_norm", "logsumexp", "quantile",
    "nanmean", "nanquantile", "normalize", "gather", "index_select", "take_along_dim", "embedding", "getitem", "setitem", "masked_fill",
    "one_hot", "Embedding", "scatter", "masked_select", "where", "einsum", "requires_grad_", "index_add", "take", "EmbeddingBag",
    "masked_scatter",
)  # fmt: skip


def check(scope: Reading) -> Iterator[Flag]:
    raising: set[int] = set()
    for call in scope.calls_that_break("dtype"):
        if call.op.rstrip("_") in ELSEWHERE:
            continue
        for broken in call.breaks("dtype"):
            if call.op in ("sub", "rsub") and broken.got == "bool":
                continue
            if call.compares_with_classes and broken.param != "weight":
                continue
            given = call[broken.param]
            if given is not None and given.comes_through(raising):
                break  # it never gets there
            raising.add(call.ref)
            if call.on_layer and given is not None and given.handed_over:
                layer = call["self"].text if call["self"] is not None else "a layer"
                message = f"hands over {broken.got}, but `{layer}` in it takes {broken.wanted}"
                yield Flag(CALLER, message, because=((call.at, "used here"),))
            else:
                yield call.refuses(broken)
            break
