"""What becomes of a value in its own scope: whether it is called at once, kept, or never given back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from torchwise.flow.definitions import Definitions, definitions, operands
from torchwise.ir import nodes as ir
from torchwise.rules import structure

KEEPING = frozenset(("append", "add", "insert", "appendleft", "setdefault"))


def unreturned(scope: ir.Scope) -> Iterator[tuple[int, str]]:
    """Results of calls that a local name gets as the last thing on a path that ends without a return."""
    yield from _at_end(definitions(scope), scope.body)


def _at_end(defs: Definitions, block: ir.Block) -> Iterator[tuple[int, str]]:
    instrs = [i for i in block if not isinstance(i, ir.Const)]
    match instrs[-1] if instrs else None:
        case ir.Store(name=name, value=value) if isinstance(defs.get(value), ir.Call):
            if not any(i.name == name and i.out > value for i in defs.of_kind(ir.Load)):
                yield value, name
        case ir.If(then=then, other=other, values=None):
            yield from _at_end(defs, then)
            yield from _at_end(defs, other)
        case ir.With(body=body):
            yield from _at_end(defs, body)


def returns_values(scope: ir.Scope) -> bool:
    """Whether some path gives back more than None."""
    defs = definitions(scope)
    return any(
        i.value is not None and not isinstance(defs.get(i.value), ir.Const) for i in defs.of_kind(ir.Return)
    )


def called_with_parameters(scope: ir.Scope, ref: int) -> bool:
    """Whether all that is done with a value, perhaps under a name, is calling it with what comes from the
    scope's own parameters, the first of them aside.
    """
    defs = definitions(scope)
    names = [i.name for i in defs.of_kind(ir.Store) if i.value == ref]
    loads = {i.out for i in defs.of_kind(ir.Load) if i.name in names}
    uses = [i for i in defs.values() if not isinstance(i, ir.Store) and {ref, *loads} & set(operands(i))]
    if len(names) > 1 or not uses or (names and defs.stored_once(names[0]) is None):
        return False
    params = {p.name for p in scope.params[1:]}
    return all(
        isinstance(i, ir.Call)
        and i.callee in (ref, *loads)
        and any(params & set(structure.words_in(scope, a.ref)) for a in i.args)
        for i in uses
    )


def only_goes_to(scope: ir.Scope, ref: int, to: int) -> bool:
    """Whether what an instruction gives goes into one call, perhaps under a name, and nowhere else."""
    defs = definitions(scope)
    uses = [i for i in defs.values() if ref in operands(i)]
    if len(uses) != 1 or not isinstance(uses[0], ir.Store):
        return len(uses) == 1 and uses[0].out == to
    name, begin = uses[0].name, uses[0].out
    end = min((i.out for i in defs.of_kind(ir.Store) if i.name == name and i.out > begin), default=None)
    loads = [
        i.out
        for i in defs.of_kind(ir.Load)
        if i.name == name and begin < i.out and (end is None or i.out < end)
    ]
    return len(loads) == 1 and loads[0] in operands(defs[to])


def kept_beside(scope: ir.Scope, ref: int) -> int | None:
    """Where a variable that is read at an instruction has been put into a list or the like before, or is
    known by another name, that is read after it.
    """
    defs = definitions(scope)
    load = defs.get(ref)
    if not isinstance(load, ir.Load):
        return None
    stores = [i.out for i in defs.of_kind(ir.Store) if i.name == load.name and i.out < ref]
    begin = max(stores, default=0)
    around = structure.tests_around(scope, ref)
    for other in defs.of_kind(ir.Load):
        if other.name != load.name or not begin < other.out < ref or not _together(scope, other.out, around):
            continue
        for use in (i for i in defs.values() if other.out in operands(i)):
            if _keeps(defs, use, other.out) and _holder_lives(scope, use, ref):
                return use.out
    return None


def _together(scope: ir.Scope, ref: int, around: dict[int, bool]) -> bool:
    """Whether an instruction is met on every way to a place: under no test that the place is not under."""
    return structure.tests_around(scope, ref).items() <= around.items()


def _keeps(defs: Definitions, use: ir.Instr, ref: int) -> bool:
    match use:
        case ir.Call(callee=int(callee), args=args) if ref in [a.ref for a in args]:
            method = defs.get(callee)
            return isinstance(method, ir.Attr) and method.name in KEEPING
        case ir.SetIndex(value=value):
            return value == ref
    return False


def _holder_lives(scope: ir.Scope, use: ir.Instr, ref: int) -> bool:
    """Whether the container is a parameter or an attribute, or read after the instruction."""
    defs = definitions(scope)
    base = use.base if isinstance(use, ir.SetIndex) else None
    method = defs.get(use.callee) if isinstance(use, ir.Call) and isinstance(use.callee, int) else None
    holder = defs.get(base if base is not None else getattr(method, "base", 0))
    if not isinstance(holder, ir.Load):
        return isinstance(holder, ir.Attr)
    handed = any(p.name == holder.name for p in scope.params)
    return handed or any(i.name == holder.name and i.out > ref for i in defs.of_kind(ir.Load))


MEASURES = frozenset(("device", "dim", "dtype", "ndim", "numel", "requires_grad", "shape", "size", "stride"))


def _measured(defs: Mapping[int, ir.Instr], ref: int) -> bool:
    """Whether only something is asked of a tensor that its values have no part in: its sizes, its dtype."""
    uses = [i for i in defs.values() if ref in operands(i)]
    return bool(uses) and all(isinstance(use, ir.Attr) and use.name in MEASURES for use in uses)


def read_again(scope: ir.Scope, ref: int, made: int) -> int | None:
    """Where the value of a variable that is read at an instruction is read once more after it, under this or
    an earlier name, with no other value in between; or goes into one expression with what came of it.
    """
    defs = definitions(scope)
    load = defs.get(ref)
    if not isinstance(load, ir.Load):
        return None
    for use in (i for i in defs.values() if made in operands(i)):
        for other in operands(use):
            before = defs.get(other)
            if isinstance(before, ir.Load) and before.name == load.name and other < ref:
                return other
    around = structure.tests_around(scope, ref)
    for name, begin in _names(scope, load):
        later = (i for i in defs.of_kind(ir.Load) if i.name == name and i.out > ref)
        again = [i.out for i in later if not _measured(defs, i.out)]
        again += [i.out for i in defs.of_kind(ir.Store) if i.name == name and begin < i.out]
        first = min(again, default=None)
        if first is not None and isinstance(defs[first], ir.Load):
            theirs = structure.tests_around(scope, first)
            if all(around.get(test, side) == side for test, side in theirs.items()):
                return first
    return None


def _names(scope: ir.Scope, load: ir.Load) -> Iterator[tuple[str, int]]:
    """The names of one value, each with where it got it: `identity = x` before `x` is read."""
    defs = definitions(scope)
    yield load.name, load.out
    for store in defs.of_kind(ir.Store):
        source = defs.get(store.value)
        if isinstance(source, ir.Load) and source.name == load.name and store.out < load.out:
            between = (i for i in defs.of_kind(ir.Store) if i.name in (load.name, store.name))
            if not any(store.out < i.out < load.out for i in between):
                yield store.name, store.out
