"""Builtins and the methods of python's containers: where the tables know an answer, it is python's own."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torchwise.domain.dim import Dim
from torchwise.domain.effects import SetItems
from torchwise.domain.value import ANY, Const, Items, Many, Named, Num, Obj, Pointer, Site, Value
from torchwise.ops import OPS, Given, Made, Outcome

LIGHT = settings(max_examples=30, derandomize=True, deadline=None, database=None)
ME, OTHER = Site("test", 1), Site("test", 2)
SCALARS = st.one_of(
    st.integers(-9, 9), st.booleans(), st.sampled_from((0.5, -1.25, 2.0)), st.sampled_from(("a", "b", "12"))
)


def as_value(thing: object) -> Value:
    match thing:
        case bool() | float() | str() | None:
            return Const(thing)
        case int():
            return Num(Dim.of(thing))
        case tuple() | list() | range():
            return Items(tuple(map(as_value, thing)))
    return ANY


def as_python(value: Value | Made) -> object:
    """What a value certainly is; `...` where that is not known."""
    match value:
        case Const(constant):
            return constant
        case Num(dim) if dim.number is not None:
            return dim.number
        case Items(items):
            return [as_python(v) for v in items]
        case Made(obj) if obj.items is not None and obj.cls in ("list", "set"):
            return [as_python(v) for v in obj.items]
    return ...


def asked(path: str, heap: dict[Site, Obj] | None = None, **values: Value) -> Outcome:
    answer = OPS[path].returns(Given(values, heap or {}, site=Site("test", 9)))
    return answer if isinstance(answer, Outcome) else Outcome(answer)


def agrees(known: object, real: object) -> bool:
    if known is ...:
        return True
    if isinstance(known, list):
        real = list(real)  # type: ignore[call-overload]
        return len(known) == len(real) and all(agrees(k, r) for k, r in zip(known, real))
    return type(known) is type(real) and known == real


ONE = {  # builtins of one argument, by the name of their parameter
    "len": "obj",
    "int": "x",
    "float": "x",
    "bool": "x",
    "str": "object",
    "abs": "x",
    "round": "number",
    "sum": "iterable",
    "any": "iterable",
    "all": "iterable",
    "reversed": "sequence",
    "sorted": "iterable",
    "list": "iterable",
    "tuple": "iterable",
    "enumerate": "iterable",
}


@pytest.mark.parametrize("name", sorted(ONE))
@given(thing=st.one_of(SCALARS, st.lists(SCALARS, max_size=4), st.lists(st.integers(0, 9), max_size=4)))
@LIGHT
def test_builtins_answer_as_python_does(name: str, thing: object) -> None:
    try:
        real = __builtins__[name](thing)  # type: ignore[index]
    except (TypeError, ValueError):
        return
    found = asked(f"builtins.{name}", **{ONE[name]: as_value(thing)})
    assert agrees(as_python(found.result), real), f"{name}({thing!r}) is {real!r}, not {found.result}"


@given(args=st.lists(st.integers(-8, 8), min_size=1, max_size=3))
@LIGHT
def test_a_range_has_its_numbers(args: list[int]) -> None:
    if len(args) == 3 and args[2] == 0:
        return
    found = asked("builtins.range", args=as_value(args)).result
    assert as_python(found) == list(range(*args))


@given(lists=st.lists(st.lists(SCALARS, max_size=3), min_size=1, max_size=3))
@LIGHT
def test_zip_stops_with_the_shortest(lists: list[list[object]]) -> None:
    found = asked("builtins.zip", iterables=as_value(lists)).result
    assert agrees(as_python(found), [list(row) for row in zip(*lists)])


@pytest.mark.parametrize("which", ["min", "max"])
@given(numbers=st.lists(st.one_of(st.integers(-5, 5), st.sampled_from((0.5, 1.5))), min_size=1, max_size=4))
@LIGHT
def test_extremes_of_numbers(which: str, numbers: list[float]) -> None:
    found = asked(f"builtins.{which}", args=Items((as_value(numbers),))).result
    assert agrees(as_python(found), (min if which == "min" else max)(numbers))


MATH = ("sqrt", "log", "exp", "floor", "ceil", "pow", "gcd", "isnan", "prod", "trunc", "log2")


@pytest.mark.parametrize("name", MATH)
@given(numbers=st.lists(st.one_of(st.integers(-5, 50), st.sampled_from((0.5, 2.5))), min_size=1, max_size=2))
@LIGHT
def test_mathematics_answers_as_python_does(name: str, numbers: list[float]) -> None:
    try:
        real = math.prod(numbers) if name == "prod" else getattr(math, name)(*numbers)
    except (TypeError, ValueError, ArithmeticError):
        return
    values = {"iterable": as_value(numbers)} if name == "prod" else {"args": as_value(numbers)}
    assert agrees(as_python(asked(f"math.{name}", **values).result), real)


STEPS = {  # methods of a list with their arguments
    "append": st.tuples(SCALARS),
    "extend": st.tuples(st.lists(SCALARS, max_size=2)),
    "pop": st.one_of(st.just(()), st.tuples(st.integers(-3, 3))),
    "insert": st.tuples(st.integers(-3, 3), SCALARS),
    "reverse": st.just(()),
    "clear": st.just(()),
    "copy": st.just(()),
}


@given(
    steps=st.lists(
        st.sampled_from(sorted(STEPS)).flatmap(lambda n: st.tuples(st.just(n), STEPS[n])), max_size=8
    )
)
@LIGHT
def test_a_list_holds_what_python_puts_in_it(steps: list) -> None:
    real: list = []
    heap = {ME: Obj("list")}
    for name, args in steps:
        try:
            expected = getattr(real, name)(*args)
        except IndexError:
            return
        values = dict(zip(OPS[f"list.{name}"].params[1:], map(as_value, args)))
        outcome = asked(f"list.{name}", heap, self=Pointer(ME), **values)
        for effect in outcome.effects:
            assert isinstance(effect, SetItems)
            heap[ME] = heap[ME].with_items(effect.items, effect.each)
        assert agrees(as_python(outcome.result), expected)
        assert heap[ME].items is not None and agrees([as_python(v) for v in heap[ME].items], real)


KEYS = st.sampled_from(("a", "b", "c"))
CHANGES = {
    "update": st.tuples(st.dictionaries(KEYS, SCALARS, max_size=2)),
    "pop": st.tuples(KEYS, SCALARS),
    "get": st.tuples(KEYS, SCALARS),
    "setdefault": st.tuples(KEYS, SCALARS),
    "clear": st.just(()),
    "keys": st.just(()),
    "values": st.just(()),
    "items": st.just(()),
}


def flat(mapping: dict) -> tuple[Value, ...]:
    return tuple(as_value(x) for pair in mapping.items() for x in pair)


@given(
    steps=st.lists(
        st.sampled_from(sorted(CHANGES)).flatmap(lambda n: st.tuples(st.just(n), CHANGES[n])), max_size=8
    )
)
@LIGHT
def test_a_dict_holds_what_python_puts_in_it(steps: list) -> None:
    real: dict = {}
    heap = {ME: Obj("dict")}
    for name, args in steps:
        expected = getattr(real, name)(*args)
        if name == "update":
            heap[OTHER] = Obj("dict", items=flat(args[0]))
            values: dict[str, Value] = {"other": Pointer(OTHER)}
        else:
            values = dict(zip(OPS[f"dict.{name}"].params[1:], map(as_value, args)))
        outcome = asked(f"dict.{name}", heap, self=Pointer(ME), **values)
        for effect in outcome.effects:
            assert isinstance(effect, SetItems)
            heap[ME] = heap[ME].with_items(effect.items, effect.each)
        items = [list(p) for p in expected] if name == "items" else expected
        assert agrees(as_python(outcome.result), items), name
        assert heap[ME].items == flat(real)


NUMBERED = (1, True, 0.5, "a", None, (1, 2))


@pytest.mark.parametrize("kind", [int, float, bool, str, tuple, list, dict])
@pytest.mark.parametrize("thing", NUMBERED)
def test_isinstance_is_true_or_false_where_python_says_so(thing: object, kind: type) -> None:
    found = asked(
        "builtins.isinstance", object=as_value(thing), classinfo=Named(f"builtins.{kind.__name__}")
    ).result
    assert as_python(found) == isinstance(thing, kind)


def test_an_unknown_list_stays_unknown() -> None:
    heap = {ME: Obj("list", items=None, each=Num(Dim.of(1)))}
    outcome = asked("list.append", heap, self=Pointer(ME), item=Num(Dim.of(1)))
    assert outcome.effects == (SetItems(Pointer(ME), None, Num(Dim.of(1))),)
    assert isinstance(asked("builtins.enumerate", heap, iterable=Pointer(ME)).result, Many)
