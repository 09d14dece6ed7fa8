"""Batches: what loaders of the project's own datasets and collate functions give; the shorter last one."""

from tests.flow.seen import PATH, engine, shapes

HEAD = """
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset
"""


def codes(code: str) -> list[str]:
    return [f.code for f in engine(code).findings(PATH)]


def test_a_collate_function_is_followed() -> None:
    code = (
        HEAD
        + """
def pad(rows):
    return torch.stack([x for x, _ in rows]).float(), torch.Tensor([y for _, y in rows])

for points, labels in DataLoader([(torch.zeros(3), 1), (torch.ones(3), 0)], batch_size=2, collate_fn=pad):
    kept, marks = points, labels
"""
    )
    found = shapes(code)
    assert found["kept"].split()[-1] == "3" and len(found["marks"].split()) == 1


def test_rows_of_arrays_in_dicts_are_collated() -> None:
    code = (
        HEAD
        + """
class Rows(Dataset):
    def __init__(self):
        self.rows = np.zeros((30, 6))

    def __len__(self):
        return 30

    def __getitem__(self, index):
        return {"x": self.rows[index]}

for batch in DataLoader(Rows(), batch_size=10):
    x = batch["x"]
"""
    )
    assert shapes(code)["x"] == "10 6"


SHORT = """
loader = DataLoader(TensorDataset(torch.randn(10, 5, 3)), batch_size=4)
rnn = nn.GRU(3, 8, batch_first=True)
"""


def test_a_state_for_full_batches_fails_on_the_last() -> None:
    code = HEAD + SHORT + "for (x,) in loader:\n    y, _ = rnn(x, torch.zeros(1, 4, 8))\n"
    assert "TW335" in codes(code)


def test_a_loop_that_ends_early_may_never_see_the_last_batch() -> None:
    code = (
        HEAD
        + SHORT
        + """
for step, (x,) in enumerate(loader):
    y, _ = rnn(x, torch.zeros(1, 4, 8))
    if step == 1:
        break
"""
    )
    assert "TW335" not in codes(code)


def test_code_that_asks_for_the_size_knows_of_it() -> None:
    code = (
        HEAD
        + SHORT
        + """
for (x,) in loader:
    if x.size(0) != 4:
        continue
    y, _ = rnn(x, torch.zeros(1, 4, 8))
"""
    )
    assert "TW335" not in codes(code)


def test_a_device_chosen_at_run_time_is_told_from_the_cpu() -> None:
    code = (
        HEAD
        + """
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
x = torch.zeros(4, 3)
"""
    )
    assert "TW312" in codes(code + "y = net(x)\n")
    assert "TW312" not in codes(code + "y = net(x.to(device))\n")


def test_a_list_of_places_gives_as_many_examples() -> None:
    code = """
import torch
from torch.utils.data import Subset, TensorDataset

rows = TensorDataset(torch.randn(40, 6), torch.randint(0, 2, (40,)))
one, label = rows[3]
three, labels = rows[[1, 2, 3]]
head, _ = rows[:10]
chosen, _ = rows[torch.tensor([1, 2])]
part = Subset(rows, list(range(10)))
other, _ = part[3]
several = part[[3, 4]]
"""
    found = shapes(code)
    assert [found[n] for n in ("one", "three", "labels", "head", "chosen", "other")] == [
        "6",
        "3 6",
        "3",
        "10 6",
        "2 6",
        "6",
    ]
    assert "several" not in found
