"""Two tensors are made of one array, which is changed in between.

`torch.from_numpy` and `torch.as_tensor` share the memory of the array: the first tensor changes with it, and both hold the
same numbers in the end. Copy the array first, or use `torch.tensor`, which does.

Source: https://docs.pytorch.org/docs/stable/generated/torch.from_numpy.html
"""

from collections.abc import Iterator
from itertools import pairwise

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Operand, Reading

CODE, LEVEL, LESSON = "TW344", WARNING, "02-tensors/making#numpy-and-shared-memory"

EXAMPLES = [
    Example(
        bad="""
            before = torch.from_numpy(levels)
                     ^^^^^^^^^^^^^^^^^^^^^^^^ shares the memory of `levels`
            levels[:] = 1.0
            after = torch.from_numpy(levels)
            moved = (after - before).abs().sum()
            """,
        good="""
            before = torch.from_numpy(levels.copy())
            levels[:] = 1.0
            after = torch.from_numpy(levels)
            moved = (after - before).abs().sum()
            """,
        setup="""
            import numpy as np
            import torch

            levels = np.zeros(4, dtype=np.float32)
            """,
        harm=lambda bad, good: bad["moved"].item() == 0.0 and good["moved"].item() == 4.0,  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import numpy as np
    import torch

    levels = np.zeros(4)
    seen = torch.from_numpy(levels)
    levels[:] = 1.0  # the tensor is to show what is in the array
    print(seen)
    """,
]
SHARING = ("from_numpy", "as_tensor")


def check(scope: Reading) -> Iterator[Flag]:
    made = scope.calls_to(*SHARING)
    for first, second in pairwise(made):
        array, again = _array(first), _array(second)
        if array is None or again is None or len(array.places) != 1 or array.places != again.places:
            continue
        write = next(
            (w for w in scope.calls_to("numpy.ndarray.__setitem__") if _between(w, first, second, array)),
            None,
        )
        names = scope.names_of(first.ref)
        kept = names and not set(names) & set(scope.names_of(second.ref)) and first.loops == second.loops
        if write is not None and kept and scope.read_after(second.ref, names[0]):
            yield first.flag(
                f"shares the memory of {array.quoted}, which is changed before another tensor is made of it",
                because=((write.at, "changed here"), (second.at, "the other one")),
                fix=append_to(array.at, ".copy()", "Copy it first") if array.text.isidentifier() else None,
            )


def _array(call: Call) -> Operand | None:
    return call["ndarray"] or call["data"]


def _between(write: Call, first: Call, second: Call, array: Operand) -> bool:
    target = write["self"]
    same = target is not None and target.places == array.places and write.loops == first.loops
    return same and first.ref < write.ref < second.ref
