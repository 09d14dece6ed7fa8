"""What stands where in a scope, whatever the values are: names in an expression, tests around a statement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from torchwise.flow.definitions import definitions, nested, operands
from torchwise.ir import nodes as ir


@dataclass(frozen=True)
class Attribute:
    """A mention of `base.name`."""

    ref: int
    name: str
    base: int


def bare_attributes(scope: ir.Scope) -> Iterator[Attribute]:
    """Attributes that are named as a statement of their own, so that nothing comes of them."""
    defs = definitions(scope)
    found = defs.of_kind(ir.Attr)
    yield from (Attribute(i.out, i.name, i.base) for i in found if i.out not in defs.used)


def assigned_attributes(scope: ir.Scope) -> Iterator[Attribute]:
    """`base.name = value`."""
    for instr in definitions(scope).of_kind(ir.SetAttr):
        yield Attribute(instr.out, instr.name, instr.base)


def words_in(scope: ir.Scope, ref: int | None, depth: int = 0) -> Iterator[str]:
    """The names and attributes that an expression is made of, through local variables that are stored
    once.
    """
    defs = definitions(scope)
    instr = defs.get(ref) if ref is not None else None
    if instr is None or depth > 12:
        return
    match instr:
        case ir.Load(name=name):
            yield name
            stores = [i.value for i in defs.values() if isinstance(i, ir.Store) and i.name == name]
            if len(stores) == 1 and depth < 4:
                yield from words_in(scope, stores[0], depth + 4)
        case ir.Attr(name=name):
            yield name
    for inner in operands(instr):
        yield from words_in(scope, inner, depth + 1)


def operators_in(scope: ir.Scope, ref: int | None, depth: int = 0) -> Iterator[str]:
    """The operators and methods that an expression is made of, through variables that are stored once."""
    defs = definitions(scope)
    instr = defs.get(ref) if ref is not None else None
    method = defs.get(instr.callee) if isinstance(instr, ir.Call) and isinstance(instr.callee, int) else None
    if isinstance(method, ir.Attr):
        yield method.name
    elif isinstance(instr, ir.Load) and depth < 4:
        stores = [i.value for i in defs.values() if isinstance(i, ir.Store) and i.name == instr.name]
        yield from operators_in(scope, stores[0], depth + 1) if len(stores) == 1 else ()
    elif isinstance(instr, ir.Call) and isinstance(instr.callee, str):
        yield instr.callee
        for arg in instr.args:
            yield from operators_in(scope, arg.ref, depth + 1)


def stored(scope: ir.Scope, ref: int | None) -> int | None:
    """What a variable that is stored once was given; of anything else, itself."""
    defs = definitions(scope)
    instr = defs.get(ref) if ref is not None else None
    if isinstance(instr, ir.Load):
        stores = [i.value for i in defs.values() if isinstance(i, ir.Store) and i.name == instr.name]
        return stores[0] if len(stores) == 1 else ref
    return ref


def over(scope: ir.Scope, loop: int) -> int | None:
    """What a loop goes over."""
    instr = definitions(scope).get(loop)
    return instr.over if isinstance(instr, ir.Loop) else None


def calls_between(scope: ir.Scope, first: int, last: int) -> list[int]:
    """The calls that stand between two instructions, operators left out."""
    return [
        ref
        for ref, instr in definitions(scope).items()
        if first < ref < last and isinstance(instr, ir.Call) and isinstance(instr.callee, int)
    ]


def calls_within(scope: ir.Scope, ref: int | None, depth: int = 0) -> Iterator[int]:
    """The calls that an expression is made of, through local variables that are stored once."""
    defs = definitions(scope)
    instr = defs.get(ref) if ref is not None else None
    if instr is None or depth > 8:
        return
    if isinstance(instr, ir.Load):
        stores = [i.value for i in defs.values() if isinstance(i, ir.Store) and i.name == instr.name]
        yield from calls_within(scope, stores[0], depth + 3) if len(stores) == 1 else ()
    if isinstance(instr, ir.Call):
        yield instr.out
    for inner in operands(instr):
        yield from calls_within(scope, inner, depth + 1)


def outlives(scope: ir.Scope, ref: int | None) -> bool:
    """An attribute, or a name that is not bound in the scope."""
    instr = definitions(scope).get(ref) if ref is not None else None
    if isinstance(instr, ir.Load):
        return instr.name not in scope.stores and all(p.name != instr.name for p in scope.params)
    return isinstance(instr, ir.Attr)


def kept_too(scope: ir.Scope, ref: int, text: Callable[[int], str]) -> bool:
    """Whether what is given back is stored as well: as the same variable, or read where it was stored.
    With its graph it is as good as what was there; so only what `detach` and its like made counts, and
    `setdefault`.
    """
    defs = definitions(scope)
    made = defs.get(stored(scope, ref) or ref)
    if isinstance(made, ir.Call) and _method(scope, made) == "setdefault" and len(made.args) > 1:
        return True
    puts = (*defs.of_kind(ir.SetIndex), *defs.of_kind(ir.SetAttr))
    kept = [(text(i.out), i.value) for i in puts if isinstance(i, ir.SetIndex | ir.SetAttr)]
    for call in defs.of_kind(ir.Call):
        if isinstance(call, ir.Call) and _method(scope, call) in KEEPS:
            kept += [("", a.ref) for a in call.args]
    given, words = stored(scope, ref), text(ref)
    same = [value for place, value in kept if stored(scope, value) == given or (place and place == words)]
    return any(not CUTS.isdisjoint(words_in(scope, value)) for value in same)


def may_be_left_out(scope: ir.Scope, ref: int) -> bool:
    """`given.get("weight")`: None where there is none."""
    made = definitions(scope).get(ref)
    return isinstance(made, ir.Call) and _method(scope, made) == "get" and len(made.args) == 1


def _method(scope: ir.Scope, call: ir.Call) -> str:
    """The name of the method that is called; "" of anything else."""
    method = definitions(scope).get(call.callee) if isinstance(call.callee, int) else None
    return method.name if isinstance(method, ir.Attr) else ""


KEEPS = frozenset(("append", "appendleft", "add", "put", "insert"))
CUTS = frozenset(("detach", "item", "tolist", "numpy"))


def empties(scope: ir.Scope, ref: int | None) -> bool:
    """`self.seen = []`, `self.seen.clear()`, `del self.seen[:]`."""
    defs = definitions(scope)
    name = getattr(defs.get(ref) if ref is not None else None, "name", None)
    for instr in defs.values():
        match instr:
            case ir.SetAttr(name=other) if other == name:
                return True
            case ir.Attr(name="clear" | "pop" | "popleft", base=base):
                if getattr(defs.get(base), "name", None) == name:
                    return True
            case ir.DropIndex(base=base) if getattr(defs.get(base), "name", None) == name:
                return True
    return False


def tests_in(scope: ir.Scope) -> Iterator[int]:
    """What `if` and `while` ask."""
    for instr in definitions(scope).values():
        if isinstance(instr, ir.If) or (isinstance(instr, ir.Loop) and instr.test is not None):
            yield instr.test  # type: ignore[misc]


def tests_around(scope: ir.Scope, ref: int) -> dict[int, bool]:
    """The `if`s that an instruction stands under, and on which side of each."""
    out: dict[int, bool] = {}
    for instr in definitions(scope).values():
        if isinstance(instr, ir.If):
            for block, side in ((instr.then, True), (instr.other, False)):
                if any(ref in inside(one) for one in block):
                    out[instr.out] = side
    return out


def left_between(scope: ir.Scope, first: int, ref: int) -> bool:
    """Whether a side of an `if` that `first` stands in, and `ref` does not, ends by leaving the function."""
    for instr in definitions(scope).of_kind(ir.If):
        for block in (instr.then, instr.other):
            around = any(first in inside(one) for one in block)
            if around and isinstance(block[-1], ir.Return | ir.Leave):
                if not any(ref in inside(one) for one in block):
                    return True
    return False


def may_leave_before(scope: ir.Scope, ref: int) -> bool:
    """Whether a side of an `if` that stands before an instruction ends by leaving the function, or a loop."""
    blocks = (b for i in definitions(scope).of_kind(ir.If) if i.out < ref for b in (i.then, i.other))
    return any(b and isinstance(b[-1], ir.Return | ir.Leave) for b in blocks)


def loops_around(scope: ir.Scope, ref: int) -> list[ir.Loop]:
    """The loops that an instruction stands in, the outermost first."""
    found = [
        i for i in definitions(scope).values() if isinstance(i, ir.Loop) and i.out != ref and ref in inside(i)
    ]
    return sorted(found, key=lambda loop: -len(inside(loop)))


def every_turn(scope: ir.Scope, ref: int) -> bool:
    """Whether an instruction runs in each turn of the innermost loop around it."""
    around = loops_around(scope, ref)
    within = inside(around[-1]) if around else set()
    left = [i for i in definitions(scope).of_kind(ir.Leave) if i.out in within and i.out < ref]
    return bool(around) and not left and within.isdisjoint(tests_around(scope, ref))


def always(scope: ir.Scope, ref: int) -> bool:
    """Whether an instruction runs whenever its scope does: under no test, and behind none that may end it."""
    defs = definitions(scope)
    before = [inside(i) for i in defs.of_kind(ir.If) if i.out < ref or ref in inside(i)]
    ends = {i.out for kind in (ir.Return, ir.Leave) for i in defs.of_kind(kind)}
    return not any(ref in block or not ends.isdisjoint(block) for block in before)


def asks_since(scope: ir.Scope, ref: int, first: int) -> bool:
    """Whether a test that `ref` alone stands under asks for what is worked out after `first`."""
    defs = definitions(scope)
    around = tests_around(scope, ref).keys() - tests_around(scope, first).keys()
    asked = [i for out in around for i in expression(scope, defs[out].test)]  # type: ignore[attr-defined]
    stored = {i.name for i in defs.of_kind(ir.Store) if first < i.out < ref}
    for instr in map(defs.__getitem__, asked):
        callee = (
            defs.get(instr.callee) if isinstance(instr, ir.Call) and isinstance(instr.callee, int) else None
        )
        called = callee is not None and getattr(callee, "name", "") != "len"
        if called or (isinstance(instr, ir.Load) and instr.name in stored):
            return True
    return False


def after_loop(scope: ir.Scope, first: int, ref: int) -> bool:
    """Whether an instruction runs once all turns of the innermost loop around another have run."""
    around = loops_around(scope, first)
    within = inside(around[-1]) if around else set()
    left = any(i.out in within for kind in (ir.Leave, ir.Return) for i in definitions(scope).of_kind(kind))
    endless = around and around[-1].over is None
    return bool(around) and not left and not endless and ref > around[-1].out and ref not in within


def item_names(scope: ir.Scope, loop: ir.Loop) -> list[str]:
    """The names that a loop binds its item to."""
    defs = definitions(scope)
    parts = {loop.item} | {i.out for i in defs.values() if isinstance(i, ir.Unpack) and i.value == loop.item}
    parts |= {i.out for i in defs.values() if isinstance(i, ir.Unpack) and i.value in parts}
    return [i.name.partition("#")[0] for i in defs.values() if isinstance(i, ir.Store) and i.value in parts]


def lost_items(scope: ir.Scope) -> Iterator[tuple[int, str]]:
    """Where a loop gives the name of its item another value, which nothing reads: the value, and the name."""
    defs = definitions(scope)
    for loop in [i for i in defs.values() if isinstance(i, ir.Loop)]:
        names, body = set(item_names(scope, loop)), sorted(inside(loop))
        own = {loop.item} | {i.out for i in defs.values() if isinstance(i, ir.Unpack)}
        for ref in body:
            store = defs[ref]
            if isinstance(store, ir.Store) and store.name in names and store.value not in own:
                later = [i for i in defs.values() if isinstance(i, ir.Load) and i.name == store.name]
                if not any(i.out > ref for i in later):
                    yield store.value, store.name


def expression(scope: ir.Scope, ref: int) -> set[int]:
    """The instructions that a value is made of where it stands."""
    defs, out, queue = definitions(scope), set[int](), [ref]
    while queue:
        one = queue.pop()
        if one not in out and one in defs:
            out.add(one)
            queue += operands(defs[one])
    return out


def inside(instr: ir.Instr) -> set[int]:
    """An instruction and all that stands in its blocks."""
    out, queue = set(), [instr]
    while queue:
        one = queue.pop()
        out.add(one.out)
        queue += nested(one)
    return out
