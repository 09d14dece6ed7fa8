"""What iterating a value gives, as ops need it: the elements where all are known, or what covers each of
them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from torchwise.domain.dim import Dim
from torchwise.domain.join import join
from torchwise.domain.value import (
    ANY,
    LENGTH,
    Const,
    Items,
    Many,
    Num,
    Obj,
    Params,
    Pointer,
    Some,
    Tensor,
    Value,
)
from torchwise.domain.verdict import HOLDS, UNKNOWN
from torchwise.ops.spec import OPS, Given, Made, Outcome

LISTS = ("list", "set", "generator", "frozenset", "collections.deque")
PARAMETER = Tensor(requires_grad=UNKNOWN, leaf=HOLDS, kind="parameter")


def elements(given: Given, value: Value) -> tuple[Value, ...] | Many:
    match value:
        case Items(items):
            return items
        case Many():
            return value
        case Const(str(text)) if len(text) <= 64:
            return tuple(Const(c) for c in text)
        case Const(str()) | Some("str"):
            return Many(Some("str"))
        case Params(named=named):
            return Many(Items((Some("str"), PARAMETER)) if named else PARAMETER)
        case Tensor():
            return _by_op(given, "Tensor", value)
        case Pointer(to) if to in given.heap:
            return _of_object(given, value, given.heap[to])
    return Many(ANY)


def _of_object(given: Given, value: Value, obj: Obj) -> tuple[Value, ...] | Many:
    if obj.cls in LISTS:
        return obj.items if obj.items is not None else counted(obj)
    if obj.cls in ("dict", "collections.OrderedDict"):
        return obj.items[::2] if obj.items is not None else Many(ANY)
    for cls in (obj.cls, *obj.bases):
        if f"{cls}.__iter__" in OPS:
            return _by_op(given, cls, value)
    return Many(ANY)


def _by_op(given: Given, cls: str, value: Value) -> tuple[Value, ...] | Many:
    row = OPS.get(f"{cls}.__iter__")
    found = ANY if row is None else asked(given, row.name, row.returns, {row.params[0]: value})
    if isinstance(found, Items):
        return found.items
    return found if isinstance(found, Many) and not isinstance(found.each, Made) else Many(ANY)


def asked(given: Given, name: str, returns: object, values: Mapping[str, Value]) -> Value | Made:
    """The result of another op on other arguments; its requirements and effects do not count."""
    inner = Given(values, given.heap, (), given.defaults, given.regions, given.site)
    answer = returns(inner)  # type: ignore[operator]
    return answer.result if isinstance(answer, Outcome) else answer


def each_of(values: Iterable[Value]) -> Value | None:
    """What covers all of the values; None where there are none."""
    out: Value | None = None
    for value in values:
        out = value if out is None else join(out, value)
        if out is ANY:
            break
    return out


def covering(found: tuple[Value, ...] | Many) -> Value:
    return found.each if isinstance(found, Many) else each_of(found) or ANY


def fresh_list(found: tuple[Value, ...] | Many, cls: str = "list") -> Made:
    if isinstance(found, Many):
        marks = {LENGTH: Num(found.count)} if found.count is not None and cls == "list" else {}
        return Made(Obj(cls, items=None, each=found.each, marks=marks))
    return Made(Obj(cls, items=found))


def counted(obj: Obj) -> Many:
    """The content of a list that is not known value by value."""
    length = obj.marks.get(LENGTH)
    return Many(obj.each or ANY, count=length.dim if isinstance(length, Num) else None)


def count_of(given: Given, value: Value) -> Dim | None:
    """How many values something has that can be walked through."""
    if isinstance(value, Tensor):
        return value.shape[0] if value.shape else None
    found = elements(given, value)
    return found.count if isinstance(found, Many) else Dim.of(len(found))


def state_marks(obj: Obj) -> dict[str, object]:
    """Of a flat copy of a state dict: it holds the same tensors."""
    return {name: obj.marks[name] for name in ("state_of", "stale", "stale@") if name in obj.marks}
