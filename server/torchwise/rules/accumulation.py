"""Gradients that are gathered over several turns: where an optimizer steps on some turns only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from torchwise.flow.definitions import definitions
from torchwise.ir import nodes as ir
from torchwise.rules.structure import inside, loops_around, tests_around

GATHERS = re.compile(r"accum|micro_?batch")


@dataclass(frozen=True)
class Nth:
    """A test of a loop's counter, and whether an optimizer steps under it alone: nowhere else, and not
    after the loop.
    """

    test: int
    steps: bool


def every_nth(scope: ir.Scope, ref: int) -> list[Nth]:
    around, found = loops_around(scope, ref), []
    if not around or tests_around(scope, ref):
        return []
    defs = definitions(scope)
    for out in inside(around[-1]):
        instr = defs.get(out)
        if isinstance(instr, ir.If) and not instr.other and _counts(defs.get(instr.test), defs):
            then = {r for one in instr.then for r in inside(one)}
            elsewhere = [i for i in defs.values() if _steps(i, defs) and i.out not in then]
            found.append(Nth(instr.test, any(_steps(defs[r], defs) for r in then) and not elsewhere))
    return found


def _counts(test: ir.Instr | None, defs: dict[int, ir.Instr]) -> bool:
    """`(i + 1) % n == 0`, and nothing else."""
    if not isinstance(test, ir.Call) or test.callee != "operator.eq":
        return False
    left = defs.get(test.args[0].ref)
    return isinstance(left, ir.Call) and left.callee == "operator.mod"


def _steps(instr: ir.Instr, defs: dict[int, ir.Instr]) -> bool:
    """A call of something named for a step: `optimizer.step()`, `self._optimizer_step()`."""
    attr = defs.get(instr.callee) if isinstance(instr, ir.Call) and isinstance(instr.callee, int) else None
    name = attr.name if isinstance(attr, ir.Attr | ir.Load) else ""
    scheduled = isinstance(attr, ir.Attr) and "sched" in getattr(defs.get(attr.base), "name", "")
    return name.endswith("step") and not scheduled


def gathered(scope: ir.Scope, ref: int) -> Iterator[tuple[int, int | None]]:
    """The tests of a counter under which an optimizer steps while a backward, at `ref`, runs every time;
    and what the counter is divided by or compared with. Nothing where one steps every time as well.
    """
    defs = definitions(scope)
    under, around = tests_around(scope, ref), loops_around(scope, ref)
    reach = inside(around[-1]) if around else defs.keys()
    steps = [out for out in reach if out > ref and _steps(defs[out], defs)]
    if any(tests_around(scope, out) == under for out in steps):
        return
    for out in reach:
        instr = defs.get(out)
        if isinstance(instr, ir.If) and instr.then and out not in under:
            then = {r for one in instr.then for r in inside(one)}
            if any(_steps(defs[r], defs) for r in then):
                yield from ((instr.test, by) for by in _counters(instr.test, defs))


def under_counter(scope: ir.Scope, ref: int, always: int) -> list[int]:
    """The tests of a counter that an instruction stands under, and another one does not."""
    defs = definitions(scope)
    around = tests_around(scope, ref).keys() - tests_around(scope, always).keys()
    found = [instr.test for out in sorted(around) if isinstance(instr := defs[out], ir.If)]
    return [test for test in found if any(True for _ in _counters(test, defs))]


def inner_loop(scope: ir.Scope, ref: int) -> int | None:
    """How many turns the loop around a backward has, where it gathers gradients for a step after it."""
    defs, around = definitions(scope), loops_around(scope, ref)
    if not around or tests_around(scope, ref):
        return None
    inner = inside(around[-1])
    outer = inside(around[-2]) if len(around) > 1 else set(defs)
    steps = [r for r, i in defs.items() if _steps(i, defs)]
    over = defs.get(around[-1].over or 0)
    if any(r in inner for r in steps) or not any(r in outer for r in steps) or not isinstance(over, ir.Call):
        return None
    return next((a.ref for a in over.args if _gathers(a.ref, defs)), None)


def _gathers(ref: int, defs: dict[int, ir.Instr]) -> bool:
    """Whether a name or an attribute is called for gradients that are gathered."""
    instr = defs.get(ref)
    return isinstance(instr, ir.Load | ir.Attr) and GATHERS.search(instr.name.lower()) is not None


def _counters(ref: int, defs: dict[int, ir.Instr], depth: int = 0) -> Iterator[int | None]:
    """What a counter is taken modulo, in a test, or in what a local name stored of one."""
    instr = defs.get(ref)
    if depth > 6:
        return
    match instr:
        case ir.Call(callee="operator.mod", args=(_, by)):
            yield by.ref
        case ir.Call(callee="operator.eq" | "operator.ge", args=(_, by)) if _gathers(by.ref, defs):
            yield by.ref
        case ir.Call(args=args):
            for arg in args:
                yield from _counters(arg.ref, defs, depth + 1)
        case ir.If(test=test, values=values):
            for inner in {test, *(values or ())}:
                yield from _counters(inner, defs, depth + 1)
        case ir.Load(name=name):
            stores = [i.value for i in defs.values() if isinstance(i, ir.Store) and i.name == name]
            if len(stores) == 1:
                yield from _counters(stores[0], defs, depth + 1)
