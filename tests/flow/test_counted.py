"""How many values a list has goes with it where it has a name: what is stacked of it is that long."""

from __future__ import annotations

from textwrap import dedent

import pytest

from torchwise.engine import Engine

PATH = "/project/code.py"
HEAD = """
import random
from collections import deque
import torch

def run(n: int, rows: torch.Tensor):
    memory = deque(maxlen=100)
    for step in range(1000):
        memory.append((torch.zeros(6), 0.5))
    drawn = random.sample(memory, n)
"""


def shape_of_out(engine: Engine) -> str:
    (row,) = [row for row in engine.shapes(PATH) if row.name == "out"]
    return "[" + ", ".join("?" if size is None else str(size) for size in row.shape or ()) + "]"


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        ("torch.stack([t[0] for t in drawn])", "[n, 6]"),
        ("torch.tensor([t[1] for t in drawn])", "[n]"),
        ("torch.stack([torch.zeros(3) for _ in range(n)])", "[n, 3]"),
        ("torch.cat([torch.zeros(2, 3) for _ in range(n)])", "[2*n, 3]"),
        ("torch.cat([torch.zeros(2, 3) for _ in range(n)], dim=1)", "[2, 3*n]"),
        ("torch.zeros(len(drawn))", "[n]"),
        ("torch.stack([torch.ones(2) for _ in range(40)])", "[40, 2]"),
        ("torch.stack([t[0] for t in drawn if t[1] > 0.2])", "[?, 6]"),
    ],
)
def test_what_is_made_of_a_list_is_as_long(code: str, shape: str) -> None:
    engine = Engine()
    engine.set_text(PATH, f"{HEAD}    out = {code}\n")
    assert engine.crashes == []
    assert shape_of_out(engine) == shape


@pytest.mark.parametrize("change", ["xs.append(torch.zeros(3))", "xs.pop()", "xs += [torch.ones(3)]"])
def test_a_list_that_changes_is_no_longer_so_long(change: str) -> None:
    engine = Engine()
    grown = dedent(f"""
        xs = [torch.zeros(3) for _ in range(n)]
        {change}
        out = torch.stack(xs)
    """)
    engine.set_text(PATH, HEAD + "".join(f"    {line}\n" for line in grown.splitlines()))
    assert shape_of_out(engine) == "[?, 3]"
