"""An attribute is set through one part of a split, and all parts share the dataset.

`random_split` and `Subset` copy nothing: `val.dataset` and `train.dataset` are one object.
`val.dataset.transform = plain` takes the augmentation from the training examples as well; of two
assignments the last holds for both. Make a dataset for each transform and take a `Subset` of each with the
same indices, or let each part wrap its own transform.

Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.Subset
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW616", WARNING, "06-data/datasets#what-torch-brings"

EXAMPLES = [
    Example(
        bad="""
            full = Rows(noisy)
            train, val = random_split(full, [6, 2])
            val.dataset.transform = plain
            ^^^^^^^^^^^^^^^^^^^^^ sets `transform` for all parts of the split
            loader = DataLoader(train, batch_size=2)
            drawn = [list(loader) for epoch in range(2)]
            """,
        good="""
            train, val = random_split(Rows(noisy), [6, 2])
            val.dataset = Rows(plain)
            loader = DataLoader(train, batch_size=2)
            drawn = [list(loader) for epoch in range(2)]
            """,
        setup="""
            import torch
            from torch.utils.data import DataLoader, Dataset, random_split

            class Rows(Dataset):
                def __init__(self, transform):
                    self.rows, self.transform = torch.zeros(8, 3), transform

                def __len__(self):
                    return 8

                def __getitem__(self, i):
                    return self.transform(self.rows[i])

            def noisy(row):
                return row + torch.randn(3)

            def plain(row):
                return row
            """,
        harm=lambda bad, good: (
            not any(x.any() for epoch in bad["drawn"] for x in epoch)  # type: ignore[attr-defined]
            and all(x.any() for epoch in good["drawn"] for x in epoch)  # type: ignore[attr-defined]
        ),
    ),
]

_SETUP = """
    import torch
    from torch.utils.data import DataLoader, Dataset, random_split

    class Rows(Dataset):
        def __init__(self, transform=None):
            self.rows, self.transform = torch.zeros(8, 3), transform

        def __len__(self):
            return 8

        def __getitem__(self, i):
            row = self.rows[i]
            return row if self.transform is None else self.transform(row)

    def noisy(row):
        return row + torch.randn(3)

    def plain(row):
        return row

    train, val = random_split(Rows({}), [6, 2])
    train_loader, val_loader = DataLoader(train, batch_size=2), DataLoader(val, batch_size=2)
    """

SILENT = [
    _SETUP.format("noisy")
    + """
    for epoch in range(3):
        train.dataset.transform = noisy
        for batch in train_loader:
            print(batch)
        val.dataset.transform = plain  # each before its own turn
        for batch in val_loader:
            print(batch)
    """,
    _SETUP.format("")
    + """
    train.dataset.transform = plain  # there was none: meant for all, perhaps
    for batch in val_loader:
        print(batch)
    """,
    _SETUP.format("noisy")
    + """
    for batch in train_loader:
        print(batch)
    val.dataset.transform = plain
    seen = [batch for batch in train_loader]  # once more, without noise
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for walk in scope.happenings("set-for-all"):
        yield Flag(
            walk.because[0],
            f"sets `{walk.detail}` for all parts of the split: they share one dataset",
            because=((walk.at, "goes through another part"),),
        )
