"""Methods of lists, dicts, sets, tuples and strings, and what a comprehension collects.

A dict's items are keys and values in turn. Where an element cannot be told, `each` covers them all.
"""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.effects import SetItems, SetMark
from torchwise.domain.join import join
from torchwise.domain.value import ANY, NONE, Const, Items, Many, Named, Num, Obj, Some, Value
from torchwise.ops.iterables import covering, each_of, elements, fresh_list, state_marks
from torchwise.ops.spec import Given, Made, Outcome, Returns, op

TYPES = "https://docs.python.org/3/library/stdtypes.html"
MOST_ITEMS = 512


def _method(cls: str, name: str, params: str, returns: Returns, tags: str = "pure") -> None:
    op(f"{cls}.{name}", params=f"self {params}", returns=returns, grad="cut", tags=tags, source=TYPES)


def _set(
    given: Given, items: tuple[Value, ...] | None, each: Value | None = None, result: Value = NONE
) -> Outcome:
    if items is not None and len(items) > MOST_ITEMS:
        each, items = each_of(items), None
    return Outcome(result, (), (SetItems(given["self"], items, each),))


def _with(obj: Obj | None, value: Value) -> Value:
    """What covers the elements so far and one more."""
    if obj is None:
        return ANY
    so_far = obj.each if obj.items is None else each_of(obj.items)
    return value if so_far is None else join(so_far, value)


# Lists


def _append(given: Given) -> Outcome:
    obj, item = given.obj(), given["item"]
    if obj is None or obj.items is None:
        return _set(given, None, _with(obj, item))
    return _set(given, (*obj.items, item))


def _extend(given: Given) -> Outcome:
    obj, more = given.obj(), elements(given, given["iterable"])
    if obj is None or obj.items is None or isinstance(more, Many):
        return _set(given, None, _with(obj, covering(more)) if more != () else obj.each if obj else ANY)
    return _set(given, (*obj.items, *more))


def _insert(given: Given) -> Outcome:
    obj, at, item = given.obj(), given.int("index"), given["item"]
    if obj is None or obj.items is None or at is None:
        return _set(given, None, _with(obj, item))
    return _set(given, (*obj.items[:at], item, *obj.items[at:]))


def _pop(given: Given) -> Outcome:
    obj, at = given.obj(), given.int("index", -1)
    if obj is None:
        return Outcome(ANY)
    if obj.items is None:
        return _set(given, None, obj.each, obj.each or ANY)
    if at is None or not -len(obj.items) <= at < len(obj.items):
        return _set(given, None, each_of(obj.items), each_of(obj.items) or ANY)
    rest = list(obj.items)
    taken = rest.pop(at)
    return _set(given, tuple(rest), None, taken)


def _reverse(given: Given) -> Outcome:
    obj = given.obj()
    return Outcome(NONE) if obj is None or obj.items is None else _set(given, obj.items[::-1])


def _shuffled(given: Given) -> Outcome:
    """The same elements in an unknown order."""
    obj = given.obj()
    return Outcome(NONE) if obj is None or obj.items is None else _set(given, None, each_of(obj.items))


def _copy(given: Given) -> Value | Made:
    obj = given.obj()
    return ANY if obj is None else Made(Obj(obj.cls, {}, obj.items, obj.each, state_marks(obj)))


def _clear(given: Given) -> Outcome:
    return _set(given, ())


LIST: tuple[tuple[str, str, Returns], ...] = (
    ("append", "item", _append),
    ("extend", "iterable", _extend),
    ("insert", "index item", _insert),
    ("pop", "index", _pop),
    ("reverse", "", _reverse),
    ("sort", "key reverse", _shuffled),
    ("remove", "item", _shuffled),
    ("copy", "", _copy),
    ("clear", "", _clear),
    ("index", "item", lambda given: Some("int")),
    ("count", "item", lambda given: Some("int")),
)
for _name, _params, _returns in LIST:
    _method("list", _name, _params, _returns)
for _name in ("index", "count"):
    _method("tuple", _name, "item", lambda given: Some("int"))


def _generated(given: Given) -> Outcome:
    """What a generator gives is kept as a list, that knows it can be walked through once."""
    done = _append(given)
    return Outcome(NONE, (), (*done.effects, SetMark(given["self"], "lazy", True)))


# A comprehension's result is filled by these.
for _kind, _returns in (("list", _append), ("set", _append), ("generator", _generated)):
    op(f"collect.{_kind}", params="self item", returns=_returns, grad="cut", tags="pure", source=TYPES)


# Sets


def _set_add(given: Given) -> Outcome:
    obj, item = given.obj(), given["item"]
    if obj is not None and obj.items is not None and item in obj.items:
        return Outcome(NONE)
    return _append(given)


for _name, _params, _returns in (
    ("add", "item", _set_add),
    ("update", "iterable", _extend),
    ("discard", "item", _shuffled),
    ("remove", "item", _shuffled),
    ("copy", "", _copy),
    ("clear", "", _clear),
):
    _method("set", _name, _params, _returns)
for _name in ("union", "intersection", "difference", "symmetric_difference"):
    _method("set", _name, "other", lambda given: Made(Obj("set", items=None, each=ANY)))
for _name in ("issubset", "issuperset", "isdisjoint"):
    _method("set", _name, "other", lambda given: Some("bool"))


# Dicts


def _pairs(obj: Obj) -> list[tuple[Value, Value]] | None:
    return None if obj.items is None else list(zip(obj.items[::2], obj.items[1::2]))


def _get(given: Given) -> Value:
    obj, key = given.obj(), given["key"]
    pairs = None if obj is None else _pairs(obj)
    if obj is None or pairs is None:
        return join(obj.each, given.get("default", NONE)) if obj is not None and obj.each is not None else ANY
    for known, value in pairs:
        if known == key and isinstance(key, Const | Num):
            return value
    certain = all(isinstance(k, Const | Num) for k, _ in pairs) and isinstance(key, Const)
    return given.get("default", NONE) if certain else ANY


def _dict_pop(given: Given) -> Outcome:
    obj, key = given.obj(), given["key"]
    pairs = None if obj is None else _pairs(obj)
    if pairs is None or not isinstance(key, Const | Num):
        return _set(given, None, ANY, ANY)
    rest = tuple(v for k, w in pairs if k != key for v in (k, w))
    return _set(given, rest, None, _get(given))


def _update(given: Given) -> Outcome:
    """With another dict, or keywords."""
    obj, other = given.obj(), given.obj("other")
    mine = None if obj is None else _pairs(obj)
    theirs: list[tuple[Value, Value]] | None = []
    if "other" in given:
        theirs = (
            _pairs(other) if other is not None and other.cls in ("dict", "collections.OrderedDict") else None
        )
    if mine is None or theirs is None:
        return _set(given, None, ANY)
    theirs += [(Const(n), v) for n, v in given.values.items() if n not in ("self", "other")]
    return _set(given, merged(mine, theirs))


def merged(mine: list[tuple[Value, Value]], theirs: list[tuple[Value, Value]]) -> tuple[Value, ...] | None:
    """Later values replace earlier ones under the same key, in their place."""
    if not all(isinstance(k, Const | Num) for k, _ in (*mine, *theirs)):
        return None
    out = dict(mine)
    out.update(theirs)
    return tuple(v for pair in out.items() for v in pair)


def _collect(given: Given) -> Outcome:
    obj, key, value = given.obj(), given["key"], given["value"]
    pairs = None if obj is None else _pairs(obj)
    both = None if pairs is None else merged(pairs, [(key, value)])
    if both is None:
        return _set(given, None, _with(obj, value) if obj is not None and obj.items is None else value)
    return _set(given, both)


def _set_default(given: Given) -> Outcome:
    obj = given.obj()
    pairs = None if obj is None else _pairs(obj)
    key = given["key"]
    if pairs is None or not isinstance(key, Const):
        return _set(given, None, ANY, ANY)
    found = next((v for k, v in pairs if k == key), None)
    if found is not None:
        return Outcome(found)
    default = given.get("default", NONE)
    both = merged(pairs, [(key, default)])
    return _set(given, both, None if both is not None else ANY, default)


def view(which: str) -> Returns:
    """keys, values or items."""

    def returns(given: Given) -> Value:
        obj = given.obj()
        pairs = None if obj is None else _pairs(obj)
        if pairs is None:
            each = (obj.each if obj is not None else None) or ANY
            return Many(ANY if which == "keys" else each if which == "values" else Items((ANY, each)))
        if which == "items":
            return Items(tuple(Items(pair) for pair in pairs), "iterator")
        return Items(tuple(pair[0 if which == "keys" else 1] for pair in pairs), "iterator")

    return returns


DICT: tuple[tuple[str, str, Returns], ...] = (
    ("get", "key default", _get),
    ("pop", "key default", _dict_pop),
    ("update", "other", _update),
    ("setdefault", "key default", _set_default),
    ("keys", "", view("keys")),
    ("values", "", view("values")),
    ("items", "", view("items")),
    ("copy", "", _copy),
    ("clear", "", _clear),
    ("popitem", "", lambda given: _set(given, None, ANY, ANY)),
)
for _name, _params, _returns in DICT:
    _method("dict", _name, _params, _returns)


def _from_keys(given: Given) -> Made:
    """One value under each of the keys."""
    keys, value = elements(given, given["iterable"]), given.get("value", NONE)
    if isinstance(keys, Many) or not all(isinstance(k, Const | Num) for k in keys):
        return Made(Obj("dict", items=None, each=value, marks={"filled": True}))
    return Made(Obj("dict", items=tuple(v for k in dict.fromkeys(keys) for v in (k, value))))


op(
    "builtins.dict.fromkeys",
    params="iterable value",
    returns=_from_keys,
    grad="cut",
    tags="pure",
    source=TYPES,
)
op("collect.dict", params="self key value", returns=_collect, grad="cut", tags="pure", source=TYPES)


# Strings

STRINGS = (
    "capitalize casefold center encode expandtabs format format_map join ljust lower lstrip "
    "removeprefix removesuffix "
    "replace rjust rstrip strip swapcase title translate upper zfill"
)
QUESTIONS = (
    "endswith isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isspace istitle "
    "isupper startswith"
)


def _asked(name: str) -> Returns:
    """A string method on known strings, by python itself."""

    def returns(given: Given) -> Value:
        args = given.list("args") or ((given["args"],) if "args" in given else ())
        match given["self"]:
            case Const(str(text)) if all(isinstance(a, Const) and isinstance(a.value, str) for a in args):
                if set(given.values) <= {"self", "args"} and name in EXACT and len(args) == EXACT[name]:
                    return Const(getattr(text, name)(*(a.value for a in args)))  # type: ignore[attr-defined]
        return Some("bool" if name in QUESTIONS.split() else "str")

    return returns


EXACT = {
    "lower": 0,
    "upper": 0,
    "strip": 0,
    "startswith": 1,
    "endswith": 1,
    "removeprefix": 1,
    "removesuffix": 1,
    "replace": 2,
}
for _name in (*STRINGS.split(), *QUESTIONS.split()):
    _method("str", _name, "*args", _asked(_name))
for _name in ("split", "rsplit", "splitlines", "partition", "rpartition"):
    _method("str", _name, "*args", lambda given: Many(Some("str"), "list"))
for _name in ("find", "rfind", "index", "count"):
    _method("str", _name, "*args", lambda given: Some("int"))

# Collections that behave like these


def _with_default(given: Given) -> Made:
    """An empty dict that makes what stands under a key that is not there: see `items`."""
    factory = given.get("default_factory", NONE)
    if set(given.values) - {"default_factory"}:
        return Made(Obj("dict", items=None, each=ANY))
    if isinstance(factory, Named) and factory.path in ("builtins.float", "builtins.int", "builtins.list"):
        return Made(Obj("dict", marks={"default": factory.path.rpartition(".")[2]}))
    return Made(Obj("dict", items=None, each=ANY))


op(
    "collections.defaultdict",
    params="default_factory mapping",
    grad="cut",
    tags="pure",
    returns=_with_default,
    source="https://docs.python.org/3/library/collections.html",
)
op(
    "collections.Counter",
    params="iterable",
    returns=lambda given: Made(Obj("dict", items=None, each=Some("int"))),
    grad="cut",
    tags="pure",
    source="https://docs.python.org/3/library/collections.html",
)


def _deque(given: Given) -> Made:
    """Of as many as are there by then: with a limit, the first ones leave."""
    found = elements(given, given["iterable"]) if given.get("iterable", NONE) != NONE else ()
    if "iterable" not in given and "maxlen" not in given:
        return fresh_list(())
    return Made(Obj("list", items=None, each=covering(found) if found != () else None))


op(
    "collections.deque",
    params="iterable maxlen",
    grad="cut",
    tags="pure",
    returns=_deque,
    source="https://docs.python.org/3/library/collections.html",
)
for _name in ("appendleft", "popleft", "rotate"):  # a deque is kept as a list
    _method("list", _name, "item", lambda given: _set(given, None, ANY, ANY))
__all__ = ["Dim", "merged", "view"]
