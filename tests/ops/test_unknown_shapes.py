"""What an op says of a tensor of unknown shape must be true whatever the shape is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from torchwise.domain.dim import Dim
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import Any, Many, Site, Tensor, Value
from torchwise.flow.opcalls import AMBIENT
from torchwise.ops import OPS, Given, Op, Outcome

SIZES = tuple(Dim.of(size) for size in (2, 3, 4, 5))
DTYPES = ("bool", "uint8", "int64", "float16", "float32", "complex64")


def ops_of_a_tensor() -> Iterator[Op]:
    """Each once, those whose first parameter is the tensor."""
    seen = set()
    for op in OPS.values():
        if op.params[:1] in (("input",), ("self",)) and op.source + op.spellings[0] not in seen:
            seen.add(op.source + op.spellings[0])
            yield op


def result(op: Op, tensor: Tensor) -> Value | None:
    """None where it is refused."""
    made = op.returns(Given({op.params[0]: tensor}, {}, (), AMBIENT, (), Site("scope", 1)))
    if isinstance(made, Outcome):
        return None if made.broken else made.result
    return made if isinstance(made, Value) else None


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_unknown_shape_leaves_the_kind_and_the_dtype_of_a_result(dtype: str) -> None:
    wrong = []
    for op in ops_of_a_tensor():
        unknown = result(op, Tensor(dtype=dtype, device="cpu"))
        if unknown is None or isinstance(unknown, Any | Many):
            continue
        for rank in range(1, 5):
            shape = SIZES[:rank]
            known = result(op, Tensor(shape, contiguous_strides(shape), dtype, "cpu"))
            if known is None or isinstance(known, Any):
                continue
            kinds = isinstance(unknown, Tensor), isinstance(known, Tensor)
            said = getattr(unknown, "dtype", None), getattr(known, "dtype", None)
            if kinds[0] != kinds[1] or (None not in said and said[0] != said[1]):
                wrong.append((op.spellings[0], rank, said))
    assert wrong == []
