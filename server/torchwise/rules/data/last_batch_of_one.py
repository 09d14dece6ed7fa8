"""The last batch of a loader holds one example, and a BatchNorm layer trains on it.

Where the number of examples is one more than a multiple of the batch size, each epoch ends with a batch of
one. In train mode BatchNorm needs more than one value for each channel and raises ValueError. Use
`drop_last=True`, or another batch size.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm1d.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import CALLER, ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW610", ERROR, "06-data/loaders#batches"

EXAMPLES = [
    Example(
        bad="""
            net = nn.Sequential(nn.Linear(2, 4, bias=False), nn.BatchNorm1d(4))
            loader = DataLoader(TensorDataset(torch.randn(33, 2)), batch_size=8)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ gives a last batch of one example
            for (x,) in loader:
                out = net(x)
            """,
        good="""
            net = nn.Sequential(nn.Linear(2, 4, bias=False), nn.BatchNorm1d(4))
            loader = DataLoader(TensorDataset(torch.randn(33, 2)), batch_size=8, drop_last=True)
            for (x,) in loader:
                out = net(x)
            """,
        setup="""
            import torch
            from torch import nn
            from torch.utils.data import DataLoader, TensorDataset
            """,
        harm=ValueError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    net = nn.Sequential(nn.Linear(2, 4, bias=False), nn.BatchNorm1d(4))
    loader = DataLoader(TensorDataset(torch.randn(34, 2)), batch_size=8)  # ends with two
    for (x,) in loader:
        out = net(x)
    net.eval()
    for (x,) in DataLoader(TensorDataset(torch.randn(33, 2)), batch_size=8):
        out = net(x)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("last-batch"):
        for broken in call.breaks("last-batch"):
            loader = call.loader_of(broken)
            if loader is not None:
                message = (
                    "gives a last batch of one example, which BatchNorm normalises: in train mode that raises"
                )
                yield Flag(loader, message, because=((call.at, "normalised here"),))
                continue
            message = "normalises the last batch, which holds one example: in train mode that raises"
            inside = scope.in_module and scope.name == "forward"
            at = CALLER if inside else call.at
            yield Flag(at, message, because=((call.at, "normalised here"),) if inside else ())
