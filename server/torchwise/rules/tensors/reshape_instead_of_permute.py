"""`view` or `reshape` is asked to put axes into another order, which it cannot.

`reshape` reads elements in their order and cuts them anew. From (batch, heads, time, size) to (batch,
time, heads * size) the sizes come out
right and the numbers do not: what belongs to one time step is torn apart. Move the axes first, with
`transpose` or `permute`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.permute.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Operand, Reading

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
    """
    import torch
    import torch.nn.functional as F

    def relative_shift(scores):  # each row one further than the one before it
        batch, queries, places = scores.shape
        wider = F.pad(scores, (1, 0))
        wider = wider.view(batch, places + 1, queries)
        return wider[:, 1:].view(batch, queries, places)

    shifted = relative_shift(torch.randn(2, 3, 5))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("view", "reshape"):
        source = call["input"]
        if source is None or source.is_parameter or _shifts(source):
            continue  # where a parameter's elements lie is a matter of its first values alone
        if moved := source.reordered_by(call):
            yield call.flag(
                f"reads {moved[0]} as {moved[1]}: that puts no axis elsewhere, the elements are cut anew; "
                "`permute` moves axes"
            )


def _shifts(source: Operand) -> bool:
    """Whether it is one half of a shift of rows against each other: padded by a column and cut anew, then the
    first row is dropped and the old shape put back.
    """
    made = source.made_only_by()
    if made is None or made.op in ("pad", "cat"):
        return made is not None
    inner = made["self"] if made.op == "getitem" else None
    cut = inner.made_only_by("view", "reshape") if inner is not None else None
    before = cut["input"] if cut is not None else None
    return before is not None and cut is not None and before.reordered_by(cut) is not None
