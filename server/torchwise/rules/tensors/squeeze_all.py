"""`squeeze()` without an axis also takes the batch away, where it has one example.

`model(x).squeeze()` of (1, 1) is a number without axes, not (1,): a loss that broadcasts, an index that
is out of range, a `len` that fails. It shows on the last batch of an epoch, or when one example is
scored. Name the axis: `squeeze(-1)`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.squeeze.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, WARNING, Example, Flag, Reading
from torchwise.rules.vocabulary.fitting import batch_of

CODE, LEVEL, LESSON = "TW338", WARNING, "02-tensors/indexing#axes-of-size-one"


def _no_axis_left(bad: dict[str, object], good: dict[str, object]) -> bool:
    return bad["scores"].dim() == 0 and good["scores"].dim() == 1  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            for (points,) in loader:
                scores = head(points).squeeze()
                         ^^^^^^^^^^^^^^^^^^^^^^ the last batch has 1 example
            """,
        good="""
            for (points,) in loader:
                scores = head(points).squeeze(1)
            """,
        setup="""
            import torch
            from torch import nn
            from torch.utils.data import DataLoader, TensorDataset

            loader = DataLoader(TensorDataset(torch.randn(9, 3)), batch_size=4)
            head = nn.Linear(3, 1)
            """,
        harm=_no_axis_left,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    loader = DataLoader(TensorDataset(torch.randn(8, 3)), batch_size=4)
    head = nn.Linear(3, 1)
    for (points,) in loader:
        scores = head(points).squeeze()  # all batches have four
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("squeeze"):
        source = call["input"] or call["self"]
        batch = batch_of(source) if source is not None and "dim" not in call else None
        if batch is None:
            continue
        if batch.last == 1:
            yield call.flag(
                "the last batch has 1 example: `squeeze()` takes that axis away too; name the axis"
            )
        elif batch.last == 0:
            yield call.flag("a batch of 1 example would lose its axis too: name the axis", level=HINT)
