"""Axes that are declared open for export: what works for the example alone, and what works for all."""

from __future__ import annotations

import pytest

from tests.flow.seen import PATH, engine

HEAD = "import torch\nfrom torch import nn\nfrom torch.export import Dim, export\n"
STATE = """
class Steps(nn.Module):
    def __init__(self, batch):
        super().__init__()
        self.rnn = nn.GRU(4, 8)
        self.register_buffer("start", torch.zeros(1, batch, 8))

    def forward(self, x):
        return self.rnn(x, START)[0]

export(Steps(6).eval(), (torch.randn(5, 6, 4),), dynamic_shapes={"x": {1: AXIS}})
"""
ALL = "torch.zeros(1, x.shape[1], 8)"


@pytest.mark.parametrize(
    "start, axis, faults",
    [
        ("self.start", "Dim('batch', max=64)", 1),
        ("self.start", "Dim('batch', max=6)", 1),
        ("self.start", "Dim.DYNAMIC", 1),
        ("self.start", "Dim.AUTO", 0),  # may become a constant
        (ALL, "Dim('batch', max=64)", 0),
        ("self.start.expand(1, x.shape[1], 8) if x.shape[1] == 6 else None", "Dim('batch')", 0),  # it knows
    ],
)
def test_a_state_for_the_size_of_the_example(start, axis, faults):
    found = engine(HEAD + STATE.replace("START", start).replace("AXIS", axis)).findings(PATH)
    assert [f.name for f in found] == ["dynamic-dim-specialised"] * faults


def test_axes_of_one_dim_are_of_one_length():
    code = (
        HEAD
        + """
class Scores(nn.Module):
    def forward(self, q, k):
        return torch.cat([q, k], 1), q + k

steps = Dim("steps")
shapes = {"q": {0: steps}, "k": {0: steps}}
export(Scores().eval(), (torch.randn(5, 8), torch.randn(5, 8)), dynamic_shapes=shapes)
"""
    )
    assert engine(code).findings(PATH) == []
