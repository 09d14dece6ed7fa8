"""Python's operators on plain values: python is the judge."""

import operator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ops.judge import Heap, abstract
from torchwise.domain.dim import Dim
from torchwise.domain.value import ANY, Const, Items, Num, Obj, Pointer, Some, Value
from torchwise.ops import OPS, Given, Made
from torchwise.ops.spec import Outcome

NUMBERS = st.integers(-4, 9) | st.sampled_from([0.5, -1.5, 2.0, True, False, 1j])
PLAIN = NUMBERS | st.sampled_from(["a", "relu", None, (1, 2), (), (3, "a"), [1, 2], []])
BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift"]
COMPARED = ["lt", "le", "gt", "ge", "eq", "ne", "is_", "is_not"]
EXAMPLES = settings(max_examples=80, derandomize=True, deadline=None, database=None)


def asked(path: str, heap: Heap, **values: Value) -> tuple[Value | Made, tuple]:
    found = OPS[path].returns(Given(values, heap))
    return (found.result, found.effects) if isinstance(found, Outcome) else (found, ())


def covers(value: Value | Made | Obj, truth: object, heap: Heap) -> bool:
    """Whether what is said is true of the python value."""
    match value:
        case Const(known):
            return type(known) is type(truth) and known == truth
        case Num(dim):
            return dim.number is None or (type(truth) is int and dim.number == truth)
        case Some(kind):
            return type(truth).__name__ == kind
        case Items(items):
            same = isinstance(truth, tuple) and len(items) == len(truth)
            return same and all(covers(v, t, heap) for v, t in zip(items, truth))
        case Made(obj):
            return covers(obj, truth, heap)
        case Pointer(to):
            return covers(heap[to], truth, heap)
        case Obj():
            same = isinstance(truth, list) and (value.items is None or len(value.items) == len(truth))
            return same and all(covers(v, t, heap) for v, t in zip(value.items or (), truth))
    return value is ANY


@pytest.mark.parametrize("name", BINARY)
@EXAMPLES
@given(a=PLAIN, b=PLAIN)
def test_an_operator_gives_what_python_gives(name, a, b):
    if name in ("pow", "lshift", "mul") and max(len(str(a)), len(str(b))) > 20:
        return
    heap: Heap = Heap()
    one, other = abstract(a, False, heap, {}), abstract(b, False, heap, {})
    found, _ = asked(f"operator.{name}", heap, input=one, other=other)
    try:
        truth = getattr(operator, name)(a, b)
    except (TypeError, ZeroDivisionError, ValueError):
        return
    assert covers(found, truth, heap), (found, truth)


@pytest.mark.parametrize("name", COMPARED)
@EXAMPLES
@given(a=PLAIN, b=PLAIN)
def test_a_comparison_gives_what_python_gives(name, a, b):
    heap: Heap = Heap()
    one, other = abstract(a, False, heap, {}), abstract(b, False, heap, {})
    if name.startswith("is") and a is not b and a == b:
        return  # whether equal constants are one object is python's own business
    found, _ = asked(f"operator.{name}", heap, input=one, other=other)
    try:
        truth = getattr(operator, name)(a, b)
    except TypeError:
        return
    assert covers(found, truth, heap), (found, truth)


@EXAMPLES
@given(a=st.lists(PLAIN, max_size=3), b=st.lists(PLAIN, max_size=3))
def test_a_list_is_extended_in_place(a, b):
    heap: Heap = Heap()
    one, other = abstract(a, False, heap, {}), abstract(b, False, heap, {})
    found, (effect,) = asked("operator.iadd", heap, input=one, other=other)
    assert found == one
    assert covers(Obj("list", items=effect.items), a + b, heap)


@pytest.mark.parametrize("name", ["neg", "pos", "invert", "not_", "truth"])
@EXAMPLES
@given(a=PLAIN)
def test_a_prefix_gives_what_python_gives(name, a):
    heap: Heap = Heap()
    found, _ = asked(f"operator.{name}", heap, input=abstract(a, False, heap, {}))
    try:
        truth = getattr(operator, name)(a)
    except (TypeError, DeprecationWarning):
        return
    assert covers(found, truth, heap), (found, truth)


INDICES = st.integers(-4, 4) | st.builds(
    slice, *[st.none() | st.integers(-3, 3)] * 2, st.sampled_from([None, 1, 2, -1])
)


@EXAMPLES
@given(base=st.sampled_from([(1, 2, 3), ("a",), (), [1, 2, 3], [], "relu"]), index=INDICES)
def test_an_element_is_the_one_that_python_takes(base, index):
    heap: Heap = Heap()
    values = {"self": abstract(base, False, heap, {}), "index": abstract(index, False, heap, {})}
    found, _ = asked("operator.getitem", heap, **values)
    try:
        truth = base[index]
    except IndexError:
        return
    assert covers(found, truth, heap), (found, truth)


@EXAMPLES
@given(
    items=st.dictionaries(st.sampled_from(["a", "b", 1, 2]), NUMBERS, max_size=4),
    key=st.sampled_from(["a", 1, 7]),
)
def test_a_dict_is_read_and_written_by_key(items, key):
    heap: Heap = Heap()
    flat = tuple(abstract(part, False, heap, {}) for pair in items.items() for part in pair)
    pointer = heap.put(Obj("dict", items=flat))
    found, _ = asked("operator.getitem", heap, self=pointer, index=abstract(key, False, heap, {}))
    assert key not in items or covers(found, items[key], heap)
    value = abstract(5, False, heap, {})
    _, (effect,) = asked(
        "operator.setitem", heap, self=pointer, index=abstract(key, False, heap, {}), value=value
    )
    expected = [part for pair in {**items, key: 5}.items() for part in pair]
    assert all(covers(v, t, heap) for v, t in zip(effect.items, expected, strict=True))


@EXAMPLES
@given(item=PLAIN, container=st.sampled_from([(1, "a", None), [1, 2], "relu", ()]))
def test_in_says_what_python_says(item, container):
    heap: Heap = Heap()
    values = {"item": abstract(item, False, heap, {}), "container": abstract(container, False, heap, {})}
    found, _ = asked("operator.contains", heap, **values)
    try:
        truth = item in container
    except TypeError:
        return
    assert covers(found, truth, heap), (found, truth)


def test_ints_that_are_sizes_stay_exact():
    B, T = Num(Dim.of("B")), Num(Dim.of("T"))
    heap: Heap = Heap()
    assert asked("operator.mul", heap, input=B, other=T)[0] == Num(Dim.of("B") * Dim.of("T"))
    assert asked("operator.floordiv", heap, input=B, other=Num(Dim.of(2)))[0] == Num(Dim.of("B") // 2)
    assert asked("operator.truediv", heap, input=B, other=Num(Dim.of(2)))[0] == Some("float")
    assert asked("operator.pow", heap, input=B, other=Num(Dim.of(2)))[0] == Num(Dim.of("B") ** 2)
    assert asked("operator.eq", heap, input=B, other=T)[0] == Some("bool")
    assert asked("operator.ne", heap, input=B, other=B)[0] == Const(False)
    assert asked("operator.lt", heap, input=B, other=Num(Dim.of("B") + 1))[0] == Const(True)
