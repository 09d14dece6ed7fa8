"""A tensor is sliced with a negative step, or is made over an array that was.

`x[::-1]` works for lists and arrays; torch has no negative strides and raises. `flip` makes the reversed
copy. `array[::-1]` and `np.flip` give views, which `torch.from_numpy` refuses: add `.copy()`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.flip.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import append_to, replace_with
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
    Example(
        bad="""
            mirrored = torch.from_numpy(image[:, ::-1])
                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ walks backwards through its memory
            """,
        good="""
            mirrored = torch.from_numpy(image[:, ::-1].copy())
            """,
        setup="""
            import numpy as np
            import torch

            image = np.zeros((4, 6, 3), dtype=np.float32)
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
    """
    import numpy as np
    import torch

    image = np.zeros((4, 6, 3), dtype=np.float32)
    mirrored = torch.from_numpy(np.ascontiguousarray(image[..., ::-1]))
    brighter = torch.from_numpy(image[::-1] * 1.5)  # another array
    again = torch.from_numpy(np.flip(image, 1).astype(np.float32))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("negative-stride"):
        array = call["ndarray"] or call["data"]
        name = array.quoted if array is not None else "the array"
        yield call.flag(
            f"{name} walks backwards through its memory, which a tensor cannot: copy it first",
            fix=append_to(array.at, ".copy()", "Copy it first") if array is not None else None,
        )
    for call in scope.calls_that_break("slice-step"):
        for _ in call.breaks("slice-step"):
            target = call["input"] or call["self"]
            name = target.text if target is not None else "a tensor"
            fix = None
            if call.text == f"{name}[::-1]":
                fix = replace_with(call.at, f"{name}.flip(0)", "Use `flip`")
            yield call.flag(f"`{name}` is a tensor: it cannot be sliced with a negative step", fix=fix)
            break
