"""Something is added at indices that may come twice, and is added once.

`counts[classes] += 1` reads all the places, adds, and writes all of them back: an index that comes five
times is counted once. `index_add_`,
`scatter_add_`, `index_put_(..., accumulate=True)` and `torch.bincount` count all of them.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW327", WARNING, "02-tensors/indexing#gather-one-entry-per-position"


def _some_are_lost(bad: dict[str, object], good: dict[str, object]) -> bool:
    return bool(bad["counts"].sum() < good["counts"].sum())  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            predicted = scores.argmax(dim=1)
            counts[predicted] += 1
            ^^^^^^^^^^^^^^^^^^^^^^ counts an index that comes twice only once
            """,
        good="""
            predicted = scores.argmax(dim=1)
            counts += torch.bincount(predicted, minlength=3)
            """,
        setup="""
            import torch

            counts, scores = torch.zeros(3), torch.ones(6, 3)
            """,
        harm=_some_are_lost,
    ),
]

SILENT = [
    """
    import torch

    rows, kinds = torch.randn(4, 8), torch.randint(0, 8, (4,))
    for i in range(4):
        rows[i, kinds[i]] += 1.5  # one element at a time
    """,
    """
    import torch

    counts, rows = torch.zeros(8, 3), torch.arange(8)
    counts[rows, torch.ones(8, 3).argmax(dim=1)] += 1  # each row once
    counts[counts > 1] += 1  # a mask
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for store in scope.calls_to("setitem"):
        value, index = store["value"], store["index"]
        added = value.made_only_by("add", "add_", "sub", "sub_") if value is not None else None
        if (
            index is None
            or added is None
            or (first := added["input"]) is None
            or first.made_only_by("getitem") is None
        ):
            continue
        natures = index.natures_of_parts
        if "repeating" in natures and "distinct" not in natures and "positions" not in natures:
            yield store.flag("counts an index that comes twice only once", part="statement")
