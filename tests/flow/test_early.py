"""Initialisers that are applied before the layers are there, and copies that share them."""

from __future__ import annotations

import pytest

from tests.flow.seen import PATH, engine, shapes

BASE = """
import copy
import torch
from torch import nn

class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.apply(self.begin)

    def begin(self, module):
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.weight)

class Model(Base):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)
        LAST

    def forward(self, x):
        return self.head(x)

model = Model()
THEN
"""


@pytest.mark.parametrize(
    "last, then, faults",
    [
        ("pass", "model(torch.ones(1, 4))", 1),
        ("pass", "torch.optim.SGD(nn.Sequential(model).parameters(), lr=0.1)", 1),
        ("pass", "", 0),  # nobody uses it yet
        ("self.apply(self.begin)", "model(torch.ones(1, 4))", 0),
        ("self.begin(self.head)", "model(torch.ones(1, 4))", 0),
        ("pass", "model.apply(model.begin)\nmodel(torch.ones(1, 4))", 0),
        ("self.head.weight.data.zero_()", "model(torch.ones(1, 4))", 0),
    ],
)
def test_only_what_nothing_has_initialised_by_the_time_of_its_use(last: str, then: str, faults: int) -> None:
    seen = engine(BASE.replace("LAST", last).replace("THEN", then))
    assert [f.name for f in seen.findings(PATH)].count("initialised-early") == faults


@pytest.mark.parametrize(
    "asked, width", [("'a' in layers", "5"), ("'b' not in layers", "5"), ("'b' in layers", "2")]
)
def test_a_module_dict_knows_its_keys(asked: str, width: str) -> None:
    text = f"""
        import torch
        from torch import nn
        layers, x = nn.ModuleDict({{"a": nn.Linear(2, 2)}}), torch.ones(2)
        if {asked}:
            x = torch.ones(5)
        """
    assert shapes(text)["x"] == width
