"""The size of a batch is taken from the settings, and the last batch is smaller.

A loader without `drop_last=True` hands out what is left over as its last batch. A hidden state, a mask
or a `view` that was made for `batch_size` examples fails there, at the end of the first epoch. Take the
size from the batch: `x.size(0)`.

Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW335", ERROR, "06-data/loaders#batches"

EXAMPLES = [
    Example(
        bad="""
            for (points,) in loader:
                steps, last = rnn(points, torch.zeros(1, 4, 8))
                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the last batch has 2 examples, not 4
            """,
        good="""
            for (points,) in loader:
                steps, last = rnn(points, torch.zeros(1, points.size(0), 8))
            """,
        setup="""
            import torch
            from torch import nn
            from torch.utils.data import DataLoader, TensorDataset

            loader = DataLoader(TensorDataset(torch.randn(10, 5, 3)), batch_size=4)
            rnn = nn.GRU(3, 8, batch_first=True)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    loader = DataLoader(TensorDataset(torch.randn(10, 5, 3)), batch_size=4)
    rnn = nn.GRU(3, 8, batch_first=True)
    first = next(iter(loader))[0]
    steps, last = rnn(first, torch.zeros(1, 4, 8))  # the first batch is full
    for (points,) in loader:
        if points.size(0) < 4:
            continue  # the last one is passed over
        steps, last = rnn(points, torch.zeros(1, 4, 8))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("short-batch"):
        for broken in call.breaks("short-batch"):
            yield call.flag(f"{broken.message}: {call.tell_plainly(broken)}")
            break
