"""Tensors over one array are collected, and the array is written again.

`torch.from_numpy` and `torch.as_tensor` share the memory of the array. A buffer that is filled anew in
each turn makes a list of tensors that all show its last content. Copy it first:
`torch.from_numpy(buffer.copy())`, or `torch.tensor(buffer)`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.from_numpy.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW343", WARNING, "02-tensors/making#numpy-and-shared-memory"


def _all_alike(bad: dict[str, object], good: dict[str, object]) -> bool:
    firsts = [ns["frames"][0].sum().item() for ns in (bad, good)]  # type: ignore[index]
    return firsts == [8.0, 0.0]


EXAMPLES = [
    Example(
        bad="""
            frames = []
            for step in range(3):
                buffer[:] = step
                frames.append(torch.from_numpy(buffer))
                              ^^^^^^^^^^^^^^^^^^^^^^^^ shares the memory of `buffer`
            """,
        good="""
            frames = []
            for step in range(3):
                buffer[:] = step
                frames.append(torch.from_numpy(buffer.copy()))
            """,
        setup="""
            import numpy as np
            import torch

            buffer = np.zeros(4, dtype=np.float32)
            """,
        harm=_all_alike,
    ),
]

SILENT = [
    """
    import numpy as np
    import torch

    frames = []
    for step in range(3):
        buffer = np.zeros(4)  # another one in each turn
        buffer[:] = step
        frames.append(torch.from_numpy(buffer))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for append in scope.calls_to("append"):
        item = append["item"]
        made = item.made_only_by("from_numpy", "as_tensor") if item is not None else None
        array = (made["ndarray"] or made["data"]) if made is not None else None
        if made is None or array is None or not made.loops or len(array.places) != 1:
            continue
        for store in scope.calls_to("numpy.ndarray.__setitem__"):
            written = store["self"]
            if written is not None and written.places == array.places and made.loops[-1] in store.loops:
                fix = append_to(array.at, ".copy()", "Copy it first") if array.text.isidentifier() else None
                yield made.flag(
                    f"shares the memory of {array.quoted}, which is written again in each turn",
                    ((store.at, "written here"),),
                    fix=fix,
                )
                break
