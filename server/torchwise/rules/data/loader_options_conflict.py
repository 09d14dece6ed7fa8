"""A DataLoader gets options that exclude each other.

A sampler, a batch sampler and an iterable dataset each decide the order, so `shuffle` cannot; a batch
sampler decides the
batches; `prefetch_factor` and `persistent_workers` need workers.

Source: https://docs.pytorch.org/docs/stable/data.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW601", ERROR, "06-data/loaders#batches"

EXAMPLES = [
    Example(
        bad="""
            batches = DataLoader(Clicks(), batch_size=4, shuffle=True)
                                                                 ^^^^ `shuffle` excludes an IterableDataset
            """,
        good="""
            batches = DataLoader(Clicks(), batch_size=4)
            """,
        setup="""
            import torch
            from torch.utils.data import DataLoader, IterableDataset

            class Clicks(IterableDataset):
                def __iter__(self):
                    return iter(torch.arange(8))
            """,
        harm=ValueError,
    ),
]

SILENT = [
    """
    from torch.utils.data import DataLoader, RandomSampler

    def loader(rows, train):
        sampler = RandomSampler(rows) if train else None
        return DataLoader(rows, sampler=sampler, shuffle=sampler is None)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for loader in scope.calls_to("DataLoader"):
        for clash in loader.breaks("option"):
            option = loader[clash.param]
            message = f"`{clash.param}` excludes {clash.axis or ''}".rstrip()
            if clash.axis == "num_workers":
                message = f"`{clash.param}` needs `num_workers` above 0"
            yield option.flag(message) if option is not None else loader.flag(message)
