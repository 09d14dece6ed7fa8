"""An example is changed in place, and with it what the dataset has stored.

`self.rows[i]` is a view: `row += noise`, `row /= 255` or `row.mul_(gain)` on it, in `__getitem__` or in a
transform, writes into the dataset. The next epoch starts from there: noise adds up, scales multiply, the data
drift away. Work out a new tensor, or `clone()` first.

Source: https://docs.pytorch.org/docs/stable/tensor_view.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW615", WARNING, "02-tensors/views#in-place-operations"

EXAMPLES = [
    Example(
        bad="""
            class Rows(Dataset):
                def __init__(self, rows):
                    self.rows = rows

                def __len__(self):
                    return len(self.rows)

                def __getitem__(self, i):
                    row = self.rows[i]
                    row += 0.1 * torch.randn(3)
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^ changes what the dataset has stored
                    return row

            rows = torch.zeros(4, 3)
            loader = DataLoader(Rows(rows), batch_size=2)
            epochs = [list(loader) for epoch in range(2)]
            """,
        good="""
            class Rows(Dataset):
                def __init__(self, rows):
                    self.rows = rows

                def __len__(self):
                    return len(self.rows)

                def __getitem__(self, i):
                    row = self.rows[i]
                    row = row + 0.1 * torch.randn(3)
                    return row

            rows = torch.zeros(4, 3)
            loader = DataLoader(Rows(rows), batch_size=2)
            epochs = [list(loader) for epoch in range(2)]
            """,
        setup="""
            import torch
            from torch.utils.data import DataLoader, Dataset
            """,
        harm=lambda bad, good: bad["rows"].any() and not good["rows"].any(),  # type: ignore[attr-defined]
    ),
]

_CLASS = """
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Rows(Dataset):
        def __init__(self, rows, mask):
            self.rows, self.mask, self.seen, self.ready = rows, mask, torch.zeros(len(rows)), set()
            self.room = torch.zeros(3)

        def __len__(self):
            return len(self.rows)

        def __getitem__(self, i):
            {}

    loader = DataLoader(Rows(torch.rand(4, 3), torch.ones(3)), batch_size=2{})
    """

SILENT = [
    _CLASS.format(body, options)
    for body, options in (
        ("self.seen[i] += 1; return self.rows[i]", ""),  # counts, as is meant
        ("row = self.rows[i]; row -= row.mean(); return row", ""),  # done twice, it is the same
        ("row = self.rows[i]; row *= self.mask; return row", ""),
        ("row = self.rows[i].clone(); row *= 2; return row", ""),
        ("room = self.room; room.copy_(self.rows[i]); room.mul_(2); return room.clone()", ""),  # filled first
        ("row = self.rows[i]; row *= 2; self.ready.add(i); return row", ""),  # once, as it seems
        ("row = self.rows[i]; row *= 2; return row", ", num_workers=2"),  # gone with the worker
    )
]


def check(scope: Reading) -> Iterator[Flag]:
    for made in scope.seen("example-worn"):
        write, dataset = made.because
        yield Flag(
            write,
            "changes what the dataset has stored: each example goes on from what the epoch before has left",
            because=((made.at, "the loader"), (dataset, "the dataset")),
        )
