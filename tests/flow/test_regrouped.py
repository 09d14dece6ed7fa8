"""A parameter that takes the place of a held one behind a test, and optimizers that are told of it."""

from __future__ import annotations

import pytest

from tests.flow.seen import PATH, engine

PROGRAM = """
import torch
from torch import nn

class Codes(nn.Module):
    def __init__(self):
        super().__init__()
        self.book = nn.Embedding(8, 4)

    def forward(self, index):
        return self.book(index).pow(2).mean()

    def renew(self):
        self.book.weight = nn.Parameter(self.book.weight.detach() * 2)

def train(steps, every):
    codes = Codes()
    optimizer = torch.optim.Adam(codes.parameters())
    for step in range(steps):
        loss = codes(torch.arange(3))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % every == 0 and loss > 3:
            codes.renew()
            TOLD

train(200, 50)
"""


@pytest.mark.parametrize(
    "told, faults",
    [
        ("pass", 1),
        ("optimizer = torch.optim.Adam(codes.parameters())", 0),
        ('optimizer.add_param_group({"params": [codes.book.weight]})', 0),
        ('optimizer.param_groups[0]["params"] = list(codes.parameters())', 0),
        ('optimizer.param_groups[0]["params"][0] = codes.book.weight', 0),
        ('optimizer.param_groups[0]["lr"] = 0.1', 1),
    ],
)
def test_a_parameter_that_is_renewed_now_and_then(told, faults):
    found = engine(PROGRAM.replace("TOLD", told)).findings(PATH)
    assert [f.name for f in found] == ["layer-not-held"] * faults
