"""Something is added to a tensor that nobody wrote.

`torch.empty` takes memory as it is: whatever was there before, often zeros, sometimes NaN. As the start
of a sum it makes results that differ from run to run. `torch.zeros` costs next to nothing.

Source: https://docs.pytorch.org/docs/stable/generated/torch.empty.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW342", WARNING, "02-tensors/making#memory-that-nobody-wrote"


def _left_over(bad: dict[str, object], good: dict[str, object]) -> bool:
    """The memory is that of numbers that were given up just before."""
    return bad["start"]() != 6.0 or good["start"]() == 6.0  # type: ignore[operator]


EXAMPLES = [
    Example(
        bad="""
            def start():
                total = torch.empty(3)
                total += 2
                ^^^^^ was made by `torch.empty`
                return total.sum().item()
            """,
        good="""
            def start():
                total = torch.zeros(3)
                total += 2
                return total.sum().item()
            """,
        setup="""
            import torch
            """,
        harm=_left_over,
    ),
]

SILENT = [
    """
    import torch

    def gather(rows):
        total = torch.empty(3)
        total[0].fill_(1.0)  # written through a view
        total += 2
        filled = torch.empty(4, 3)
        for i, row in enumerate(rows):
            filled[i] = row
        filled *= 2
        return total, filled
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for read in scope.happenings("unwritten-read"):
        call = scope.call_made(read.ref)
        target = call.written if call is not None else None
        place = target.at if target is not None else read.at
        yield Flag(
            place,
            "was made by `torch.empty`, and nobody has written to it: this starts from whatever is in the memory",
            because=((read.because[0], "made here"),),
        )
