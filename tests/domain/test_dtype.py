"""Dtype promotion agrees with torch."""

from itertools import product

import pytest
import torch

from torchwise.domain.dtype import ALL, SMALL_FLOATS, can_cast, of_python, promote, result_type

DTYPES = sorted(ALL - SMALL_FLOATS)
USUAL = ("bool", "uint8", "int8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64")


def named(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


@pytest.mark.parametrize("a", DTYPES)
def test_two_dtypes_promote_as_in_torch(a):
    for b in DTYPES:
        try:
            wanted = named(torch.promote_types(getattr(torch, a), getattr(torch, b)))
        except RuntimeError:
            wanted = None
        assert promote(a, b) == wanted, (a, b)


@pytest.mark.parametrize("a", USUAL)
def test_tensors_without_axes_and_numbers_count_less(a):
    with_axes = torch.empty(2, dtype=getattr(torch, a))
    for b in USUAL:
        without = torch.empty((), dtype=getattr(torch, b))
        wanted = named(torch.result_type(with_axes, without))
        assert result_type(frozenset((a,)), frozenset((b,)), frozenset()) == wanted, (a, b)
    for number in (True, 1, 1.0, 1j):
        wanted = named(torch.result_type(with_axes, number))
        numbers = frozenset((of_python(type(number).__name__),))
        assert result_type(frozenset((a,)), frozenset(), numbers) == wanted, (a, number)


def test_what_may_be_stored_in_place():
    for a, b in product(USUAL, USUAL):
        assert can_cast(a, b) == torch.can_cast(getattr(torch, a), getattr(torch, b)), (a, b)
