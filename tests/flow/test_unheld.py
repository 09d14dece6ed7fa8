"""Layers that take the place of those that an optimizer holds, wherever that happens."""

from __future__ import annotations

from textwrap import dedent

import pytest

from torchwise.engine import Engine

PATH = "/project/code.py"
HEAD = """
import torch
from torch import nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.fc = nn.Linear(8, 8), nn.Linear(8, 10)

    def forward(self, x):
        return self.fc(F.relu(self.body(x)))

def train(model, optimizer):
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.ones(4, 8)).square().mean().backward()
        optimizer.step()

class Learner:
    def __init__(self):
        self.model = Net()
        self.build()

    def build(self):
        self.optimizer = torch.optim.SGD(self.model.fc.parameters(), lr=0.1)

model = Net()
"""


def told(code: str) -> list[tuple[str, str]]:
    """The names of the rules that speak, with the lines of the code that they speak of."""
    engine, text = Engine(), HEAD + dedent(code)
    engine.set_text(PATH, text)
    found = [(f.name, text.splitlines()[f.at.span.row - 1].strip()) for f in engine.findings(PATH)]
    assert engine.crashes == []
    return found


@pytest.mark.parametrize(
    "held", ["model.fc.parameters()", "list(model.fc.parameters())", "model.parameters()"]
)
@pytest.mark.parametrize(
    "put",
    ["model.fc = nn.Linear(8, 3)", 'setattr(model, "fc", nn.Sequential(nn.Dropout(), nn.Linear(8, 3)))'],
)
def test_the_place_that_puts_the_layer_is_told(held: str, put: str) -> None:
    code = f"optimizer = torch.optim.SGD({held}, lr=0.1)\n{put}\ntrain(model, optimizer)\n"
    assert told(code) == [("layer-not-held", put)]


def test_a_layer_of_a_sequential_is_put_by_its_number() -> None:
    code = """
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 10))
    optimizer = torch.optim.SGD(model[-1].parameters(), lr=0.1)
    model[-1] = nn.Linear(8, 3)
    train(model, optimizer)
    """
    assert told(code) == [("layer-not-held", "model[-1] = nn.Linear(8, 3)")]


SUBCLASS = """
class Transfer(Learner):
    def __init__(self):
        super().__init__()
        self.model.fc = nn.Linear(8, 3)
        AGAIN

learner = Transfer()
train(learner.model, learner.optimizer)
"""


def test_a_subclass_replaces_what_its_base_class_holds() -> None:
    assert told(SUBCLASS.replace("AGAIN", "")) == [("layer-not-held", "self.model.fc = nn.Linear(8, 3)")]
    assert told(SUBCLASS.replace("AGAIN", "self.build()")) == []


def test_a_layer_around_the_held_one_is_added_to_the_optimizer() -> None:
    code = """
    class Adapted(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner, self.low = inner, nn.Linear(8, 10, bias=False)

        def forward(self, x):
            return self.inner(x) + self.low(x)

    optimizer = torch.optim.SGD(model.fc.parameters(), lr=0.1)
    model.fc = Adapted(model.fc)
    optimizer.add_param_group({"params": model.fc.low.parameters()})
    train(model, optimizer)
    """
    assert told(code) == []


def test_a_function_that_adapts_any_model_may_be_right_elsewhere() -> None:
    code = """
    def adapt(model, classes):
        model.fc = nn.Linear(8, classes)

    optimizer = torch.optim.SGD(model.fc.parameters(), lr=0.1)
    adapt(model, 3)
    train(model, optimizer)
    """
    assert told(code) == [("layer-not-held", "optimizer = torch.optim.SGD(model.fc.parameters(), lr=0.1)")]
