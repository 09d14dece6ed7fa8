"""Shapes and strides: what torch computes for numbers, and the house rule for symbols."""

import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from torchwise.domain.dim import Dim
from torchwise.domain.shape import (
    broadcast,
    contiguous_strides,
    differ,
    infer_minus_one,
    is_contiguous,
    stretched,
)
from torchwise.domain.strides import elementwise_strides, view_strides

B, T, C, N, H = map(Dim.of, "BTCNH")
ONE, HIDDEN, OTHER = Dim.of(1), Dim.of("?a"), Dim.of("?b")
EXAMPLES = settings(max_examples=250, derandomize=True, deadline=None, database=None)


def dims(numbers):
    return tuple(map(Dim.of, numbers))


def numbers(found):
    return None if found is None else tuple(dim.number for dim in found)


def laid_out(r: random.Random) -> torch.Tensor:
    """A tensor in any layout: permuted, cut, stepped, stretched."""
    x = torch.empty([r.choice([0, 1, 1, 2, 2, 3, 4, 6]) for _ in range(r.randint(0, 4))])
    for _ in range(r.randint(0, 3) if x.dim() else 0):
        axis = r.randrange(x.dim())
        match r.randrange(5):
            case 0:
                x = x.permute(r.sample(range(x.dim()), x.dim()))
            case 1:
                x = x.narrow(axis, 0, x.shape[axis] // 2)
            case 2:
                x = x[(slice(None),) * axis + (slice(None, None, 2),)]
            case 3:
                x = x.expand([3 if size == 1 else size for size in x.shape])
            case 4 if x.dim() == 4:
                x = x.contiguous(memory_format=torch.channels_last)
    return x


def factors(r: random.Random, total: int) -> list[int]:
    out = []
    while total > 1 and r.random() < 0.8:
        out.append(r.choice([f for f in range(2, total + 1) if total % f == 0]))
        total //= out[-1]
    out += [total] * (total > 1) + [1] * r.randint(0, 2)
    r.shuffle(out)
    return out


@EXAMPLES
@given(seed=st.integers(0, 2**32))
def test_is_contiguous_agrees_with_torch(seed):
    x = laid_out(random.Random(seed))
    assert is_contiguous(dims(x.shape), dims(x.stride())).holds == x.is_contiguous()


@EXAMPLES
@given(seed=st.integers(0, 2**32))
def test_a_view_is_possible_exactly_where_torch_allows_it(seed):
    r = random.Random(seed)
    x = laid_out(r)
    if not x.numel():
        return
    sizes = factors(r, x.numel())
    verdict, strides = view_strides(dims(x.shape), dims(x.stride()), dims(sizes))
    try:
        viewed = x.view(sizes)
    except RuntimeError:
        assert verdict.fails
    else:
        assert verdict.holds
        assert numbers(strides) == viewed.stride()


@EXAMPLES
@given(seed=st.integers(0, 2**32))
def test_results_of_elementwise_operators_have_the_strides_of_torch(seed):
    r = random.Random(seed)
    operands = [laid_out(r), laid_out(r)][: r.randint(1, 2)]
    shape, clash = broadcast([dims(x.shape) for x in operands])
    try:
        result = operands[0].neg() if len(operands) == 1 else operands[0] + operands[1]
    except RuntimeError:
        assert clash is not None
        return
    assert clash is None
    assert numbers(shape) == result.shape
    assert (
        numbers(elementwise_strides(shape, [(dims(x.shape), dims(x.stride())) for x in operands]))
        == result.stride()
    )


@pytest.mark.parametrize(
    "a, b, both",
    [
        (B, B, B),
        (B, ONE, B),
        (B, Dim.of(5), Dim.of(5)),  # 5, or stretched to it
        (B, HIDDEN, B),
        (Dim.of(3), Dim.of(5), None),
        (B + 2, B + 3, None),  # neither is 1, and they are never equal
    ],
)
def test_two_lengths_broadcast_together(a, b, both):
    assert stretched(a, b) == both
    assert stretched(b, a) == both


def test_two_names_broadcast_to_a_size_that_nobody_named():
    assert stretched(B, N).hidden
    assert stretched(B, N) == stretched(N, B)


def check(shape, permuted, sizes, verdict, strides=None):
    strides = strides or contiguous_strides(shape)
    shape, strides = tuple(shape[i] for i in permuted), tuple(strides[i] for i in permuted)
    assert view_strides(shape, strides, sizes)[0].value == verdict


def test_a_view_of_contiguous_memory_is_always_possible():
    check((B, T, C), (0, 1, 2), (B, T, N, C // N), "holds")
    check((B, T, C), (0, 1, 2), (B * T * C,), "holds")


def test_a_view_that_works_only_for_special_sizes_fails():
    check((B, T, C), (0, 2, 1), (B, C * T), "fails")
    check((B, T, C), (0, 2, 1), (B, T, C), "fails")
    check((B, T, N, C // N), (0, 2, 1, 3), (B, T, C), "fails")
    check((HIDDEN, Dim.of(64), T, T), (0, 2, 3, 1), (HIDDEN, 64 * T * T), "fails")


def test_a_view_may_merge_and_split_what_lies_together():
    check((B, T, N, H), (0, 2, 1, 3), (B, N, T, H), "holds")
    check((B, Dim.of(64), T, T), (0, 2, 3, 1), (B, T * T, Dim.of(64)), "holds")
    cut = (T * 3 * C, 3 * C, ONE)  # a third of the last axis
    check((B, T, C), (0, 1, 2), (B, T, N, H), "holds", cut)
    check((B, T, C), (0, 1, 2), (B * T, C), "holds", cut)
    check((B, T, C), (0, 1, 2), (B, T * C), "fails", cut)


def test_sizes_that_nobody_named_may_be_equal():
    check((B, T, HIDDEN), (0, 2, 1), (B, OTHER, T), "holds")  # as many elements, so OTHER is HIDDEN
    check((B, T, HIDDEN), (0, 2, 1), (OTHER, T, HIDDEN), "unknown")


def test_minus_one_is_what_is_left():
    assert infer_minus_one(B * Dim.of(784), (Dim.of(-1), Dim.of(28), Dim.of(28))) == dims([28, 28])[:0] + (
        B,
        Dim.of(28),
        Dim.of(28),
    )
    assert infer_minus_one(B * T * C, (B, Dim.of(-1))) == (B, T * C)


@pytest.mark.parametrize(
    "one, other, apart",
    [
        (H * 8, H * 6, True),  # the same only where H is 0
        (B * H, B * (H + 1), True),
        (H, Dim.of(0), False),
        (H, H + N, False),
        (B * H, N * H, False),
        (H, H * N, False),  # where N is 1
    ],
)
def test_multiples_of_one_length_differ(one, other, apart):
    assert differ(one, other) is differ(other, one) is apart


def test_a_multiple_that_may_be_1_is_stretched():
    assert stretched(H, H * 2) is not None
    assert stretched(H * 3, H * 2) is None
