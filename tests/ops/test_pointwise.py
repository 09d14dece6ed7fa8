"""Elementwise operators agree with torch on shape, strides and dtype, and refuse what torch refuses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ops.draw import Draw
from tests.ops.judge import judge
from torchwise.ops.spec import OPS

pytestmark = pytest.mark.filterwarnings("ignore")
OPERANDS = {"input", "other", "exponent", "tensor1", "tensor2", "end", "weight", "min", "max", "values"}
NEEDED = {
    "threshold": {"threshold": 0.5, "value": 0.1},
    "threshold_": {"threshold": 0.5, "value": 0.1},
    "mvlgamma": {"p": 1},
    "multigammaln": {"p": 1},
    "prelu": {"weight": 0.5},
}
# Refused for reasons of their own: bool with a bool limit, uint8 with a negative one, a complex weight,
# division by 0.
LENIENT = ("lerp", "floor_divide", "remainder", "fmod", "clamp_min", "clamp_max", "clamp", "clip", "hardtanh")
MADE_BY = ("pointwise.", "in_place.", "maybe_in_place.", "_power", "_clamp", "<lambda>")
ROWS = sorted(
    path
    for path, op in OPS.items()
    if op.returns.__qualname__.startswith(MADE_BY) and not path.startswith("operator.")
    if op.params[:1] == ("input",) and op.returns.__module__.endswith(("pointwise", "binary", "activations"))
)


def arguments_for(path, r):
    op = OPS[path]
    name = path.rpartition(".")[2]
    whole = r.shape(0, 3)
    one_dtype = r.dtype() if r.maybe(0.7) else None
    arguments = []
    for param in op.params:
        if param not in OPERANDS and not (param == "n" and "polynomial" in name):
            break
        shape = whole if not arguments or r.maybe(0.4) else r.stretched(whole)
        if arguments and r.maybe(0.25) and param not in ("tensor1", "tensor2"):
            arguments.append(r.choice((2, 1.5, True) if r.maybe(0.9) else (1j, 0)))
        else:
            arguments.append(r.tensor(shape, one_dtype))
    polygamma, multigamma = name.startswith("polygamma"), name.startswith("mvl")
    return arguments, NEEDED.get(name, {"n": 1} if polygamma else {"p": 1} if multigamma else {})


@pytest.mark.parametrize("path", ROWS)
@settings(max_examples=18, derandomize=True, deadline=None, database=None)
@given(seed=st.integers(0, 2**32))
def test_an_elementwise_row_agrees_with_torch(path, seed):
    arguments, named = arguments_for(path, Draw(seed))
    name = path.rpartition(".")[2].rstrip("_")
    partial = name in ("clamp", "clip")  # a number and a tensor as limits
    judge(path, *arguments, partial=partial, lenient=name in LENIENT, **named)
