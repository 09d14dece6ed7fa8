"""`~` is applied to a mask of integers.

For bools `~` is "not". For integers it flips all bits: `~1` is -2 and `~0` is -1, so both count as true
and, as weights, are negative. Invert
the comparison before it is converted.

Source: https://docs.pytorch.org/docs/stable/generated/torch.bitwise_not.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW321", WARNING, "02-tensors/indexing#masks"


def _negative(bad: dict[str, object], good: dict[str, object]) -> bool:
    return bool((bad["weight"] < 0).all() and (good["weight"] >= 0).all())  # type: ignore[operator,attr-defined]


EXAMPLES = [
    Example(
        bad="""
            padding = (ids == 0).long()
            weight = ~padding
                     ^^^^^^^^ `padding` is int64
            """,
        good="""
            padding = ids == 0
            weight = (~padding).long()
            """,
        setup="""
            import torch

            ids = torch.tensor([4, 7, 0, 0])
            """,
        harm=_negative,
    ),
]

SILENT = [
    """
    import torch

    flags = torch.tensor([1, 2, 4])
    cleared = flags & ~torch.tensor(2)  # bits are meant
    """,
]

WHOLE = ("int64", "int32", "int16", "int8", "uint8")


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("bitwise_not"):
        mask = call["input"]
        tensor = mask.tensor if mask is not None else None
        if (
            mask is not None
            and tensor is not None
            and tensor.dtype in WHOLE
            and tensor.nature in ("keep", "drop", "flags")
        ):
            yield call.flag(
                f"{mask.quoted} is {tensor.dtype}: `~` makes -1 and -2 of 0 and 1",
                tuple((site, "converted here") for site in mask.origins[:1]),
            )
