"""`x[...] = value` is refused where torch refuses it, and writes to the tensor itself."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ops.draw import Draw
from tests.ops.index_cases import an_index
from tests.ops.judge import answer, concrete
from torchwise.domain.value import Tensor


def refused_by_torch(x, index, value) -> Exception | None:
    try:
        concrete(x)[concrete(index)] = concrete(value)
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        return error
    return None


@settings(max_examples=400, derandomize=True, deadline=None, database=None)
@given(seed=st.integers(0, 2**32))
def test_a_value_fits_where_torch_says_that_it_fits(seed):
    r = Draw(seed)
    x = r.tensor(r.shape(0, 3))
    index = an_index(r, x.real)
    try:
        region = concrete(x)[concrete(index)]
    except (RuntimeError, IndexError, ValueError, TypeError):
        region = torch.zeros(2)
    shape = r.stretched(tuple(region.shape))
    value = 1.5 if r.maybe(0.2) else r.tensor((1, *shape) if r.maybe(0.2) else shape)
    found, bound = answer("operator.setitem", (x, index, value), {}, symbolic=False)
    error = refused_by_torch(x, index, value)
    by_contents = (
        "out of bounds for dimension",
        "could not be broadcast together",
        "cannot be broadcast to indexing",
    )
    if 0 in (*x.real.shape, *shape) or any(text in str(error) for text in by_contents):
        return  # torch hardly looks at what has no elements; what indices hold is not known
    if error is not None and "single memory location" not in str(error):
        assert found.broken, (error, tuple(x.real.shape), index, shape)
    if error is None:
        assert not found.broken, (found.broken, tuple(x.real.shape), index, shape)
        assert isinstance(found.result, Tensor) and found.result.id == bound["self"].id
