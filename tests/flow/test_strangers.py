"""Gradients that were meant for another optimizer, and outputs that hooks collect, across functions."""

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
        self.body, self.head = nn.Sequential(nn.Linear(2, 4), nn.Tanh()), nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.body(x))
"""


def found(code: str, rule: str) -> list[int]:
    """The rows of the code in which the rule speaks, from 1."""
    engine = Engine()
    engine.set_text(PATH, HEAD + dedent(code))
    rows = [f.at.span.row - HEAD.count("\n") for f in engine.findings(PATH) if f.name == rule]
    assert engine.crashes == []
    return rows


TWO = """
class Pair:
    def __init__(self):
        self.maker, self.judge = Net(), Net()
        self.for_maker = torch.optim.SGD(self.maker.parameters(), lr=0.1)
        self.for_judge = torch.optim.SGD(self.judge.parameters(), lr=0.1)

    def teach_judge(self, fake):
        self.for_judge.zero_grad()
        self.judge(torch.ones(4, 2)).mean().backward()
        self.judge(fake).mean().backward()
        self.for_judge.step()

    def teach_maker(self, noise):
        {clear}
        (-self.judge(self.maker(noise))).mean().backward()
        self.for_maker.step()
        {late}

pair = Pair()
for noise in [torch.randn(4, 2)] * 4:
    pair.teach_judge(pair.maker(noise){detach})
    pair.teach_maker(noise)
"""


@pytest.mark.parametrize(
    ("clear", "late", "detach", "rows"),
    [
        ("pass", "self.for_maker.zero_grad()", "", [11]),
        ("pass", "self.for_maker.zero_grad()", ".detach()", []),
        ("self.for_maker.zero_grad()", "pass", "", []),
        ("self.maker.zero_grad()", "pass", "", []),
    ],
)
def test_what_a_judge_leaves_in_a_maker(clear: str, late: str, detach: str, rows: list[int]) -> None:
    code = TWO.format(clear=clear, late=late, detach=detach)
    assert found(code, "gan-detach") == rows


def test_gradients_that_are_gathered_of_one_loss_are_no_strangers() -> None:
    code = """
        maker, judge = Net(), Net()
        for_maker = torch.optim.SGD(maker.parameters(), lr=0.1)
        for_judge = torch.optim.SGD(judge.parameters(), lr=0.1)
        for number, batch in enumerate([torch.randn(64, 2)] * 8):
            judge(maker(batch)).square().mean().backward()
            for_judge.step()
            for_judge.zero_grad()
            if number % 4 == 3:
                for_maker.step()
                for_maker.zero_grad()
        """
    assert found(code, "gan-detach") == []


HOOKED = """
def train(net, batches):
    seen = []
    handle = net.body.register_forward_hook(lambda module, inputs, output: seen.append({kept}))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for batch in batches:
        {emptied}
        optimizer.zero_grad()
        net(batch).mean().backward()
        optimizer.step()
    handle.remove()

train(Net(), [torch.randn(4, 2)] * 4)
"""


@pytest.mark.parametrize(
    ("kept", "emptied", "rows"),
    [
        ("output", "pass", [4]),
        ("(module, output)", "pass", [4]),
        ("output.detach()", "pass", []),
        ("output.shape", "pass", []),
        ("output", "seen.clear()", []),
        ("output", "del seen[:]", []),
        ("output", "print(len(seen))", [4]),
    ],
)
def test_what_a_hook_collects_inside_of_a_model(kept: str, emptied: str, rows: list[int]) -> None:
    assert found(HOOKED.format(kept=kept, emptied=emptied), "hook-keeps-graph") == rows


def test_a_hook_that_is_off_while_training_collects_nothing() -> None:
    code = HOOKED.replace("    optimizer = ", "    handle.remove()\n    optimizer = ")
    assert found(code.format(kept="output", emptied="pass"), "hook-keeps-graph") == []
