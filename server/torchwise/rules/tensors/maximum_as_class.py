"""The largest score is compared with labels, where its position is meant.

`torch.max(scores, dim=1)` gives values and indices, in this order. The class is the index: `[1]`,
`.indices`, or `scores.argmax(dim=1)`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.max.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW331", WARNING, "02-tensors/operations#values-and-positions"


def _none_is_right(bad: dict[str, object], good: dict[str, object]) -> bool:
    return bad["right"] == 0 and good["right"] == 3


EXAMPLES = [
    Example(
        bad="""
            predicted, _ = scores.max(dim=1)
            right = (predicted == labels).sum().item()
                     ^^^^^^^^^^^^^^^^^^^ compares the largest values with class indices
            """,
        good="""
            _, predicted = scores.max(dim=1)
            right = (predicted == labels).sum().item()
            """,
        setup="""
            import torch

            scores, labels = torch.eye(3) * 7.5, torch.tensor([0, 1, 2])
            """,
        harm=_none_is_right,
    ),
]

SILENT = [
    """
    import torch

    scores = torch.randn(5, 3)
    top = (scores == scores.max(dim=1, keepdim=True).values)  # values with values
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for compared in scope.calls_to("eq", "ne"):
        sides = [o for o in (compared["input"], compared["other"]) if o is not None]
        for one, other in (sides, sides[::-1]) if len(sides) == 2 else ():
            labels = other.tensor
            if (
                labels is not None
                and labels.dtype == "int64"
                and labels.nature != "repeating"
                and one.values_of("max")
            ):
                yield compared.flag(
                    "compares the largest values with class indices: the classes are `[1]`, or `argmax`"
                )
