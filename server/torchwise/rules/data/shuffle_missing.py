"""The training loader gives the examples in the same order every epoch.

Where rows are sorted by class or time, every batch holds one kind, and the order is learned with the data. Loaders for
validation and test need no shuffling, an iterable dataset shuffles itself, and a sampler decides the order.

Source: https://docs.pytorch.org/docs/stable/data.html#data-loading-order-and-sampler
"""

import re
from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, WARNING, Call, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW607", WARNING, "06-data/loaders#batches"

EXAMPLES = [
    Example(
        bad="""
            train_loader = DataLoader(TensorDataset(rows, labels), batch_size=4)
                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `train_loader` does not shuffle
            kinds = [len(set(y.tolist())) for _, y in train_loader]
            """,
        good="""
            train_loader = DataLoader(TensorDataset(rows, labels), batch_size=4, shuffle=True)
            kinds = [len(set(y.tolist())) for _, y in train_loader]
            """,
        setup="""
            import torch
            from torch.utils.data import DataLoader, TensorDataset

            torch.manual_seed(0)
            rows, labels = torch.randn(8, 2), torch.tensor([0, 0, 0, 0, 1, 1, 1, 1])
            """,
        harm=lambda bad, good: bad["kinds"] == [1, 1] and good["kinds"] != [1, 1],
    ),
]

SILENT = [
    """
    import torch
    from torch.utils.data import DataLoader, RandomSampler, TensorDataset

    rows = TensorDataset(torch.randn(8, 2))
    train_loader = DataLoader(rows, sampler=RandomSampler(rows))
    test_loader = DataLoader(rows)
    """,
]
TRAINS = re.compile(r"(^|_)(train|trn|training)(_|$)|^(train|training)(loader|dl|set)")
KEPT = re.compile(
    r"(^|_)(eval|val|valid|test|seq|series|time|ordered|sorted|sequential|bn|plain|full|stat|stats)(_|$)"
)
FINITE = ("torch.utils.data.TensorDataset", "torch.utils.data.Subset")


def check(scope: Reading) -> Iterator[Flag]:
    for loader in scope.calls_to("DataLoader"):
        names = [n.lower() for n in scope.names_of(loader.ref)]
        trains = any(TRAINS.search(n) and not KEPT.search(n) for n in names)
        if trains and not loader.open and not _ordered(loader):
            source = loader["dataset"]
            certain = source is not None and any(source.is_a(cls) for cls in FINITE)
            text = names[0]
            yield loader.flag(f"`{text}` does not shuffle: every epoch brings the same batches in the "
                              "same order",
                              level=None if certain else HINT)  # fmt: skip


def _ordered(loader: Call) -> bool:
    """Whether something else decides the order, or shuffling was thought of."""
    return any(name in loader for name in ("shuffle", "sampler", "batch_sampler"))
