"""A column meets a row, and every element is combined with every other.

(N, 1) and (N,) broadcast to (N, N). Model outputs (N, 1) and labels (N,) are a common pair: the loss is
then a mean over all pairs, it runs, and
the model learns the mean of the labels. Make both the same shape: `.squeeze(1)` the one or `.unsqueeze(1)`
the other.

Source: https://docs.pytorch.org/docs/stable/notes/broadcasting.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading
from torchwise.rules.vocabulary.fitting import on_a_grid, widened

CODE, LEVEL, LESSON = "TW329", WARNING, "02-tensors/operations#when-broadcasting-refuses-and-when-it-does-not"


def _wrong_number(bad: dict[str, object], good: dict[str, object]) -> bool:
    return bad["error"].numel() == good["error"].numel() ** 2  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            error = model(points) - labels
                    ^^^^^^^^^^^^^^^^^^^^^^ combines (8, 1) with (8,): the result is (8, 8)
            """,
        good="""
            error = model(points).squeeze(1) - labels
            """,
        setup="""
            import torch
            from torch import nn

            model = nn.Linear(4, 1)
            points, labels = torch.randn(8, 4), torch.randn(8)
            """,
        harm=_wrong_number,
    ),
]

SILENT = [
    """
    import torch

    rates, times = torch.rand(4), torch.arange(4) / 4
    waves = torch.sin(6.28 * (4 + 6 * rates[:, None]) * times)  # each rate at each time
    more = torch.rand(4, 1) * times
    """,
    """
    import torch

    values = torch.randn(8)
    differences = values[:, None] - values  # all pairs are meant
    columns = values.unsqueeze(1)
    distances = (columns - values).abs()
    past = values < values.view(-1, 1) + 1
    """,
]

PAIRWISE = (
    "sub", "add", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge", "pow", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "sub_",
    "add_", "mul_",
)  # fmt: skip


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to(*PAIRWISE):
        one, other = call["input"], call["other"] or call["target"]
        if one is None or other is None:
            continue
        for column, row in ((one, other), (other, one)):
            if column.is_column_of(row) and not widened(column) and not widened(row) and not on_a_grid(row):
                size = row.size_of(0)
                yield call.flag(
                    f"combines {column.sizes} with {row.sizes}: the result is {call.result_sizes}",
                    tuple((site, f"this is ({size}, 1)") for site in column.origins[:1]),
                )
                break
