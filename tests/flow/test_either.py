"""One of two modules, as an unknown test chose: both are remembered, neither is taken for certain."""

from __future__ import annotations

import pytest

from tests.flow.seen import PATH, engine, shapes

BLOCK = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width, out, p, act):
        super().__init__()
        self.proj = nn.Linear(width, out) if width != out else nn.Identity()
        self.drop = nn.Dropout(p) if p > 0 else nn.Identity()
        self.act = nn.ReLU() if act == "relu" else nn.GELU() if act == "gelu" else nn.Tanh()
        self.body = nn.Linear(out, out)

    def forward(self, x):
        x = self.act(self.drop(self.proj(x)))
        return self.body(x) + x

def main(p: float, act: str, width: int, out: int, device: str):
    x = torch.zeros(2, 8)
"""


def seen(body: str) -> dict[str, str]:
    return shapes(BLOCK + "".join(f"    {line}\n" for line in body.splitlines()))


def test_what_all_of_them_give_is_known() -> None:
    assert seen("y = Block(8, 8, p, act)(x)")["y"] == "2 8"


def test_what_they_give_differently_is_not() -> None:
    assert seen("y = Block(8, out, p, act)(x)")["y"] == "2 ?"


def test_a_sequential_of_them() -> None:
    assert seen("y = nn.Sequential(*[Block(8, 8, p, act) for _ in range(3)])(x)")["y"] == "2 8"


@pytest.mark.parametrize(
    "body",
    [
        "net = Block(width, out, p, act)\ny = net(torch.zeros(4, width))",
        "net = Block(8, 8, p, act).to(device)\ny = net(x.to(device))",
        "net = Block(8, 8, p, act).half()\ny = net(x.half())",
        "net = Block(8, 8, p, act)\nnet.drop = nn.Identity()\nwith torch.no_grad():\n    y = net.eval()(x)",
    ],
)
def test_right_programs_are_right(body: str) -> None:
    made = engine(BLOCK + "".join(f"    {line}\n" for line in body.splitlines()))
    assert [f.message for f in made.findings(PATH)] == []


def test_a_fault_in_each_of_them_is_one() -> None:
    body = """
import torch
from torch import nn

def main(wide: bool):
    net = nn.Linear(4, 8) if wide else nn.Linear(4, 2)
    other = 1
    net(torch.zeros(2, 5))
"""
    (found,) = engine(body).findings(PATH)
    assert found.name == "feature-mismatch"


def test_a_fault_in_one_of_them_is_none() -> None:
    body = """
import torch
from torch import nn

def main(wide: bool):
    net = nn.Linear(4, 8) if wide else nn.Linear(5, 2)
    other = 1
    net(torch.zeros(2, 5))
"""
    assert engine(body).findings(PATH) == []


@pytest.mark.parametrize("freeze", ["q.requires_grad_(False)", "q.requires_grad = False"])
def test_parameters_that_are_not_known_one_by_one_may_all_be_frozen(freeze: str) -> None:
    body = f"net = Block(8, 8, p, act)\nfor q in net.parameters():\n    {freeze}\ny = net(x)"
    made = engine(BLOCK + "".join(f"    {line}\n" for line in body.splitlines()))
    grads = {row.name: row.requires_grad for row in made.shapes(PATH)}
    assert grads["y"] is None
