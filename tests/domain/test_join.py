"""Where paths meet: a joined value covers both, and joining is the same from either side."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torchwise.domain.dim import Dim
from torchwise.domain.join import join, show
from torchwise.domain.value import ANY, NONE, Const, Dtype, Items, Num, Some, Tensor, Value
from torchwise.domain.verdict import HOLDS, UNKNOWN

B, T = Dim.of("B"), Dim.of("T")
SIZES = st.sampled_from([B, T, Dim.of(2), Dim.of(3), B * T, Dim.of("?x")])
TENSORS = st.builds(
    Tensor,
    shape=st.none() | st.lists(SIZES, max_size=3).map(tuple),
    dtype=st.sampled_from([None, "float32", "int64"]),
    device=st.sampled_from([None, "cpu", "cuda"]),
    requires_grad=st.sampled_from([HOLDS, UNKNOWN]),
    kind=st.sampled_from(["tensor", "parameter"]),
)
PLAIN = st.sampled_from(
    [ANY, NONE, Const(True), Const(1.5), Const("a"), Num(B), Num(Dim.of(3)), Some("int"), Dtype("float32")]
)
VALUES = st.recursive(
    PLAIN | TENSORS,
    lambda part: st.lists(part, max_size=3).map(lambda parts: Items(tuple(parts))),
    max_leaves=4,
)
EXAMPLES = settings(max_examples=150, derandomize=True, deadline=None, database=None)


def covers(wide: Value, narrow: Value) -> bool:
    """Whether all that is said of one is true of the other."""
    if wide is ANY or wide == narrow:
        return True
    match wide, narrow:
        case Tensor(), Tensor():
            shapes = wide.shape is None or (
                narrow.shape is not None
                and len(wide.shape) == len(narrow.shape)
                and all(a == b or a.hidden for a, b in zip(wide.shape, narrow.shape))
            )
            return shapes and all(
                getattr(wide, name) in (None, UNKNOWN, "tensor", getattr(narrow, name))
                for name in ("dtype", "device", "strides", "requires_grad", "kind")
            )
        case Items(xs), Items(ys):
            return len(xs) == len(ys) and all(map(covers, xs, ys))
        case Some(kind), Num() | Const() | Some():
            return kind in ("int", "float", "bool", "str")
    return False


@EXAMPLES
@given(a=VALUES, b=VALUES)
def test_a_join_covers_both(a, b):
    assert covers(join(a, b), a)
    assert covers(join(a, b), b)


@EXAMPLES
@given(a=VALUES)
def test_a_value_joined_with_itself_is_itself(a):
    assert join(a, a) == a


@EXAMPLES
@given(a=VALUES, b=VALUES)
def test_the_order_does_not_matter(a, b):
    assert join(a, b) == join(b, a)


def test_axes_that_differ_do_not_become_equal():
    joined = join(Tensor((B, B)), Tensor((T, T)))
    assert joined.shape[0].hidden
    assert joined.shape[0] != joined.shape[1]


def test_axes_that_agree_stay():
    assert join(Tensor((B, Dim.of(3))), Tensor((T, Dim.of(3)))).shape[1] == Dim.of(3)


@pytest.mark.parametrize(
    "value, text",
    [
        (Tensor((B, Dim.of(64), Dim.of("H") // 2, Dim.of("?w")), dtype="float32"), "f32[B, 64, H//2, ?]"),
        (Tensor(None, dtype="int64"), "i64[...]"),
        (Tensor((), dtype="bool"), "bool[]"),
        (Tensor((B,)), "tensor[B]"),
        (Items((Num(Dim.of(3)), Num(Dim.of(4)))), "(3, 4)"),
        (Items((Num(Dim.of(3)),)), "(3,)"),
        (Const("relu"), "'relu'"),
        (Dtype("float32"), "torch.float32"),
        (ANY, "?"),
    ],
)
def test_a_value_in_a_few_words(value, text):
    assert show(value) == text
    assert not re.search(r"\?\w", show(value))
