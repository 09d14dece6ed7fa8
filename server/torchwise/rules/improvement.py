"""Early stopping as it is written: a figure compared with the best so far, what is kept, what is counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torchwise.flow.definitions import definitions
from torchwise.ir import nodes as ir
from torchwise.rules.structure import inside, loops_around


@dataclass(frozen=True)
class Improvement:
    """`if figure < best: best = figure`.

    `at` is the comparison, or where the figure is kept if that is where the comparison fails; `figure` the
    instruction compared; `name` and `best` what they are called; `falls`: whether lower is better. `counter`
    is what the other side counts up and compares with a patience; `counts` the instruction that does.
    `calls_own`: the improving side calls a method of the same object, that may set anything.
    """

    at: int
    figure: int
    name: str
    best: str
    falls: bool
    counter: str = ""
    counts: int = 0
    calls_own: bool = False


def improvements(scope: ir.Scope) -> Iterator[Improvement]:
    defs = definitions(scope)
    for instr in list(defs.values()):
        if isinstance(instr, ir.If) and instr.values is None:
            yield from _on_side(instr.test, instr.then, instr.other, True, defs)
            yield from _on_side(instr.test, instr.other, instr.then, False, defs)


def _on_side(
    test: int, better: ir.Block, worse: ir.Block, holds: bool, defs: dict[int, ir.Instr]
) -> Iterator[Improvement]:
    """`better`: the side of a test on which the figure may become the best so far; `holds`: it is that on
    which the test holds.
    """
    inner = [defs[r] for r in sorted(_inside(better))]
    for at, figure, best, falls in _comparisons(test, defs):
        kept = [i for i in inner if isinstance(i, ir.Store | ir.SetAttr) and i.name == _name(best, defs)]
        if kept and all(_same(_stored(i, defs), figure, defs) for i in kept):
            counter, counts = _counter(worse, defs)
            yield Improvement(
                at if holds else kept[0].out, figure, _name(figure, defs), _name(best, defs),
                falls is holds, counter, counts, _calls_own(inner, defs),
            )  # fmt: skip


def sets_again(scope: ir.Scope, name: str, ref: int) -> bool:
    """Whether a name or an attribute is set to anything but one more than it was, in the loop around an
    instruction or, where there is none, anywhere in the scope.
    """
    defs, around = definitions(scope), loops_around(scope, ref)
    reach = inside(around[-1]) if around else defs.keys()
    stores = [i for i in map(defs.get, reach) if isinstance(i, ir.Store | ir.SetAttr) and i.name == name]
    return any(not _counts_up(i, defs) for i in stores)


def _calls_own(then: list[ir.Instr], defs: dict[int, ir.Instr]) -> bool:
    for instr in then:
        attr = (
            defs.get(instr.callee) if isinstance(instr, ir.Call) and isinstance(instr.callee, int) else None
        )
        owner = defs.get(attr.base) if isinstance(attr, ir.Attr) else None
        if isinstance(owner, ir.Load) and owner.name == "self" and "save" not in attr.name:  # type: ignore[union-attr]
            return True
    return False


def _comparisons(ref: int, defs: dict[int, ir.Instr], depth: int = 0) -> Iterator[tuple[int, int, int, bool]]:
    """The comparisons in a test: their instruction, the figure, what it is compared with, and the sense."""
    match defs.get(ref) if depth < 8 else None:
        case ir.If(test=test, values=(one, other)):
            for inner in dict.fromkeys((test, one, other)):
                yield from _comparisons(inner, defs, depth + 1)
        case ir.Load(name=name):
            stores = [i.value for i in defs.values() if isinstance(i, ir.Store) and i.name == name]
            if len(stores) == 1 and not isinstance(defs.get(stores[0]), ir.Load):
                yield from _comparisons(stores[0], defs, depth + 1)
        case ir.Call(callee="operator.lt" | "operator.le" | "operator.gt" | "operator.ge" as op, args=(a, b)):
            falls = op in ("operator.lt", "operator.le")
            yield ref, a.ref, _bare(b.ref, defs), falls
            yield ref, b.ref, _bare(a.ref, defs), not falls


def _bare(ref: int, defs: dict[int, ir.Instr]) -> int:
    """`best` of `best - min_delta` and of `best * 0.99`."""
    instr = defs.get(ref)
    if isinstance(instr, ir.Call) and instr.callee in ("operator.add", "operator.sub", "operator.mul"):
        return _bare(instr.args[0].ref, defs)
    return ref


def _name(ref: int | None, defs: dict[int, ir.Instr]) -> str:
    match defs.get(ref or 0):
        case ir.Load(name=name) | ir.Attr(name=name):
            return name
        case ir.Call(callee=int(callee)):
            return _name(callee, defs)
        case ir.Index(index=index):
            key = defs.get(index)
            return str(key.value) if isinstance(key, ir.Const) else ""
    return ""


def _stored(instr: ir.Store | ir.SetAttr, defs: dict[int, ir.Instr]) -> int:
    """What is stored; of a tuple that is taken apart at once, its part."""
    value = defs.get(instr.value)
    whole = defs.get(value.value) if isinstance(value, ir.Unpack) else None
    if isinstance(value, ir.Unpack) and isinstance(whole, ir.Build) and whole.kind == "tuple":
        return whole.items[value.index].ref
    return instr.value


def _same(a: int, b: int, defs: dict[int, ir.Instr]) -> bool:
    one, other = defs.get(a), defs.get(b)
    return a == b or (type(one) is type(other) and _name(a, defs) == _name(b, defs) != "")


def _counts_up(instr: ir.Store | ir.SetAttr, defs: dict[int, ir.Instr]) -> bool:
    """`waited += 1`, `waited = waited + 1`."""
    made = defs.get(_stored(instr, defs))
    adds = isinstance(made, ir.Call) and made.callee in ("operator.iadd", "operator.add")
    return adds and _name(made.args[0].ref, defs) == instr.name  # type: ignore[union-attr]


def _counter(worse: ir.Block, defs: dict[int, ir.Instr]) -> tuple[str, int]:
    """What the other side counts up, if that is compared with a patience somewhere."""
    for ref in sorted(_inside(worse)):
        one = defs[ref]
        if isinstance(one, ir.Store | ir.SetAttr) and _counts_up(one, defs) and _limits(one.name, defs):
            return one.name, one.out
    return "", 0


def _limits(name: str, defs: dict[int, ir.Instr]) -> bool:
    """Whether a name is compared with a number, an attribute or a name that says how long to wait."""
    for instr in defs.values():
        match instr:
            case ir.Call(callee="operator.ge" | "operator.gt" | "operator.eq", args=(a, b)):
                if _name(a.ref, defs) == name and "patience" in _name(b.ref, defs).lower():
                    return True
    return False


def _inside(block: ir.Block) -> set[int]:
    return {r for one in block for r in inside(one)}
