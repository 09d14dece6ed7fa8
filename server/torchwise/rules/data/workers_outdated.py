"""A dataset changes between epochs, and persistent workers go on with the copy that they have.

Each worker gets a copy of the dataset when it starts. With `persistent_workers=True` that is once, in the first
epoch: an attribute that is set later (a level, an epoch, a flag) changes the dataset of this process alone. Leave
`persistent_workers` out, or keep the number where all processes see it: `torch.tensor(0).share_memory_()`.

Source: https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW617", WARNING, "06-data/loaders#what-workers-share"

EXAMPLES = [
    Example(
        bad="""
            rows = Rows()
            loader = DataLoader(rows, batch_size=4, num_workers=1, persistent_workers=True)
            for epoch in range(3):
                rows.level = epoch
                ^^^^^^^^^^ does not reach the workers: they keep the `level` of the first time
                for batch in loader:
                    seen.append(batch[0].item())
            """,
        good="""
            rows = Rows()
            loader = DataLoader(rows, batch_size=4, num_workers=1)
            for epoch in range(3):
                rows.level = epoch
                for batch in loader:
                    seen.append(batch[0].item())
            """,
        setup="""
            from torch.utils.data import DataLoader, Dataset

            class Rows(Dataset):
                def __init__(self):
                    self.level = 0

                def __len__(self):
                    return 4

                def __getitem__(self, i):
                    return self.level

            seen = []
            """,
        harm=lambda bad, good: bad["seen"] == [0, 0, 0] and good["seen"] == [0, 1, 2],
    ),
]

_SETUP = """
    from torch.utils.data import DataLoader, Dataset

    class Rows(Dataset):
        def __init__(self):
            self.noisy, self.epoch = False, 0

        def __len__(self):
            return 4

        def __getitem__(self, i):
            return 1 if self.noisy else 0

    rows = Rows()
    """

SILENT = [
    _SETUP
    + """
    noisy = DataLoader(rows, num_workers=2, persistent_workers=True)
    plain = DataLoader(rows, num_workers=2, persistent_workers=True)
    for epoch in range(3):
        rows.noisy = True  # each worker has what it had the first time
        for batch in noisy:
            print(batch)
        rows.noisy = False
        for batch in plain:
            print(batch)
    """,
    _SETUP
    + """
    loader = DataLoader(rows, num_workers=2, persistent_workers=True)
    for epoch in range(3):
        rows.epoch = epoch  # no example asks for it
        for batch in loader:
            print(batch)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for walk in scope.happenings("workers-outdated"):
        where, loader = walk.because
        yield Flag(
            scope.here(where),
            f"does not reach the workers: they keep the `{walk.detail}` of the first time",
            because=((loader, "the loader, whose workers stay"), (walk.at, "goes through it again")),
        )
