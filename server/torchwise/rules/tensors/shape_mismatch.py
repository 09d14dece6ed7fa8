"""Tensors are combined whose sizes do not fit together.

A matrix product needs the last axis of the left one to be as long as the second last of the right one;
element by element,
two axes must be equally long or one of them 1; `cat` wants all other axes equal. Where the sizes are known
to clash,
whatever the sizes that are not known, torch raises. Sizes that are merely unknown are never guessed.

Source: https://docs.pytorch.org/docs/stable/notes/broadcasting.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW302", ERROR, "02-tensors/operations#when-broadcasting-refuses-and-when-it-does-not"

EXAMPLES = [
    Example(
        bad="""
            scores = torch.bmm(queries, keys)
                     ^^^^^^^^^^^^^^^^^^^^^^^^ `keys` is (4, 9, 16): axis -2 is 9 where 16 is needed
            """,
        good="""
            scores = torch.bmm(queries, keys.transpose(1, 2))
            """,
        setup="""
            import torch

            queries, keys = torch.randn(4, 7, 16), torch.randn(4, 9, 16)
            """,
        harm=RuntimeError,
    ),
    Example(
        bad="""
            centred = points - points.mean(dim=1)
                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^ axis -1 is 12 where 3 is needed
            """,
        good="""
            centred = points - points.mean(dim=1, keepdim=True)
            """,
        setup="""
            import torch

            points = torch.randn(12, 3)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    def join(left, right):
        return torch.cat([left, right], dim=1) @ torch.ones(8, 2)  # nothing is known of their sizes
    """,
    """
    import pytest
    import torch

    with pytest.raises(RuntimeError):
        torch.ones(2, 3) @ torch.ones(2, 3)  # it is meant to fail
    """,
]

KINDS = ("axis", "broadcast", "rank", "view-size", "index-range", "empty")
OTHER_RULES = ("einsum", "gather", "scatter", "scatter_add", "scatter_reduce")


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break(*KINDS):
        if call.on_layer or call.makes_layer or call.op.rstrip("_") in OTHER_RULES:
            continue
        for broken in call.breaks(*KINDS):
            if not call.takes_named_tuple:
                yield call.refuses(broken)
                break
