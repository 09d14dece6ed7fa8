"""What one test says of another: where `gpus > 1` was true, `gpus == 1` is false."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from torchwise.flow.state import Condition

ORDERED: dict[object, Callable[[float, float], bool]] = {
    "operator.lt": operator.lt,
    "operator.le": operator.le,
    "operator.gt": operator.gt,
    "operator.ge": operator.ge,
}
EQUAL: dict[object, Callable[[object, object], bool]] = {
    "operator.eq": operator.eq,
    "operator.ne": operator.ne,
}
TESTS = {**ORDERED, **EQUAL}
SOME_OTHER = object()  # stands for all values that no test names


def implied(condition: Condition, assumed: Mapping[Condition, bool]) -> bool | None:
    """The answer to a comparison with a constant, where those assumed before leave only one."""
    asked = _compared(condition)
    if asked is None:
        return None
    test, what, constant = asked
    known = [(c, answer) for other, answer in assumed.items() if (c := _compared(other)) and c[1] == what]
    if not known:
        return None
    constants = [constant, *(c[2] for c, _ in known)]
    if any(type(c) is not type(constant) for c in constants):
        return None
    if not isinstance(constant, int | float) and any(
        t not in EQUAL for t in (test, *(c[0] for c, _ in known))
    ):
        return None
    left = [v for v in _values(constants) if all(TESTS[c[0]](v, c[2]) is a for c, a in known)]  # type: ignore[arg-type]
    answers = {TESTS[test](v, constant) for v in left}  # type: ignore[arg-type]
    return answers.pop() if len(answers) == 1 else None


def _compared(condition: Condition) -> tuple[object, object, object] | None:
    """`what < 3` as the test, what is asked, and the constant."""
    match condition[1]:
        case (str() as test, what, (str(), constant)) if test in TESTS and isinstance(
            constant, int | float | str
        ):
            return test, what, constant
    return None


def _values(constants: list[object]) -> list[object]:
    """One of each kind of value that the tests can tell apart."""
    numbers = [c for c in constants if isinstance(c, int | float)]
    if len(numbers) == len(constants):
        return [n + step for n in numbers for step in (-1, -0.5, 0, 0.5, 1)]
    return [*constants, SOME_OTHER]
