"""The training loader gives the examples in the same order every epoch.

Where rows are sorted by class or time, every batch holds one kind, and the order is learned with the data. Loaders for
validation and test need no shuffling, an iterable dataset shuffles itself, and a sampler decides the order.

Source: https://docs.pytorch.org/docs/stable/data.html#data-loading-order-and-sampler
"""

import re
from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, WARNING, Call, Example, Flag, Reading
from torchwise.rules.vocabulary.fitting import texts_of

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
    Example(
        bad="""
            loaders = {name: DataLoader(rows, batch_size=4, shuffle=name == "training") for name in ("train", "val")}
                                                                    ^^^^^^^^^^^^^^^^^^ is never true here
            kinds = [len(set(y.tolist())) for (y,) in loaders["train"]]
            """,
        good="""
            loaders = {name: DataLoader(rows, batch_size=4, shuffle=name == "train") for name in ("train", "val")}
            kinds = [len(set(y.tolist())) for (y,) in loaders["train"]]
            """,
        setup="""
            import torch
            from torch.utils.data import DataLoader, TensorDataset

            torch.manual_seed(0)
            rows = TensorDataset(torch.tensor([0, 0, 0, 0, 1, 1, 1, 1]))
            """,
        harm=lambda bad, good: bad["kinds"] == [1, 1] and good["kinds"] != [1, 1],
    ),
]

SILENT = [
    """
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    rows = TensorDataset(torch.randn(8, 2))
    loaders = {split: DataLoader(rows, shuffle=split == "train") for split in ("train", "test")}
    test = {split: DataLoader(rows, shuffle=split == "train") for split in ("val", "test")}
    """,
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
        named = [n.lower() for n in scope.names_of(loader.ref)]
        trains = any(TRAINS.search(n) and not KEPT.search(n) for n in named)
        if trains and not loader.open and not _ordered(loader):
            source = loader["dataset"]
            certain = source is not None and any(source.is_a(cls) for cls in FINITE)
            text = named[0]
            yield loader.flag(f"`{text}` does not shuffle: every epoch brings the same batches in the "
                              "same order",
                              level=None if certain else HINT)  # fmt: skip
        shuffle = loader["shuffle"]
        compared = scope.call_of(shuffle.ref) if shuffle is not None else None
        if shuffle is not None and compared is not None and compared.op == "eq" and shuffle.constant is False:
            both = {n for o in compared.operands for n in texts_of(o) if TRAINS.search(n)}
            if len(both) > 1:  # the one it is compared with, and one that it is called
                yield shuffle.flag(f"is never true here: {' and '.join(f'`{n}`' for n in sorted(both))} "
                                   "are two names, and no set is shuffled")  # fmt: skip


def _ordered(loader: Call) -> bool:
    """Whether something else decides the order, or shuffling was thought of."""
    return any(name in loader for name in ("shuffle", "sampler", "batch_sampler"))
