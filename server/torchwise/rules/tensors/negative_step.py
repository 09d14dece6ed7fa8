"""A tensor is sliced with a negative step.

`x[::-1]` works for lists and arrays; torch has no negative strides and raises. `flip` makes the reversed
copy.

Source: https://docs.pytorch.org/docs/stable/generated/torch.flip.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW310", ERROR, "02-tensors/indexing#integers-and-slices"

EXAMPLES = [
    Example(
        bad="""
            backwards = steps[::-1]
                        ^^^^^^^^^^^ cannot be sliced with a negative step
            """,
        good="""
            backwards = steps.flip(0)
            """,
        setup="""
            import torch

            steps = torch.arange(5)
            """,
        harm=ValueError,
    ),
]

SILENT = [
    """
    import torch

    sizes = torch.ones(2, 3).shape[::-1]  # a tuple
    numbers = [1, 2, 3][::-1]
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("slice-step"):
        for _ in call.breaks("slice-step"):
            target = call["input"] or call["self"]
            name = target.text if target is not None else "a tensor"
            fix = None
            if call.text == f"{name}[::-1]":
                fix = replace_with(call.at, f"{name}.flip(0)", "Use `flip`")
            yield call.flag(f"`{name}` is a tensor: it cannot be sliced with a negative step", fix=fix)
            break
