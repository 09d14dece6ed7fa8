"""Containers of modules and parameters. An object's items are its children; a dict's are keys and values in
turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from torchwise.domain.dim import Dim
from torchwise.domain.effects import Effect, SetAttrOf, SetItems
from torchwise.domain.value import (
    ANY,
    NONE,
    Const,
    Items,
    Many,
    Num,
    Obj,
    Pointer,
    Slice,
    Some,
    Tensor,
    Value,
)
from torchwise.domain.verdict import HOLDS
from torchwise.ops.layers import MODULE, initialises
from torchwise.ops.members import bad_names, one_for_all, refused, repeated, shallow, taken
from torchwise.ops.spec import Broken, Given, Made, Outcome, Returns, op

SEQUENTIAL, MODULE_LIST, MODULE_DICT = "torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"
PARAMETER_LIST, PARAMETER_DICT = "torch.nn.ParameterList", "torch.nn.ParameterDict"
LISTS, DICTS = (SEQUENTIAL, MODULE_LIST, PARAMETER_LIST), (MODULE_DICT, PARAMETER_DICT)
Content = tuple[tuple[Value, ...] | None, Value | None]  # known items, or what covers each


def contained(given: Given, value: Value) -> Content:
    """The elements of an iterable argument."""
    match value:
        case Items(items):
            return items, None
        case Many(each):
            return None, each
        case Pointer(to) if to in given.heap:
            obj = given.heap[to]
            if obj.cls == "dict" or obj.cls in DICTS:
                return (None if obj.items is None else obj.items[::2]), Some("str")
            if obj.cls in ("list", "set", *LISTS):
                return obj.items, obj.each
        case Const(None):
            return (), None
    return None, ANY


def _made(cls: str, content: Content, attrs: dict[str, Value] | None = None) -> Made:
    return Made(Obj(cls, attrs or {}, content[0], content[1], {"training": HOLDS}, (MODULE,)))


def _sequential(given: Given) -> Outcome:
    """Modules, or one ordered dict of them whose keys become attributes."""
    made = _in_order(given)
    items = made.obj.items or ()
    return Outcome(made, refused(given, "args", items) + _shared(given, "args", items))


def _in_order(given: Given) -> Made:
    args = given.get("args", Items(()))
    only = args.items[0] if isinstance(args, Items) and len(args.items) == 1 else args
    if only is ANY:  # a dict, perhaps
        return _made(SEQUENTIAL, (None, ANY))
    obj = given.heap.get(only.to) if isinstance(only, Pointer) else None
    if obj is None:
        return _made(SEQUENTIAL, contained(given, args))
    if obj.cls not in ("dict", "collections.OrderedDict"):
        return _made(SEQUENTIAL, ((only,), None))
    if obj.items is None:
        return _made(SEQUENTIAL, (None, obj.each))
    names = {k.value: v for k, v in zip(obj.items[::2], obj.items[1::2]) if isinstance(k, Const)}
    return _made(SEQUENTIAL, (obj.items[1::2], None), {n: v for n, v in names.items() if isinstance(n, str)})


def _parameters(content: Content) -> Content:
    """Tensors become parameters of their own."""
    items, each = content
    return (None if items is None else tuple(map(_as_parameter, items))), (
        None if each is None else _as_parameter(each)
    )


def _as_parameter(value: Value) -> Value:
    if not isinstance(value, Tensor) or value.kind == "parameter":
        return value
    return replace(value, kind="parameter", requires_grad=HOLDS, leaf=HOLDS, id=None, graph=None)


def _pairs(given: Given, value: Value) -> Content:
    """The keys and values of a dict argument, or of pairs in a list."""
    match value:
        case Const(None):
            return (), None
        case Pointer(to) if to in given.heap and given.heap[to].cls == "list" and given.heap[to].items:
            rows = [contained(given, row)[0] for row in given.heap[to].items or ()]
            pairs = [row for row in rows if row is not None and len(row) == 2]
            return (
                (tuple(v for pair in pairs for v in pair), None) if len(pairs) == len(rows) else (None, ANY)
            )
        case Pointer(to) if to in given.heap and (
            given.heap[to].cls == "dict" or given.heap[to].cls in DICTS
        ):
            return given.heap[to].items, given.heap[to].each
    return None, ANY


def _module_list(given: Given) -> Outcome:
    made = _made(MODULE_LIST, contained(given, given.get("modules", NONE)))
    items = made.obj.items or ()
    return Outcome(made, refused(given, "modules", items) + _shared(given, "modules", items))


def _module_dict(given: Given) -> Outcome:
    made = _made(MODULE_DICT, _pairs(given, given.get("modules", NONE)))
    items = made.obj.items or ()
    broken = refused(given, "modules", items[1::2]) + bad_names(items[::2], MODULE_DICT)
    plain = given.obj("modules")
    filled = plain is not None and plain.marks.get("filled") is True and plain.each is not None
    values = (plain.each, plain.each) if filled else items[1::2]  # type: ignore[union-attr]
    broken += one_for_all(given, "modules", values)  # type: ignore[arg-type]
    return Outcome(made, broken + shallow(given, "modules", items[1::2]))


def _shared(given: Given, param: str, items: tuple[Value, ...]) -> tuple[Broken, ...]:
    return repeated(given, param, items) + shallow(given, param, items)


CONSTRUCTORS: tuple[tuple[str, str, Callable[[Given], Made | Outcome]], ...] = (
    (SEQUENTIAL, "*args", _sequential),
    (MODULE_LIST, "modules", _module_list),
    (MODULE_DICT, "modules", _module_dict),
    (
        PARAMETER_LIST,
        "values",
        lambda given: _made(PARAMETER_LIST, _parameters(contained(given, given.get("values", NONE)))),
    ),
    (
        PARAMETER_DICT,
        "parameters",
        lambda given: _made(PARAMETER_DICT, _parameters(_pairs(given, given.get("parameters", NONE)))),
    ),
)
for _cls, _params, _build in CONSTRUCTORS:
    _page = f"generated/{_cls}.html"
    _home = f"torch.nn.modules.container.{_cls.rpartition('.')[2]}"
    op(_cls, _home, params=_params, returns=_build, grad="cut", tags="layer pure", source=_page)
    initialises(_cls, _params, _build, _page)
op(
    f"{SEQUENTIAL}.__call__",
    f"{SEQUENTIAL}.forward",
    name="sequential",
    params="self input",
    chain=True,
    source="generated/torch.nn.Sequential.html",
)


# Reading


def element(given: Given) -> Outcome:
    """`layers[0]`, `layers[-1]`, `layers[1:]`, `blocks["head"]`."""
    obj, index = given.obj(), given["index"]
    if obj is None:
        return Outcome(ANY)
    items = obj.items
    if items is None:
        return Outcome(obj.each or ANY) if not isinstance(index, Slice) else Outcome(Made(obj))
    if isinstance(index, Slice):
        part = _sliced(items, index)
        return Outcome(Made(replace(obj, items=part, each=None if part is not None else ANY, attrs={})))
    if not isinstance(index, Num) or index.dim.number is None:
        return Outcome(items[0] if len(items) == 1 else ANY)
    at = index.dim.number
    if not -len(items) <= at < len(items):
        return Outcome(ANY, (Broken("index", "index", wanted=Dim.of(len(items)), got=index.dim),))
    return Outcome(items[at])


def _sliced(items: tuple[Value, ...], index: Slice) -> tuple[Value, ...] | None:
    bounds: list[int | None] = []
    for bound in (index.start, index.stop, index.step):
        match bound:
            case Const(None):
                bounds.append(None)
            case Num(dim) if dim.number is not None:
                bounds.append(dim.number)
            case _:
                return None
    return items[slice(*bounds)] if bounds[2] != 0 else None


def _keyed(given: Given) -> Outcome:
    obj, key = given.obj(), given["key"] if "key" in given else given["index"]
    if obj is None or obj.items is None:
        return Outcome((obj.each if obj else None) or ANY)
    if not isinstance(key, Const) or not all(isinstance(k, Const) for k in obj.items[::2]):
        return Outcome(ANY)
    for known, value in zip(obj.items[::2], obj.items[1::2]):
        if known == key:
            return Outcome(value)
    return Outcome(ANY, (Broken("key", "index", got=key.value),))


def _iterated(given: Given) -> Value:
    obj = given.obj()
    if obj is None:
        return Many(ANY)
    return Items(obj.items) if obj.items is not None else Many(obj.each or ANY)


def _length(per: int) -> Returns:
    def returns(given: Given) -> Value:
        obj = given.obj()
        return Some("int") if obj is None or obj.items is None else Num(Dim.of(len(obj.items) // per))

    return returns


def _column(which: str) -> Returns:
    """keys, values or items of a dict."""

    def returns(given: Given) -> Value:
        obj = given.obj()
        if obj is None or obj.items is None:
            each = (obj.each if obj else None) or ANY
            return Many(
                Some("str") if which == "keys" else each if which == "values" else Items((Some("str"), each))
            )
        keys, values = obj.items[::2], obj.items[1::2]
        if which == "items":
            return Items(tuple(Items(pair) for pair in zip(keys, values)))
        return Items(keys if which == "keys" else values)

    return returns


# Growing


def _grown(given: Given, items: tuple[Value, ...] | None, each: Value | None = None) -> Outcome:
    return Outcome(given["self"], (), (SetItems(given["self"], items, each),))


def _refusing(grow: Returns, param: str) -> Returns:
    """Growing, where the container is one of modules."""

    def returns(given: Given) -> Outcome:
        outcome, obj = grow(given), given.obj()
        assert isinstance(outcome, Outcome)
        if obj is None or not {SEQUENTIAL, MODULE_LIST}.intersection((obj.cls, *obj.bases)):
            return outcome
        values = [given[param]] if param != "items" else contained(given, given[param])[0] or ()
        return replace(outcome, broken=outcome.broken + refused(given, param, values))

    return returns


def _appended(given: Given) -> Outcome:
    obj, value = given.obj(), given["item"]
    if obj is not None and obj.cls == PARAMETER_LIST:
        value = _as_parameter(value)
    if obj is None or obj.items is None:
        return _grown(given, None, value if obj is not None and obj.each in (None, value) else ANY)
    return _grown(given, (*obj.items, value))


def _extended(given: Given) -> Outcome:
    obj, (more, each) = given.obj(), contained(given, given["items"])
    if obj is None or obj.items is None or more is None:
        return _grown(
            given, None, each if obj is not None and not obj.items and obj.each in (None, each) else ANY
        )
    return _grown(given, (*obj.items, *more))


def _inserted(given: Given) -> Outcome:
    obj, at = given.obj(), given.int("index")
    if obj is None or obj.items is None or at is None:
        return _grown(given, None, ANY)
    return _grown(given, (*obj.items[:at], given["item"], *obj.items[at:]))


def _set_key(given: Given) -> Outcome:
    obj, key, value = given.obj(), given["index"], given["value"]
    broken = bad_names([key], MODULE_DICT) if obj is not None and obj.cls == MODULE_DICT else ()
    if obj is not None and obj.cls in (PARAMETER_LIST, PARAMETER_DICT):
        value = _as_parameter(value)
    if obj is None or obj.items is None:
        return Outcome(NONE, broken, (SetItems(given["self"], None, ANY),))
    keys = obj.items[::2]
    if not isinstance(key, Const) or not all(isinstance(k, Const) for k in keys):
        return Outcome(NONE, broken, (SetItems(given["self"], None, ANY),))
    kept = tuple(v for k, w in zip(keys, obj.items[1::2]) if k != key for v in (k, w))
    return Outcome(NONE, broken, (SetItems(given["self"], (*kept, key, value)),))


def _set_index(given: Given) -> Outcome:
    obj, at = given.obj(), given.int("index")
    if obj is None or obj.items is None or at is None or not -len(obj.items) <= at < len(obj.items):
        return Outcome(NONE, (), (SetItems(given["self"], None, ANY),))
    items = list(obj.items)
    items[at] = given["value"]
    return Outcome(NONE, (), (SetItems(given["self"], tuple(items)),))


def _named_module(given: Given) -> Outcome:
    """`seq.add_module("fc", layer)`: the last child, and an attribute."""
    obj, name = given.obj(), given.const("name")
    effects: tuple[Effect, ...] = (
        () if obj is None or obj.items is None else (SetItems(given["self"], (*obj.items, given["module"])),)
    )
    if not isinstance(name, str):
        return Outcome(NONE, (), effects)
    effects += (SetAttrOf(given["self"], name, given["module"]),)
    return Outcome(NONE, taken(given, name, "module"), effects)


def _popped(given: Given) -> Outcome:
    obj = given.obj()
    if obj is None or not obj.items or ("key" in given and given.int("key") != -1):
        return Outcome(ANY, (), (SetItems(given["self"], None, ANY),))
    return Outcome(obj.items[-1], (), (SetItems(given["self"], obj.items[:-1]),))


READING = (("__getitem__", "index", element), ("__iter__", "", _iterated), ("__len__", "", _length(1)))
GROWING = (
    ("append", "item", _refusing(_appended, "item")),
    ("extend", "items", _refusing(_extended, "items")),
    ("insert", "index item", _refusing(_inserted, "item")),
    ("pop", "key", _popped),
    ("__setitem__", "index value", _refusing(_set_index, "value")),
)
for _cls in LISTS:
    for _name, _params, _returns in (*READING, *GROWING):
        op(
            f"{_cls}.{_name}",
            params=f"self {_params}",
            returns=_returns,
            grad="cut",
            source=f"generated/{_cls}.html",
        )
op(
    f"{SEQUENTIAL}.add_module",
    f"{SEQUENTIAL}.register_module",
    params="self name module",
    returns=_named_module,
    grad="cut",
    source="generated/torch.nn.Sequential.html",
)
KEYED = (
    ("__getitem__", "index", _keyed),
    ("__setitem__", "index value", _set_key),
    ("__iter__", "", _column("keys")),
    ("__len__", "", _length(2)),
    ("keys", "", _column("keys")),
    ("values", "", _column("values")),
    ("items", "", _column("items")),
    ("update", "modules", lambda given: Outcome(NONE, (), (SetItems(given["self"], None, ANY),))),
    ("clear", "", lambda given: Outcome(NONE, (), (SetItems(given["self"], ()),))),
    ("pop", "key", lambda given: Outcome(ANY, (), (SetItems(given["self"], None, ANY),))),
)
for _cls in DICTS:
    for _name, _params, _returns in KEYED:
        op(
            f"{_cls}.{_name}",
            params=f"self {_params}",
            returns=_returns,
            grad="cut",
            source=f"generated/{_cls}.html",
        )
