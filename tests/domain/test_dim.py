"""Arithmetic on lengths: exact for every size put in, one form for equal lengths, no wrong verdict."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torchwise.domain.dim import Dim

H, W, B = map(Dim.of, "HWB")
SIZES = st.fixed_dictionaries({name: st.integers(0, 12) for name in "HWB"})
LEAVES = st.sampled_from(["H", "W", "B", *map(str, range(-3, 5))])
FORMULAS = st.recursive(
    LEAVES,
    lambda part: st.tuples(part, st.sampled_from(["+", "-", "*", "//", "%"]), part).map(
        "({0[0]} {0[1]} {0[2]})".format
    ),
    max_leaves=6,
)
EXAMPLES = settings(max_examples=150, derandomize=True, deadline=None, database=None)


def dim_of(formula: str) -> Dim:
    return Dim.of(0) + eval(formula, {"H": H, "W": W, "B": B})


def put_in(dim: Dim, sizes: dict[str, int]) -> int | None:
    return dim.with_names({name: Dim.of(size) for name, size in sizes.items()}).number


def value(formula: str, sizes: dict[str, int]) -> int | None:
    try:
        return eval(formula, dict(sizes))
    except ZeroDivisionError:
        return None


def known(formula: str, sizes: dict[str, int]) -> tuple[Dim, int] | None:
    """A length and its value, where no divisor is zero."""
    try:
        dim = dim_of(formula)
    except (ZeroDivisionError, TypeError):
        return None
    real = value(formula, sizes)
    return None if real is None else (dim, real)


@EXAMPLES
@given(formula=FORMULAS, sizes=SIZES)
def test_putting_sizes_in_gives_what_python_gives(formula, sizes):
    found = known(formula, sizes)
    if found is not None and (number := put_in(found[0], sizes)) is not None:
        assert number == found[1]


@EXAMPLES
@given(formula=FORMULAS, sizes=SIZES)
def test_the_text_is_python_for_the_same_length(formula, sizes):
    found = known(formula, sizes)
    if found is not None and value(str(found[0]), sizes) is not None:
        assert value(str(found[0]), sizes) == found[1]
        assert dim_of(str(found[0])) == found[0]


@EXAMPLES
@given(a=FORMULAS, b=FORMULAS, sizes=SIZES)
def test_a_verdict_holds_for_every_size(a, b, sizes):
    one, other = known(a, sizes), known(b, sizes)
    if one is None or other is None:
        return
    checks = [(one[0].same_as(other[0]), one[1] == other[1]), (one[0].less_than(other[0]), one[1] < other[1])]
    if one[1]:
        checks.append((one[0].divides(other[0]), other[1] % one[1] == 0))
    for verdict, truth in checks:
        assert not (verdict.holds and not truth) and not (verdict.fails and truth)


@pytest.mark.parametrize(
    "a, b",
    [
        ("(H + 2*3 - 7)//2 + 1", "(H + 1)//2"),
        ("((H + 1)//2 + 2 - 3)//2 + 1", "(H + 3)//4"),
        ("(2*H + 3)//2", "H + 1"),
        ("B*(H//B) + H % B", "H"),
        ("(B*H*W)//(B*W)", "H"),
        ("(H*W)//(H*B)", "W//B"),
        ("(H*H - W*W)//(H + W)", "H - W"),
        ("H//(-2)", "(-H)//2"),
        ("H - H", "0"),
    ],
)
def test_equal_lengths_are_equal_objects(a, b):
    assert dim_of(a) == dim_of(b)
    assert hash(dim_of(a)) == hash(dim_of(b))
    assert dim_of(a).same_as(dim_of(b)).holds


@pytest.mark.parametrize(
    "formula, text",
    [
        ("B*H", "B*H"),
        ("H//2 + 1", "H//2 + 1"),
        ("H % 2 + B", "B + H % 2"),
        ("10 - H", "10 - H"),
        ("3*(H//2)*(H//2)", "3*(H//2)**2"),
        ("-(H//2)", "-(H//2)"),
        ("B*(H//2)", "B*(H//2)"),
    ],
)
def test_the_text_is_how_people_write_it(formula, text):
    assert str(dim_of(formula)) == text


def test_sizes_that_nobody_named_are_hidden():
    unnamed = Dim.of("?x@scope:3.0") + 1
    assert unnamed.hidden
    assert str(unnamed) == "? + 1"
    assert not (H + 1).hidden


@pytest.mark.parametrize(
    "verdict, question",
    [
        ("holds", "(H + 1).same_as(H + 1)"),
        ("fails", "(H + 1).same_as(H)"),
        ("fails", "(2*H).same_as(7)"),
        ("unknown", "H.same_as(W)"),
        ("unknown", "H.same_as(1)"),
        ("fails", "(H + 2).same_as(1)"),
        ("holds", "H.less_than(H + 1)"),
        ("fails", "(H + 3).less_than(3)"),
        ("unknown", "H.less_than(3)"),
        ("holds", "Dim.of(4).divides(8*H)"),
        ("fails", "Dim.of(2).divides(2*H + 1)"),
        ("holds", "H.divides(H*W)"),
        ("unknown", "Dim.of(2).divides(H)"),
    ],
)
def test_three_answers(verdict, question):
    assert eval(question).value == verdict


def test_a_length_survives_pickling():
    dim = (H + 3) // W % 5
    assert pickle.loads(pickle.dumps(dim)) == dim


def test_what_grows_too_long_becomes_opaque_and_stays_equal_to_itself():
    def grown() -> Dim:
        total = H
        for name in "abcdefghijklmnop":
            total = total * (Dim.of(name) + 1)
        return total

    assert grown() == grown()
    assert grown().hidden
