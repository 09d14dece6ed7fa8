"""A square matrix is combined with a reduction of its rows, which is laid along the columns.

`x.sum(dim=1)` is (N,), and (N,) stretches along the *last* axis: `x / x.sum(dim=1)` divides each column,
not each row. For a matrix that is not square torch raises; for a square one it is silently wrong. Keep
the axis: `keepdim=True`.

Source: https://docs.pytorch.org/docs/stable/notes/broadcasting.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading
from torchwise.rules.vocabulary.fitting import reduced_from

CODE, LEVEL, LESSON = "TW337", WARNING, "02-tensors/operations#when-broadcasting-refuses-and-when-it-does-not"


def _rows_differ(bad: dict[str, object], good: dict[str, object]) -> bool:
    sums = [ns["shares"].sum(dim=1) for ns in (bad, good)]  # type: ignore[attr-defined]
    return bool((sums[0] - 1).abs().max() > 0.01 and (sums[1] - 1).abs().max() < 0.01)


EXAMPLES = [
    Example(
        bad="""
            shares = counts / counts.sum(dim=1)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^ lays (4,), one for each row, along the columns
            """,
        good="""
            shares = counts / counts.sum(dim=1, keepdim=True)
            """,
        setup="""
            import torch

            counts = torch.arange(1.0, 17.0).view(4, 4)
            """,
        harm=_rows_differ,
    ),
    Example(
        bad="""
            total = counts.sum(dim=1)
            shares = counts / total.clamp(min=1e-6)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ lays (4,), one for each row, along the columns
            """,
        good="""
            total = counts.sum(dim=1, keepdim=True)
            shares = counts / total.clamp(min=1e-6)
            """,
        setup="""
            import torch

            counts = torch.arange(1.0, 17.0).view(4, 4)
            """,
        harm=_rows_differ,
    ),
]

SILENT = [
    """
    import torch

    counts = torch.rand(4, 4)
    shares = counts / counts.sum(dim=0)  # one for each column
    centred = counts - counts.mean(dim=1, keepdim=True)
    scale = counts.sum(dim=1).clamp(min=1).rsqrt()
    both = (counts * scale).T * scale  # the columns, then the rows
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("div", "sub", "mul", "add", "div_", "sub_", "gt", "ge", "lt", "le", "eq"):
        found = reduced_from(call)
        if found is not None:
            whole, part = found
            yield call.flag(
                f"lays {part.sizes}, one for each row, along the columns of {whole.quoted}: `keepdim=True` keeps "
                "the axis that was reduced"
            )
