"""A dataset draws from a generator of its own, and worker processes each get a copy of it.

The global generators of torch, numpy and random are seeded anew in each worker. A
`np.random.default_rng(seed)` or
`torch.Generator` kept in the dataset is copied as it is: all workers draw the same numbers, and in every
epoch again.

Source: https://docs.pytorch.org/docs/stable/data.html#randomness-in-multi-process-data-loading
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW604", WARNING, "06-data/loaders#random-numbers-in-workers"

EXAMPLES = [
    Example(
        bad="""
            drawn = [x.item() for x in DataLoader(Noise(7), batch_size=1, num_workers=2)]
                                                  ^^^^^^^^ draw the same numbers
            """,
        good="""
            drawn = [x.item() for x in DataLoader(Noise(7), batch_size=1)]
            """,
        setup="""
            import numpy as np
            from torch.utils.data import DataLoader, Dataset

            class Noise(Dataset):
                def __init__(self, seed):
                    self.rng = np.random.default_rng(seed)

                def __len__(self):
                    return 4

                def __getitem__(self, index):
                    return self.rng.random()
            """,
        harm=lambda bad, good: len(set(bad["drawn"])) == 2 and len(set(good["drawn"])) == 4,  # type: ignore[call-overload]
    ),
]

SILENT = [
    """
    import numpy as np
    from torch.utils.data import DataLoader, Dataset

    class Noise(Dataset):
        def __init__(self, seed):
            self.rng = np.random.default_rng(seed)

        def __len__(self):
            return 4

        def __getitem__(self, index):
            return self.rng.random()

    def reseed(worker):
        ...

    loader = DataLoader(Noise(7), num_workers=2, worker_init_fn=reseed)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for loader in scope.calls_to("DataLoader"):
        for kept in loader.breaks("copied-generator"):
            source = loader["dataset"]
            if source is not None:
                yield source.flag(
                    f"each worker gets a copy of `{kept.axis}` of `{source.text}`: all of them draw the "
                    "same numbers, every epoch",
                    because=scope.made(kept.because, "the generator"),
                )
