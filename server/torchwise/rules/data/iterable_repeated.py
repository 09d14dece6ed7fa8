"""Several workers each go through all of an iterable dataset.

Every worker process gets a copy of the dataset and iterates it from start to end, so each example comes
once per worker. Let `__iter__` ask `torch.utils.data.get_worker_info()` and take its share, or set the
share in a `worker_init_fn`.

Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW612", WARNING, "06-data/datasets#streams"

EXAMPLES = [
    Example(
        bad="""
            class Stream(IterableDataset):
                def __iter__(self):
                    return iter(range(6))

            loader = DataLoader(Stream(), batch_size=None, num_workers=2)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ each of the workers
            total = sum(1 for _ in loader)
            """,
        good="""
            class Stream(IterableDataset):
                def __iter__(self):
                    worker = get_worker_info()
                    return iter(range(worker.id, 6, worker.num_workers))

            loader = DataLoader(Stream(), batch_size=None, num_workers=2)
            total = sum(1 for _ in loader)
            """,
        setup="from torch.utils.data import DataLoader, IterableDataset, get_worker_info",
        harm=lambda bad, good: bad["total"] == 12 and good["total"] == 6,
    ),
]

SILENT = [
    """
    from torch.utils.data import DataLoader, IterableDataset

    class Stream(IterableDataset):
        def __iter__(self):
            return iter(range(6))

    def take_share(worker_id):
        pass

    alone = DataLoader(Stream(), batch_size=None, num_workers=1)
    shared = DataLoader(Stream(), batch_size=None, num_workers=2, worker_init_fn=take_share)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for made in scope.seen("iterable-repeated"):
        yield made.flag(
            "each of the workers goes through all of the dataset: every example comes several times",
            because=tuple((site, "the dataset does not ask for its share") for site in made.because),
        )
