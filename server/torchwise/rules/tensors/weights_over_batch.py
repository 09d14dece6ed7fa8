"""Weights add up to 1 along one axis, and are summed along another.

`softmax(scores, dim=0)` of (batch, steps) lets the examples of a batch compete: the weights of one example do not add up to
1, and change with what else is in the batch. Weights for a sum along an axis are normalised along that axis.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Operand, Reading

CODE, LEVEL, LESSON = "TW348", WARNING, "02-tensors/operations#reductions"


def _no_mean(bad: dict[str, object], good: dict[str, object]) -> bool:
    """Whether the weighted sum of ones is 1."""
    ones = [ns["pooled"].allclose(ns["steps"][:, 0]) for ns in (bad, good)]  # type: ignore[attr-defined, index]
    return ones == [False, True]


EXAMPLES = [
    Example(
        bad="""
            weights = torch.softmax(scores, dim=0)
                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ adds up to 1 along axis 0
            pooled = (weights.unsqueeze(-1) * steps).sum(dim=1)
            """,
        good="""
            weights = torch.softmax(scores, dim=1)
            pooled = (weights.unsqueeze(-1) * steps).sum(dim=1)
            """,
        setup="""
            import torch

            scores, steps = torch.randn(6, 20), torch.ones(6, 20, 4)
            """,
        harm=_no_mean,
    ),
]

SILENT = [
    """
    import torch

    nodes, scores = torch.randn(9, 4), torch.randn(9, 2)
    pooled = (scores.softmax(0).unsqueeze(-1) * nodes.unsqueeze(1)).sum(0)  # along the same axis
    heads = (scores.softmax(0).unsqueeze(-1) * nodes.unsqueeze(1)).sum((0, 1))
    """,
    """
    import torch

    layers = torch.randn(3, 5, 8)
    mixed = (torch.randn(3, 1, 1).softmax(0) * layers).sum(0)
    spread = layers.softmax(0).mean(1)  # no weighted sum
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for total in scope.calls_to("sum"):
        inside = total["input"]
        product = inside.made_only_by("mul") if inside is not None else None
        axes = _axes(total)
        if product is not None and axes and 0 not in axes:
            yield from _flags(product["input"], total)
            yield from _flags(product["other"], total)
    for product in scope.calls_to("matmul", "bmm"):
        weights = product["input"]
        if weights is not None and weights.tensor is not None and weights.tensor.rank == 3:
            yield from _flags(weights, product)


def _axes(total: Call) -> tuple[int, ...]:
    """The axes that are summed, counted from the front."""
    dim, inside = total["dim"], total["input"]
    asked = dim.constant if dim is not None else ...
    rank = inside.tensor.rank if inside is not None and inside.tensor is not None else None
    listed = asked if isinstance(asked, tuple) else (asked,)
    return tuple(d % rank for d in listed if isinstance(d, int)) if rank and ... not in listed else ()


def _flags(weights: Operand | None, total: Call) -> Iterator[Flag]:
    made = weights.made_by_nature if weights is not None and weights.nature == "probabilities" else None
    if made is not None:
        yield Flag(
            made,
            "adds up to 1 along axis 0, and the weighted sum goes along another axis: the weights in it do not",
            because=((total.at, "summed here"),),
        )
