"""A dataset returns None for an example.

A `__getitem__` that ends without a `return`, or returns None for what it cannot read, gives
`default_collate` something that it cannot put into a batch: TypeError. Choose another example, or filter in
a `collate_fn` of your own.

Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_collate
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW613", ERROR, "06-data/datasets#two-methods"

EXAMPLES = [
    Example(
        bad="""
            class Rows(Dataset):
                def __len__(self):
                    return 4

                def __getitem__(self, i):
                    row = torch.ones(2) * i
                    if i == 2:
                        return None
                    return row

            loader = DataLoader(Rows(), batch_size=4)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ gives None for some example
            first = next(iter(loader))
            """,
        good="""
            class Rows(Dataset):
                def __len__(self):
                    return 4

                def __getitem__(self, i):
                    row = torch.ones(2) * i
                    if i == 2:
                        return torch.zeros(2)
                    return row

            loader = DataLoader(Rows(), batch_size=4)
            first = next(iter(loader))
            """,
        setup="import torch\nfrom torch.utils.data import DataLoader, Dataset",
        harm=TypeError,
    ),
]

SILENT = [
    """
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Rows(Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            return None if i == 2 else torch.ones(2)

    def without_none(examples):
        return torch.stack([x for x in examples if x is not None])

    loader = DataLoader(Rows(), batch_size=4, collate_fn=without_none)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for made in scope.seen("example-none"):
        yield made.flag(
            "the dataset gives None for some example, which the default collate cannot put into a batch",
            because=tuple((site, "the dataset") for site in made.because),
        )
