"""`a[i]`, `a[i] = v`, `del a[i]` and `i in a`: of tensors, tuples, sizes, lists, dicts and strings."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.effects import SetItems
from torchwise.domain.join import join
from torchwise.domain.value import (
    ANY,
    Any,
    Const,
    Items,
    Many,
    Num,
    Obj,
    Pointer,
    ShapeOf,
    Slice,
    Some,
    Tensor,
    Value,
)
from torchwise.domain.verdict import HOLDS, UNKNOWN, Verdict, opposite
from torchwise.ops.arithmetic import SOURCE, known, truth
from torchwise.ops.comparison import equal
from torchwise.ops.creation import ARRAY
from torchwise.ops.indexing import indexed, stored
from torchwise.ops.rows import Answer
from torchwise.ops.spec import OPS, Broken, Given, Made, Outcome, op

NONE = Const(None)


def joined(values: tuple[Value, ...]) -> Value:
    """What covers all of them."""
    if not values:
        return ANY
    found = values[0]
    for value in values[1:]:
        found = join(found, value)
    return found


def _get(given: Given) -> Answer:
    base, index = given["self"], given["index"]
    match base:
        case Tensor():
            return indexed(given, base, index)
        case Items():
            return _of_items(base, index)
        case ShapeOf():
            return of_shape(base, index)
        case Many(each):
            return base if isinstance(index, Slice) else each
        case Const(str(text)):
            return _of_text(text, index)
        case Some("str"):
            return Some("str")
        case Pointer(to) if to in given.heap:
            return _of_object(given, given.heap[to], index)
    return ANY


def plain_slice(part: Slice) -> slice | None:
    """As python writes it; None where an end is not known."""
    ends = [known(end) for end in (part.start, part.stop, part.step)]
    return None if ... in ends else slice(*ends)


def _of_items(base: Items, index: Value) -> Answer:
    if isinstance(index, Slice):
        part = plain_slice(index)
        if part is None or part.step == 0:
            return Many(joined(base.items), "tuple")
        return Items(base.items[part], "size" if base.kind == "size" else "tuple")
    at = index.dim.number if isinstance(index, Num) else None
    if at is None:
        return joined(base.items)
    if -len(base.items) <= at < len(base.items):
        return base.items[at]
    if base.kind != "size":
        return ANY  # whether that is reached is a matter of the program's own conditions
    return Outcome(ANY, (Broken("index-range", "index", wanted=Dim.of(len(base.items)), got=Dim.of(at)),))


def of_shape(base: ShapeOf, index: Value) -> Value:
    """Sizes of a tensor of unknown rank: the same index is the same size."""
    if isinstance(index, Slice):
        start, stop, step = (known(end) for end in (index.start, index.stop, index.step))
        if step is None and stop is None and isinstance(start, int) and start < 0:
            return Items(tuple([size_at(base, i) for i in range(start, 0)]), "size")
        if step is None and isinstance(stop, int) and stop > 0 and start in (None, 0):
            return Items(tuple([size_at(base, i) for i in range(stop)]), "size")
        return Many(Some("int"), "size")
    at = index.dim.number if isinstance(index, Num) else None
    return Some("int") if at is None else size_at(base, at)


def size_at(base: ShapeOf, axis: int) -> Num:
    site = base.tensor
    return Num(Dim.of(f"?size{axis}@{site.scope}:{site.ref}.{site.turn}{site.part}"))


def _of_text(text: str, index: Value) -> Value:
    part = plain_slice(index) if isinstance(index, Slice) else known(index)
    if isinstance(part, slice) and part.step != 0:
        return Const(text[part])
    if isinstance(part, int) and -len(text) <= part < len(text):
        return Const(text[part])
    return Some("str")


def _of_object(given: Given, obj: Obj, index: Value) -> Answer:
    if obj.cls == "dict":
        return _defaulted(given, obj, index) or _of_dict(given, obj, index)
    if obj.cls == ARRAY:
        return OPS[f"{ARRAY}.__getitem__"].returns(given)
    if obj.cls not in ("list", "collections.deque"):
        return ANY
    if isinstance(index, Slice):
        part = plain_slice(index)
        if obj.items is None or part is None or part.step == 0:
            return Made(Obj(obj.cls, items=None, each=elements(obj)))
        return Made(Obj(obj.cls, items=obj.items[part]))
    at = index.dim.number if isinstance(index, Num) else None
    if obj.items is None or at is None:
        return elements(obj)
    return obj.items[at] if -len(obj.items) <= at < len(obj.items) else ANY


def elements(obj: Obj) -> Value:
    """What covers any element of a list."""
    return joined(obj.items) if obj.items is not None else obj.each or ANY


def _of_dict(given: Given, obj: Obj, key: Value) -> Value:
    if obj.items is None:
        return obj.each or ANY
    found: list[Value] = []
    for name, value in zip(obj.items[::2], obj.items[1::2]):
        same = same_key(given, name, key)
        found += [] if same.fails else [value]
        if same.holds:
            break
    return joined(tuple(found)) if found else ANY


DEFAULTS: dict[object, Value] = {"float": Const(0.0), "int": Num(Dim.of(0))}


def _defaulted(given: Given, obj: Obj, key: Value) -> Outcome | None:
    """Of a defaultdict: what is made where the key is certainly not there yet."""
    kind = obj.marks.get("default")
    missing = obj.items is not None and all(same_key(given, k, key).fails for k in obj.items[::2])
    if kind is None or not missing or isinstance(key, UNCLEAR) or given.site is None:
        return None
    made: Value = DEFAULTS.get(kind, Pointer(given.site))
    effects = (SetItems(given["self"], (*(obj.items or ()), key, made)),)
    return Outcome(made if kind in DEFAULTS else Made(Obj("list")), effects=effects)


UNCLEAR = (Any, Some, Many)  # two that look the same may be different


def same_key(given: Given, a: Value, b: Value) -> Verdict:
    if a == b:
        return UNKNOWN if isinstance(a, UNCLEAR) else HOLDS
    one, other = known(a), known(b)
    if one is not ... and other is not ...:
        return Verdict.of(one == other)
    if isinstance(a, Num) and isinstance(b, Num):
        return a.dim.same_as(b.dim)
    found = equal(given, a, b)
    return UNKNOWN if found is None else found


op(
    "operator.getitem",
    params="self index",
    returns=_get,
    saves="index",
    source=SOURCE,
)


def _set(given: Given) -> Answer:
    base, index, value = given["self"], given["index"], given["value"]
    if isinstance(base, Tensor):
        return stored(given, base, index, value)
    obj = given.obj("self")
    if obj is None or obj.cls not in ("list", "dict", "collections.deque"):
        return NONE
    items, each = replaced(given, obj, index, value)
    return Outcome(NONE, effects=(SetItems(base, items, each),))


def replaced(
    given: Given, obj: Obj, index: Value, value: Value
) -> tuple[tuple[Value, ...] | None, Value | None]:
    """The elements after one was set."""
    items = obj.items
    if obj.cls == "dict":
        if items is not None:
            sames = [same_key(given, key, index) for key in items[::2]]
            if all(not same.unknown for same in sames) and not isinstance(index, UNCLEAR):
                at = next((2 * i for i, same in enumerate(sames) if same.holds), len(items))
                return (*items[:at], index, value, *items[at + 2 :]), None
        values = items[1::2] if items is not None else ()
        if items is not None:
            return None, joined((*values, value))
        return None, ANY if obj.each is None else join(obj.each, value)
    place = index.dim.number if isinstance(index, Num) else None
    if items is not None and place is not None and -len(items) <= place < len(items):
        place %= len(items)
        return (*items[:place], value, *items[place + 1 :]), None
    if isinstance(index, Slice):
        return None, ANY
    return None, join(elements(obj), value) if items or obj.each else value


op(
    "operator.setitem",
    params="self index value",
    returns=_set,
    inplace="self",
    saves="index",
    source=SOURCE,
)


def _delete(given: Given) -> Answer:
    base, index = given["self"], given["index"]
    obj = given.obj("self")
    if obj is None or obj.cls not in ("list", "dict", "collections.deque"):
        return NONE
    items = obj.items
    if obj.cls == "dict" and items is not None:
        sames = [same_key(given, key, index) for key in items[::2]]
        if all(not same.unknown for same in sames):
            kept = [
                part for i, same in enumerate(sames) if not same.holds for part in items[2 * i : 2 * i + 2]
            ]
            return Outcome(NONE, effects=(SetItems(base, tuple(kept)),))
    at = index.dim.number if isinstance(index, Num) else None
    if obj.cls != "dict" and items is not None and at is not None and -len(items) <= at < len(items):
        at %= len(items)
        return Outcome(NONE, effects=(SetItems(base, items[:at] + items[at + 1 :]),))
    values = joined(items[1::2]) if obj.cls == "dict" and items is not None else elements(obj)
    return Outcome(NONE, effects=(SetItems(base, None, values),))


op("operator.delitem", params="self index", returns=_delete, grad="cut", source=SOURCE)


KEYED = ("dict", "torch.nn.ModuleDict", "torch.nn.ParameterDict")


def _contains(given: Given) -> Verdict:
    item, container = given["item"], given["container"]
    if isinstance(item, Const) and isinstance(container, Const):
        if isinstance(item.value, str) and isinstance(container.value, str):
            return Verdict.of(item.value in container.value)
    values: tuple[Value, ...] | None = None
    if isinstance(container, Items):
        values = container.items
    elif isinstance(container, Pointer) and container.to in given.heap:
        obj = given.heap[container.to]
        if obj.cls in ("list", "set", "collections.deque"):
            values = obj.items
        elif obj.cls in KEYED and obj.items is not None:
            values = obj.items[::2]
    if values is None or isinstance(item, Tensor) or len(values) > 1000:
        return UNKNOWN
    sames = [same_key(given, value, item) for value in values]
    if any(same.holds for same in sames):
        return HOLDS
    return UNKNOWN if any(same.unknown for same in sames) else opposite(HOLDS)


op(
    "operator.contains",
    params="item container",
    returns=lambda given: truth(_contains(given)),
    grad="cut",
    source=SOURCE,
)
op(
    "operator.not_contains",
    params="item container",
    returns=lambda given: truth(opposite(_contains(given))),
    grad="cut",
    source=SOURCE,
)
