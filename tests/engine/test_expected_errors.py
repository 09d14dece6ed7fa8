"""What a test expects to raise is no fault, in the test and in what it calls; another call of the same is."""

from __future__ import annotations

from textwrap import dedent

from torchwise.engine import Engine

PATH = "/project/test_norm.py"
PROGRAM = """
    import pytest
    import torch
    from torch import nn

    class Norm(nn.Module):
        def __init__(self):
            super().__init__()
            self.module = nn.BatchNorm1d(16)

        def forward(self, x):
            return self.module(x)

    def test_one_row():
        with pytest.raises(ValueError, match="more than 1"):
            Norm()(torch.randn(1, 16))
"""


def said(program: str) -> list[str]:
    engine = Engine()
    engine.set_text(PATH, dedent(program))
    assert engine.crashes == []
    return [found.name for found in engine.findings(PATH)]


def test_what_is_expected_is_left_alone() -> None:
    assert said(PROGRAM) == []


def test_the_same_call_where_nothing_is_expected_is_told() -> None:
    another = "\n    def test_another():\n        Norm()(torch.randn(1, 16))\n"
    assert said(PROGRAM + another) == ["feature-mismatch"]
