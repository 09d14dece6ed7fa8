"""A list holds one tensor several times, and an element of it is changed in place.

`[torch.zeros(4)] * 3` makes one tensor and three references to it: what is written to one element shows in all of them.
A comprehension makes one for each place: `[torch.zeros(4) for _ in range(3)]`.

Source: https://docs.python.org/3/faq/programming.html#how-do-i-create-a-multidimensional-list
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW346", WARNING, "02-tensors/views#in-place-operations"

EXAMPLES = [
    Example(
        bad="""
            traces = [torch.zeros(4)] * 3
                     ^^^^^^^^^^^^^^^^^^^^ holds one tensor in all places
            traces[0].add_(1.0)
            others = traces[1].sum()
            """,
        good="""
            traces = [torch.zeros(4) for _ in range(3)]
            traces[0].add_(1.0)
            others = traces[1].sum()
            """,
        setup="""
            import torch
            """,
        harm=lambda bad, good: bad["others"].item() == 4.0 and good["others"].item() == 0.0,  # type: ignore[attr-defined]
    ),
    Example(
        bad="""
            class Buffers:
                def __init__(self, count):
                    self.sums = [torch.zeros(2)] * count
                                ^^^^^^^^^^^^^^^^^^^^^^^^ holds one tensor in all places

                def add(self, place, row):
                    self.sums[place] += row

            buffers = Buffers(2)
            buffers.add(0, torch.ones(2))
            others = buffers.sums[1].sum()
            """,
        good="""
            class Buffers:
                def __init__(self, count):
                    self.sums = [torch.zeros(2) for _ in range(count)]

                def add(self, place, row):
                    self.sums[place] += row

            buffers = Buffers(2)
            buffers.add(0, torch.ones(2))
            others = buffers.sums[1].sum()
            """,
        setup="""
            import torch
            """,
        harm=lambda bad, good: bad["others"].item() == 2.0 and good["others"].item() == 0.0,  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    cell = nn.RNNCell(4, 4)
    states = [torch.zeros(1, 4)] * 3
    for layer in range(3):
        states[layer] = cell(states[layer])  # another tensor takes the place
    """,
    """
    import torch

    padding = [torch.zeros(4)] * 3
    rows = torch.stack(padding + [torch.ones(4)])  # only read
    rows += 1
    """,
    """
    import torch

    alone = [torch.zeros(4)] * 1
    alone[0].add_(1.0)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for write in scope.seen("listed-again-written"):
        if write.made_by_nature is not None:
            yield Flag(
                write.made_by_nature,
                "holds one tensor in all places: what is written to one of them shows in all",
                because=((write.at, "an element is changed here"),),
            )
