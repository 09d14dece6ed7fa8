"""Turns of a loop that come later than the second: what only a counter keeps out of the first two.

`if step % 100 == 0:` is known to fail while `step` is known to be 1 and 2. What stands under it, or after an
`if step % 100: return`, runs all the same, in a turn of which the number is not known. So it is with what a
function that is called keeps out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchwise.domain.value import Num, Value
from torchwise.flow.definitions import nested
from torchwise.ir import nodes as ir

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State


def kept_out(run: Run, body: ir.Block, before: State, states: list[State]) -> bool:
    """Whether a side of some branch was never taken, and its test asks a number that turns change."""
    if not states:
        return False
    counters = set(_counters(before, states[0]))
    if not counters:
        return False
    return not counters.isdisjoint(run.waits) or any(
        not counters.isdisjoint(_mentioned(run, test)) for test in _one_sided(run, _inside(body))
    )


def waits(run: Run) -> frozenset[str]:
    """The names and attributes in tests that went one way only, here and in what was called."""
    tests = _one_sided(run, run.defs.of_kind(ir.If))
    return frozenset(run.waits).union(*(_mentioned(run, test) for test in tests))


def _one_sided(run: Run, instrs: Iterable[ir.Instr]) -> Iterator[int]:
    """The tests of branches that went one way only, where something is to be found on the other."""
    for instr in instrs:
        if isinstance(instr, ir.If) and instr.values is None:
            taken = [(instr.out, side) in run.sides for side in (True, False)]
            if taken[0] != taken[1]:
                went, missed = (instr.then, instr.other) if taken[0] else (instr.other, instr.then)
                if missed or (went and isinstance(went[-1], ir.Return | ir.Leave)):
                    yield instr.test


def _counters(before: State, after: State) -> Iterator[str]:
    """Names and attributes that hold a known number, and another one after a turn."""
    yield from _changed(before.env, after.env)
    for site, obj in after.heap.items():
        was = before.heap.get(site)
        if was is not None and was is not obj:
            yield from _changed(was.attrs, obj.attrs)


def _changed(before: object, after: object) -> Iterator[str]:
    old: dict[str, Value] = before  # type: ignore[assignment]
    for name, value in after.items():  # type: ignore[attr-defined]
        if isinstance(value, Num) and old.get(name) != value and isinstance(old.get(name), Num):
            yield name


def _inside(body: ir.Block) -> Iterator[ir.Instr]:
    queue = list(body)
    while queue:
        one = queue.pop()
        yield one
        queue += nested(one)


def _mentioned(run: Run, ref: int, depth: int = 0) -> Iterator[str]:
    """The names and attributes in an expression."""
    match run.defs.get(ref) if depth < 8 else None:
        case ir.Load(name=name) | ir.Attr(name=name):
            yield name
        case ir.Call(args=args):
            for arg in args:
                yield from _mentioned(run, arg.ref, depth + 1)
        case ir.If(test=test, values=(one, other)):
            for inner in (test, one, other):
                yield from _mentioned(run, inner, depth + 1)
