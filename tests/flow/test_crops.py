"""Slices between drawn places have the length that lies between them; others are not told."""

from __future__ import annotations

import pytest
import torch

from torchwise.engine import Engine

SETUP = """\
import torch

torch.manual_seed(0)
data, block = torch.arange(1000), 8
places = torch.randint(len(data) - block, (4,))
"""
CROPS = [
    "torch.stack([data[i : i + block] for i in places])",
    "torch.stack([data[i + 1 : i + 1 + block] for i in places])",
    "torch.stack([data[i - 0 : block + i] for i in places])",
    "torch.stack([data[3 * i : (i + 2) * 3] for i in places // 4])",
    "torch.stack([data[int(i) : int(i) + block] for i in places])",
    "torch.stack([data[i : i + 2 * block : 2] for i in places // 2])",
]
OPEN = [
    "torch.stack([data[i : j] for i, j in zip(places, places + 5)])",
    "torch.stack([data[2 * i : 2 * i + len(str(int(places[0])))] for i in places // 4])",
]


def said(expression: str) -> list[tuple[object, ...]]:
    engine = Engine()
    engine.set_text("a.py", f"{SETUP}x = {expression}\n")
    return [tuple(row.shape) for row in engine.shapes("a.py") if row.name == "x" and row.shape is not None]


def real(expression: str) -> tuple[int, ...]:
    names: dict[str, object] = {}
    exec(f"{SETUP}x = {expression}\n", names)
    made = names["x"]
    assert isinstance(made, torch.Tensor)
    return tuple(made.shape)


@pytest.mark.parametrize("expression", CROPS)
def test_a_crop_is_as_long_as_torch_makes_it(expression: str) -> None:
    wanted = real(expression)
    for shape in said(expression):
        assert len(shape) == 2 and shape[0] == wanted[0] and shape[1] in (wanted[1], None)


@pytest.mark.parametrize("expression", CROPS[:4])
def test_its_length_is_known(expression: str) -> None:
    assert said(expression) == [real(expression)]


@pytest.mark.parametrize("expression", OPEN)
def test_what_lies_between_others_is_open(expression: str) -> None:
    (shape,) = said(expression)
    assert shape[1] is None


def test_the_last_batch_of_a_range_is_shorter() -> None:
    (shape,) = said("[data[i : i + 300] for i in range(0, len(data), 300)][int(places[0]) % 4]") or [(None,)]
    assert shape[0] is None
