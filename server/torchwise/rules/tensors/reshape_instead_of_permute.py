"""`view` or `reshape` is asked to put axes into another order, which it cannot.

`reshape` reads elements in their order and cuts them anew. From (batch, heads, time, size) to (batch,
time, heads * size) the sizes come out
right and the numbers do not: what belongs to one time step is torn apart. Move the axes first, with
`transpose` or `permute`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.permute.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW330", WARNING, "02-tensors/views#reshaping-is-not-reordering"


def _torn_apart(bad: dict[str, object], good: dict[str, object]) -> bool:
    return bad["merged"].shape == good["merged"].shape and not bad["merged"].equal(good["merged"])  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            merged = heads.reshape(2, 7, 32)
                     ^^^^^^^^^^^^^^^^^^^^^^^ reads (4, 7, 8) as (7, 32)
            """,
        good="""
            merged = heads.transpose(1, 2).reshape(2, 7, 32)
            """,
        setup="""
            import torch

            heads = torch.randn(2, 4, 7, 8)
            """,
        harm=_torn_apart,
    ),
]

SILENT = [
    """
    import torch

    tokens = torch.randn(2, 7, 32)
    heads = tokens.view(2, 7, 4, 8)  # splits an axis
    rows = heads.view(14, 4, 8).flatten(1)  # merges neighbours
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("view", "reshape"):
        source = call["input"]
        if source is not None and (moved := source.reordered_by(call)):
            yield call.flag(
                f"reads {moved[0]} as {moved[1]}: that puts no axis elsewhere, the elements are cut anew; "
                "`permute` moves axes"
            )
