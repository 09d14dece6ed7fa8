"""numpy's arrays have the shapes, layouts and dtypes that numpy gives them, once they come to torch."""

import numpy as np
import pytest
import torch

from tests.ops import array_cases, array_cases_statistics
from tests.ops.array_cases import SETUP
from torchwise.engine import Engine

BLOCKS = [
    (name, text.strip().splitlines())
    for module in (array_cases, array_cases_statistics)
    for name, text in vars(module).items()
    if name.isupper() and name != "SETUP"
]
EXPRESSIONS = tuple(line for _, lines in BLOCKS for line in lines)
FOUND = tuple(line for name, lines in BLOCKS if name == "FOUND" for line in lines)


@pytest.fixture(scope="module")
def said() -> dict[str, object]:
    engine = Engine()
    lines = []
    for n, expression in enumerate(EXPRESSIONS):
        lines += [f"x{n} = torch.as_tensor({expression})", f"steps{n} = torch.zeros(x{n}.stride())"]
    engine.set_text("arrays.py", SETUP + "\n".join(lines) + "\n")
    return {row.name: row for row in engine.shapes("arrays.py")}


@pytest.fixture(scope="module")
def names() -> dict[str, object]:
    found: dict[str, object] = {}
    exec(SETUP, found)
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_array_comes_to_torch_as_it_is(said, names, expression):
    value = eval(expression, names)
    real = torch.as_tensor(np.array(value, order="C") if isinstance(value, np.ndarray) else value)
    row = said[f"x{EXPRESSIONS.index(expression)}"]
    assert row.shape is not None and len(row.shape) == real.ndim
    sizes = [got for said, got in zip(row.shape, real.shape, strict=True) if said is not None]
    assert [size for size in row.shape if size is not None] == sizes
    assert expression in FOUND or len(sizes) == real.ndim
    assert row.dtype == str(real.dtype).removeprefix("torch.")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_array_lies_in_memory_as_is_said(said, names, expression):
    value = eval(expression, names)
    steps = said[f"steps{EXPRESSIONS.index(expression)}"].shape
    if isinstance(value, np.ndarray) and steps is not None and value.size:
        real = [step // value.itemsize for step in value.strides]
        told = [(one, other) for one, other, size in zip(steps, real, value.shape, strict=True) if size != 1]
        assert all(one is None or one == other for one, other in told)
