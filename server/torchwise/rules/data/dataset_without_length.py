"""A map-style dataset without `__len__` is given to a DataLoader.

The default samplers ask the dataset how many examples it has, so the loader raises, at the latest when it
is iterated. An `IterableDataset` needs no
length, and neither does a loader with a sampler of its own.

Source: https://docs.pytorch.org/docs/stable/data.html#map-style-datasets
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW603", ERROR, "06-data/datasets#two-methods"

EXAMPLES = [
    Example(
        bad="""
            class Squares(Dataset):
                def __getitem__(self, index):
                    return index**2

            first = next(iter(DataLoader(Squares(), batch_size=4)))
                                         ^^^^^^^^^ has no `__len__`
            """,
        good="""
            class Squares(Dataset):
                def __getitem__(self, index):
                    return index**2

                def __len__(self):
                    return 16

            first = next(iter(DataLoader(Squares(), batch_size=4)))
            """,
        setup="from torch.utils.data import DataLoader, Dataset",
        harm=TypeError,
    ),
]

SILENT = [
    """
    from torch.utils.data import DataLoader, Dataset

    class Squares(Dataset):
        def __getitem__(self, index):
            return index**2

    squares = DataLoader(Squares(), sampler=range(4))  # nobody asks for the length
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for loader in scope.calls_to("DataLoader"):
        for _ in loader.breaks("length"):
            source = loader["dataset"]
            if source is not None:
                yield source.flag(f"`{source.text}` has no `__len__`: the default sampler cannot be made")
