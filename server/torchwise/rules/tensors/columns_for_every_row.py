"""A column is taken for every row, where one entry of each row is meant.

`q[:, actions]` gives all the columns in `actions` for each row: (N, N) for N actions. The entry of each
row is `q.gather(1, actions.unsqueeze(1)).squeeze(1)`, or `q[torch.arange(len(actions)), actions]`.
Combined with a (N,) target, the (N, N) broadcasts without a word.

Source: https://docs.pytorch.org/docs/stable/generated/torch.gather.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading
from torchwise.rules.vocabulary.fitting import a_column_for_each_row, picked_alike

CODE, LEVEL, LESSON = "TW336", WARNING, "02-tensors/indexing#lists-of-indices"


def _pairs(bad: dict[str, object], good: dict[str, object]) -> bool:
    return bad["taken"].numel() == good["taken"].numel() ** 2  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            taken = values[:, actions]
                    ^^^^^^^^^^^^^^^^^^ takes 5 columns of every row: the result is (5, 5)
            """,
        good="""
            taken = values.gather(1, actions.unsqueeze(1)).squeeze(1)
            """,
        setup="""
            import torch

            values, actions = torch.randn(5, 3), torch.tensor([0, 2, 1, 1, 0])
            """,
        harm=_pairs,
    ),
]

SILENT = [
    """
    import torch

    values = torch.randn(5, 8)
    shuffled = values[:, torch.randperm(8)]  # other columns for all rows alike
    some = values[:, torch.tensor([0, 3, 5])]
    mixed = values[:, torch.randperm(8)[:5]]  # five different ones
    """,
    """
    import torch

    def block(covariance, names, chosen):
        where = torch.tensor([names.index(name) for name in chosen])
        return covariance[where, :][:, where]  # rows and columns alike: a part of the square

    part = block(torch.eye(3), ["a", "b", "c"], ["c", "a"])
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("getitem"):
        source, index = call["self"] or call["input"], call["index"]
        if source is None or index is None or not a_column_for_each_row(index, source):
            continue
        if picked_alike(scope, index, source):
            continue
        columns = index.text.partition(",")[2].strip()
        fix = None
        if columns.isidentifier() and source.text.isidentifier():
            picked = f"{source.text}.gather(1, {columns}.unsqueeze(1)).squeeze(1)"
            fix = replace_with(call.at, picked, "Take one entry of each row", safe=False)
        yield call.flag(
            f"takes {source.size_of(0)} columns of every row: the result is {call.result_sizes}; "
            "`gather` takes one entry of each row",
            fix=fix,
        )
