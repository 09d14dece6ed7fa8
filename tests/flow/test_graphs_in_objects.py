"""A graph that is kept in an object goes with it into the functions that the object is handed to."""

from __future__ import annotations

import pytest

from torchwise.engine import Engine

SETUP = """\
import torch
from torch import nn

net = nn.Linear(4, 3)
optimizer = torch.optim.Adam(net.parameters())


class Rollout:
    def __init__(self):
        self.kept = {"seen": [], "odds": []}

    def add(self, **values):
        for name, value in values.items():
            self.kept[name].append(value)

    def tensors(self):
        return torch.cat(self.kept["seen"]), torch.cat(self.kept["odds"])


def collect():
    rollout = Rollout()
    for _ in range(5):
        seen = torch.randn(8, 4)
        rollout.add(seen=seen, odds=net(seen).log_softmax(-1)[:, 0])
    return rollout


def update(rollout):
    seen, before = rollout.tensors()
    for _ in range(3):
        ratio = (net(seen).log_softmax(-1)[:, 0] - before).exp()
        optimizer.zero_grad()
        ratio.mean().backward()
        optimizer.step()


update(collect())
"""


def told(text: str) -> list[tuple[str, int]]:
    engine = Engine()
    engine.set_text("a.py", text)
    found = [(f.code, f.at.span.row) for f in engine.findings("a.py") if f.severity != "hint"]
    assert engine.crashes == []
    return found


def test_it_is_freed_by_the_first_backward() -> None:
    rows = SETUP.splitlines()
    assert told(SETUP) == [("TW108", 1 + rows.index("        ratio.mean().backward()"))]
    with pytest.raises(RuntimeError, match="second time"):
        exec(SETUP, {})


def test_what_is_detached_before_it_is_kept_has_none() -> None:
    right = SETUP.replace("odds=net(seen)", "odds=net(seen).detach()")
    assert told(right) == []
    exec(right, {})
