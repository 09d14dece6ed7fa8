"""Batches of a loader, from the examples that the project's own datasets give."""

from __future__ import annotations

from tests.flow.seen import shapes

ROWS = """
    import torch
    from torch.utils.data import DataLoader, Dataset, random_split

    class Rows(Dataset):
        def __init__(self, count):
            self.x, self.y = torch.randn(count, 6), torch.zeros(count, dtype=torch.long)

        def __len__(self):
            return len(self.y)

        def __getitem__(self, i):
            return EXAMPLE
"""


def batch(example: str, loop: str) -> dict[str, str]:
    return shapes(ROWS.replace("EXAMPLE", example) + loop)


def test_examples_become_batches_of_known_size() -> None:
    loop = """
    for x, y in DataLoader(Rows(64), batch_size=8, drop_last=True):
        pass
    """
    found = batch("self.x[i], self.y[i]", loop)
    assert (found["x"], found["y"]) == ("8 6", "8")


def test_a_dict_stays_a_dict() -> None:
    loop = """
    for step, rows in enumerate(DataLoader(Rows(64), batch_size=8, drop_last=True)):
        x = rows["x"]
    """
    assert batch('{"x": self.x[i], "y": self.y[i]}', loop)["x"] == "8 6"


def test_a_part_of_a_dataset_gives_what_the_whole_gives() -> None:
    loop = """
    train, test = random_split(Rows(64), [48, 16])
    for x, y in DataLoader(train, batch_size=8):
        pass
    """
    assert batch("self.x[i], self.y[i]", loop)["x"] == "8 6"


def test_numbers_in_a_list_become_a_tensor_for_each_place() -> None:
    loop = """
    for row, y in DataLoader(Rows(64), batch_size=8, drop_last=True):
        first = row[0]
    """
    assert batch("[0.5, 1.5], self.y[i]", loop)["first"] == "8"
