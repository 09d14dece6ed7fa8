"""Tensor operators agree with torch, whatever they are called with."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ops import (  # noqa: F401  each notes its calls
    conversion_cases,
    creation_cases,
    einops_cases,
    image_cases,
    index_cases,
    joining_cases,
    product_cases,
    rare_cases,
    reduction_cases,
    spectrum_cases,
    variant_cases,
    view_cases,
)
from tests.ops.calls import CALLS
from tests.ops.draw import Draw
from tests.ops.judge import judge

pytestmark = pytest.mark.filterwarnings("ignore")
PATHS = sorted(CALLS)


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=18, derandomize=True, deadline=None, database=None)
@given(seed=st.integers(0, 2**32))
def test_a_row_agrees_with_torch(path, seed):
    draw, how = CALLS[path]
    arguments, named = draw(Draw(seed))
    spelling = path.split()[0]  # behind it stands which form of it
    judge(spelling, *arguments, **how, **named)
