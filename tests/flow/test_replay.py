"""Batches that are drawn from a memory of transitions, and turned into columns."""

from __future__ import annotations

from textwrap import dedent

import pytest

from torchwise.engine import Engine

PATH = "/project/code.py"
PROGRAM = """
import random
from collections import deque

import torch

def learn(batch):
    states, actions, rewards = zip(*batch)
    chosen = torch.zeros(len(batch), 2).gather(1, torch.tensor(actions).unsqueeze(1))
    return (chosen{squeezed} - torch.tensor(rewards)).square().mean()

memory = {memory}
for turn in range(100):
    memory.append((turn, turn % 2, 0.5))
    if len(memory) >= 32:
        learn(random.sample(memory, {count}))
"""


@pytest.mark.parametrize(
    "memory", ["deque(maxlen=1000)", "deque([], 1000)", "deque([(0, 1, 0.5)], maxlen=1000)"]
)
def test_a_column_against_a_row_of_as_many(memory: str) -> None:
    assert found(memory=memory, squeezed="", count=32) == ["broadcast-by-accident"]
    assert found(memory=memory, squeezed=".squeeze(1)", count=32) == []


def test_of_one_there_is_nothing_to_say() -> None:
    assert found(memory="deque(maxlen=1000)", squeezed="", count=1) == []


def found(**parts: object) -> list[str]:
    engine = Engine()
    engine.set_text(PATH, dedent(PROGRAM.format(**parts)))
    names = [f.name for f in engine.findings(PATH)]
    assert engine.crashes == []
    return names
