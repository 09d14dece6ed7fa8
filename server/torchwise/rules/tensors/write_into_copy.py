"""Something is written into what an index with a mask or a list has copied out.

`x[:, 0]` is a view, and `x[mask]` a copy, for what a mask picks lies anywhere. So `x[mask][:, 0] = 0` and
`x[mask].zero_()` change a tensor that is gone right after, and `x` stays what it was. Write with one index,
`x[mask, 0] = 0`; for rows and columns both picked by lists, `x[rows.nonzero(), columns] = 0`.

Source: https://docs.pytorch.org/docs/stable/tensor_view.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Operand, Reading
from torchwise.rules.vocabulary.fitting import picks

CODE, LEVEL, LESSON = "TW350", WARNING, "02-tensors/views#slices-are-views-masks-and-lists-are-copies"

EXAMPLES = [
    Example(
        bad="""
            x[broken][:, 0] = 0.0
            ^^^^^^^^^^^^^^^^^^^^^ writes into a copy, `x[broken]`: `x` stays as it is
            """,
        good="""
            x[broken, 0] = 0.0
            """,
        setup="""
            import torch

            x = torch.ones(3, 2)
            broken = torch.tensor([True, False, True])
            """,
        harm=lambda bad, good: bad["x"].all() and not good["x"].all(),  # type: ignore[attr-defined]
    ),
    Example(
        bad="""
            x[[0, 2]].zero_()
            ^^^^^^^^^^^^^^^^^ writes into a copy, `x[[0, 2]]`: `x` stays as it is
            """,
        good="""
            x[[0, 2]] = 0.0
            """,
        setup="""
            import torch

            x = torch.ones(3, 2)
            """,
        harm=lambda bad, good: bad["x"].all() and not good["x"].all(),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch

    x, mask = torch.ones(3, 2), torch.tensor([True, False, True])
    x[:, 0][mask] = 0.0  # into a view
    x[mask] += 1.0  # put back
    picked = x[mask]
    picked[:, 0] = 0.0  # it has a name
    doubled = x[mask].mul_(2)
    x[torch.tensor(1)][0] = 5.0  # one position: a view
    """,
    """
    import torch

    def clear(table, rows):
        table[rows][0] = 0.0  # of what kind the rows are, nobody knows

    class Table:
        def __getitem__(self, rows):
            return self.view

    clear(Table(), 1)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls():
        target = call.written
        if target is None or not (call.op == "setitem" or (call.op.endswith("_") and call.discarded)):
            continue
        copied = _copied(scope, target)
        if copied is not None and (source := copied["self"] or copied["input"]) is not None:
            yield call.flag(
                f"writes into a copy, `{copied.text}`: {source.quoted} stays as it is",
                part="statement",
            )


def _copied(scope: Reading, target: Operand) -> Call | None:
    """The index that has copied what is written to, where that has no name."""
    made = scope.call_made(target.ref)
    if made is None:
        return None
    source, index = made["self"] or made["input"], made["index"]
    if made.op == "getitem" and source is not None and index is not None and source.tensor is not None:
        if picks(index):
            return made
    viewed = source is not None and source.tensor is not None and made.gives_back(source)
    return _copied(scope, source) if viewed and source is not None else None
