"""Builtin functions on iterables: they keep the elements, or what covers them."""

from __future__ import annotations

from dataclasses import replace

from torchwise.domain.batches import evened
from torchwise.domain.dim import Dim
from torchwise.domain.effects import Each, Keep
from torchwise.domain.join import join
from torchwise.domain.value import (
    ANY,
    Const,
    Func,
    Items,
    Many,
    Method,
    Named,
    Num,
    Obj,
    Params,
    Partial,
    Pointer,
    Some,
    Tensor,
    Value,
    Wrapped,
)
from torchwise.ops.iterables import PARAMETER, asked, covering, each_of, elements, fresh_list, state_marks
from torchwise.ops.python_containers import merged
from torchwise.ops.spec import OPS, Given, Made, Outcome, Returns


def enumerated(given: Given) -> Value:
    found, start = elements(given, given["iterable"]), given.int("start", 0)
    if isinstance(found, Many) or start is None:
        count = found.count if isinstance(found, Many) else None
        return Many(Items((Num(given.fresh("count")), covering(found))), count=count)
    return Items(tuple(Items((Num(Dim.of(start + i)), v)) for i, v in enumerate(found)), "iterator")


def zipped(given: Given) -> Value:
    match given["iterables"]:
        case Many(each, "rows"):
            return _columns(given, each)
    args = given.list("iterables") or ((given["iterables"],) if "iterables" in given else ())
    found = [elements(given, a) for a in args]
    known = [f for f in found if not isinstance(f, Many)]
    if found and len(known) == len(found):
        return Items(tuple(Items(row) for row in zip(*known)), "iterator")
    # the shortest of them ends it: what comes last in another one may never come
    return Many(Items(tuple(evened(covering(f)) for f in found)) if found else ANY)


def _columns(given: Given, row: Value) -> Value:
    """`zip(*rows)`, of any number of rows: as many columns as a row has places."""
    found = elements(given, row)
    if isinstance(found, Many) or isinstance(row, Tensor):
        return Many(Many(found.each if isinstance(found, Many) else ANY, "tuple"))
    return Items(tuple([Many(evened(v), "tuple") for v in found]), "iterator")


def mapped(given: Given) -> Value | Outcome:
    args = given.list("iterables") or (given["iterables"],)
    found = elements(given, args[0])
    match given["func"]:
        case Named("builtins.int" | "builtins.float" | "builtins.str" | "builtins.bool" as path):
            row = OPS[path]
            if isinstance(found, Many):
                return Many(Some(path.rpartition(".")[2]))
            made = [asked(given, row.name, row.returns, {row.params[0]: v}) for v in found]
            return Items(tuple(m if isinstance(m, Value) else ANY for m in made), "iterator")
        case Func() | Wrapped() | Partial() | Named() | Pointer() | Method() as func:
            return Outcome(Many(ANY), (), (_over(func, [elements(given, a) for a in args]),))
    return Many(ANY)


def _over(func: Value, columns: list[tuple[Value, ...] | Many]) -> Each:
    known = [c for c in columns if not isinstance(c, Many)]
    if len(known) == len(columns) and len(known[0]) <= MOST_MAPPED:
        return Each(func, tuple(zip(*known)), True)
    return Each(func, (tuple(covering(c) for c in columns),), False)


MOST_MAPPED = 8


def filtered(given: Given) -> Value | Outcome:
    """Which elements stay is not known; of parameters, all that may be there."""
    value = given["iterable"]
    if isinstance(value, Params):
        some = Params(value.of, given.site, value.named, some=True)
        return Outcome(some, (), (Keep(given["function"], value),))
    return Many(covering(elements(given, value)))


def reversed_of(given: Given) -> Value:
    found = elements(given, given["sequence"])
    return found if isinstance(found, Many) else Items(tuple(reversed(found)), "iterator")


def sorted_of(given: Given) -> Made:
    found = elements(given, given["iterable"])
    if not isinstance(found, Many) and len(found) > 1:
        if (
            "key" not in given
            and "reverse" not in given
            and all(isinstance(v, Num) and v.dim.number is not None for v in found)
        ):
            return fresh_list(tuple(sorted(found, key=lambda v: v.dim.number)))  # type: ignore[attr-defined]
        return Made(Obj("list", items=None, each=each_of(found)))
    return fresh_list(found)


def collected(cls: str) -> Returns:
    def returns(given: Given) -> Made:
        value = given.get("iterable", Items(()))
        if isinstance(value, Params):  # its content can still be told by its module
            return Made(Obj(cls, items=None, each=replace(value, at=None)))
        found = elements(given, value)
        if cls == "set" and not isinstance(found, Many) and len(found) > 1:
            found = Many(covering(found))
        return fresh_list(found, cls)

    return returns


def tuple_of(given: Given) -> Value:
    found = elements(given, given.get("iterable", Items(())))
    return replace(found, kind="tuple") if isinstance(found, Many) else Items(found)


def dict_of(given: Given) -> Made:
    """From another dict or from pairs, and from keywords, which come after them."""
    named: list[tuple[Value, Value]] = [(Const(n), v) for n, v in given.values.items() if n != "mapping"]
    if "mapping" not in given:
        return _dict(named)
    other = given.obj("mapping")
    if other is not None and other.cls in ("dict", "collections.OrderedDict"):
        if not named:
            return Made(Obj("dict", items=other.items, each=other.each, marks=state_marks(other)))
        if other.items is None:
            return Made(Obj("dict", items=None, each=ANY))
        return _dict([*zip(other.items[::2], other.items[1::2]), *named])
    pairs = elements(given, given["mapping"])
    if isinstance(pairs, Many):
        return Made(Obj("dict", items=None, each=ANY))
    rows = [p.items for p in pairs if isinstance(p, Items) and len(p.items) == 2]
    if len(rows) != len(pairs):
        return Made(Obj("dict", items=None, each=ANY))
    return _dict([*((key, value) for key, value in rows), *named])


def _dict(pairs: list[tuple[Value, Value]]) -> Made:
    found = merged(pairs, [])
    return Made(Obj("dict", items=tuple(v for pair in pairs for v in pair) if found is None else found))


def iterator_of(given: Given) -> Value:
    value = given["iterable"]
    if isinstance(value, Params):
        return value
    found = elements(given, value)
    return replace(found, count=None) if isinstance(found, Many) else Items(found, "iterator")


def next_of(given: Given) -> Value:
    """The first element of a fresh iterator is not told from a later one: what covers all of them."""
    value = given["iterator"]
    if isinstance(value, Params):
        return Items((Some("str"), PARAMETER)) if value.named else PARAMETER
    each = evened(covering(elements(given, value)))
    return join(each, given["default"]) if "default" in given else each
