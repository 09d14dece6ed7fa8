"""Widths that nobody wrote down as numbers: what is a multiple of one fits no other multiple of it."""

from __future__ import annotations

import pytest

from tests.flow.seen import PATH, engine

PROGRAM = """
import argparse
import torch
from torch import nn

class Twice(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.rnn = nn.GRU(width, hidden, batch_first=True, bidirectional=True)
        self.output_size = SIZE

    def forward(self, x):
        last = self.rnn(x)[1]
        return torch.cat([last[0], last[1]], dim=-1)

parser = argparse.ArgumentParser()
parser.add_argument("--hidden", type=int, default=32)
options = parser.parse_args()
twice = Twice(16, options.hidden)
scores = nn.Linear(twice.output_size, 3)(twice(torch.randn(4, 7, 16)))
"""


@pytest.mark.parametrize("size, told", [("hidden", ["2*n where n"]), ("2 * hidden", []), ("hidden + 7", [])])
def test_a_width_given_on_the_command_line(size, told):
    found = engine(PROGRAM.replace("SIZE", size)).findings(PATH)
    assert [f.name for f in found] == ["feature-mismatch"] * len(told)
    assert all(words in f.message for words, f in zip(told, found))
