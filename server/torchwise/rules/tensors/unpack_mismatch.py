"""A tensor, its shape or a tuple is unpacked into another number of names than it has elements.

`B, C, H, W = x.shape` says that x has four axes; `a, b = x` takes x apart along its first axis. Where the number is
another one, Python raises a ValueError. The batch axis is what is forgotten most often, and that `split` takes the size
of a part, not the number of parts.

Source: https://docs.pytorch.org/docs/stable/generated/torch.split.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW349", ERROR, "02-tensors/making#what-a-tensor-carries"

EXAMPLES = [
    Example(
        bad="""
            batch, channels, height, width = image.shape
                                             ^^^^^^^^^^^ has 3 elements, and 4 names take them
            """,
        good="""
            channels, height, width = image.shape
            """,
        setup="import torch\n\nimage = torch.randn(3, 32, 32)",
        harm=ValueError,
    ),
    Example(
        bad="""
            query, key, value = mixed.split(3, dim=-1)
                                ^^^^^^^^^^^^^^^^^^^^^^ has 4 elements, and 3 names take them
            """,
        good="""
            query, key, value = mixed.split(4, dim=-1)
            """,
        setup="import torch\n\nmixed = torch.randn(2, 5, 12)",
        harm=ValueError,
    ),
]

SILENT = [
    """
    import torch

    def size(x):
        if x.dim() == 4:
            batch, channels, height, width = x.shape
        else:
            channels, height, width = x.shape
        first, *rest = x.shape
        return height * width

    size(torch.randn(3, 8, 8))
    size(torch.randn(2, 3, 8, 8))
    """,
    """
    import torch

    def folded(x):
        try:
            batch, channels, length = x.shape
        except ValueError:
            batch, channels = x.shape
        return batch * channels

    folded(torch.randn(3, 8))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for unpacked in scope.happenings("unpack", always=True):
        value = scope.unpacked(unpacked.ref)
        # what a caller handed over may go together with a test, though nothing shows it
        own = (
            any(scope.holds(site) for site in unpacked.tensor.calls) if unpacked.tensor is not None else False
        )
        if value is not None and value not in scope.guarded and (own or scope.always(unpacked.ref)):
            have, take = unpacked.detail.split(":")
            names = "1 name takes" if take == "1" else f"{take} names take"
            yield scope.flag(value, f"has {have} element{'s' * (have != '1')}, and {names} them")
