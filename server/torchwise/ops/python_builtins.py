"""Python's builtin functions. Numbers stay exact where they are known; an iterable keeps its elements or what covers them."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.effects import Escape, Invoke, SetAttrOf
from torchwise.domain.join import join
from torchwise.domain.value import (
    ANY,
    NONE,
    Const,
    Func,
    Items,
    Many,
    Named,
    Num,
    Obj,
    Params,
    Pointer,
    ShapeOf,
    Slice,
    Some,
    Tensor,
    Value,
)
from torchwise.ops.iterables import PARAMETER, asked, covering, each_of, elements, fresh_list
from torchwise.ops.python_types import isinstance_of
from torchwise.ops.spec import OPS, Broken, Given, Made, Outcome, Returns, op

LONGEST_RANGE = 64
LIBRARY = "https://docs.python.org/3/library/functions.html"


def builtin(name: str, params: str = "", returns: Returns = lambda given: ANY, tags: str = "pure") -> None:
    op(f"builtins.{name}", params=params, returns=returns, tags=tags, grad="cut", source=f"{LIBRARY}#{name}")


# Length and numbers


def _len(given: Given) -> Value | Outcome:
    value = given["obj"]
    match value:
        case Items(items):
            return Num(Dim.of(len(items)))
        case Const(str(text)):
            return Num(Dim.of(len(text)))
        case Tensor(shape=shape) if shape is not None:
            if shape:
                return Num(shape[0])
            return Outcome(Some("int"), (Broken("rank", "obj", wanted="at least 1-d", got="0-d", because=value),))
        case Pointer(to) if to in given.heap:
            return _len_of(given, value, given.heap[to])
    return Some("int")


def _len_of(given: Given, value: Value, obj: Obj) -> Value:
    if obj.cls in ("list", "set", "dict", "collections.OrderedDict"):
        if obj.items is None:
            return Some("int")
        return Num(Dim.of(len(obj.items) // (1 if obj.cls in ("list", "set") else 2)))
    for cls in (obj.cls, *obj.bases):
        row = OPS.get(f"{cls}.__len__")
        if row is not None:
            found = asked(given, row.name, row.returns, {"self": value})
            return found if isinstance(found, Value) else ANY
    return Some("int")


def _range(given: Given) -> Value:
    """Known numbers, or any number of numbers."""
    args = given.list("args") or ((given["args"],) if "args" in given else ())
    dims = [a.dim if isinstance(a, Num) else None for a in args]
    each = Num(given.fresh("range"))
    if not dims or None in dims or len(dims) > 3:
        return Many(each, "range")
    numbers = [d.number for d in dims if d is not None]
    if any(n is None for n in numbers) or (len(numbers) == 3 and numbers[2] == 0):
        return Many(each, "range")
    counted = range(*numbers)  # type: ignore[arg-type]
    if len(counted) > LONGEST_RANGE:
        return Many(each, "range")
    return Items(tuple(Num(Dim.of(i)) for i in counted), "range")


def _int(given: Given) -> Value:
    match given.get("x", Num(Dim.of(0))):
        case Num() as number:
            return number
        case Const(bool() | float() as value) if value == value and abs(value) != float("inf"):
            return Num(Dim.of(int(value)))
        case Const(str(text)) if text.strip().lstrip("+-").isdecimal():
            return Num(Dim.of(int(text)))
        case Tensor(id=site):
            return Some("int", site)
        case Some(of=site):
            return Some("int", site)
    return Some("int")


def _float(given: Given) -> Value:
    match given.get("x", Const(0.0)):
        case Num(dim) if dim.number is not None:
            return Const(float(dim.number))
        case Const(bool() | float() as value):
            return Const(float(value))
        case Const(str(text)):
            try:
                return Const(float(text))
            except ValueError:
                return Some("float")
        case Tensor(id=site):
            return Some("float", site)
        case Some(of=site):
            return Some("float", site)
    return Some("float")


def _bool(given: Given) -> Value:
    match given.get("x", Const(False)):
        case Const(value):
            return Const(bool(value))
        case Num(dim) if dim.number is not None:
            return Const(dim.number != 0)
        case Items(items):
            return Const(bool(items))
        case Tensor(id=site):
            return Some("bool", site)
    return Some("bool")


def _str(given: Given) -> Value:
    match given.get("object", Const("")):
        case Const(str() | bool() | None as value):
            return Const(str(value))
        case Num(dim) if dim.number is not None:
            return Const(str(dim.number))
    return Some("str")


def _abs(given: Given) -> Value:
    match given["x"]:
        case Num(dim):
            return Num(Dim.of(abs(dim.number))) if dim.number is not None else Some("int")
        case Const(float() | int() as value):
            return Const(abs(value))
        case Some("int" | "float" as kind):
            return Some(kind)
        case Tensor() as x:
            row = OPS.get("Tensor.abs")
            found = ANY if row is None else asked(given, row.name, row.returns, {row.params[0]: x})
            return found if isinstance(found, Value) else Tensor()
    return ANY


def _round(given: Given) -> Value:
    places = given.get("ndigits", NONE)
    match given["number"]:
        case Num() as number if places == NONE:
            return number
        case Const(float(value)) if abs(value) < 1e15:
            digits = given.const("ndigits", None)
            if digits is None:
                return Num(Dim.of(round(value)))
            return Const(round(value, digits)) if isinstance(digits, int) else Some("float")
        case Some("float" | "int"):
            return Some("int" if places == NONE else "float")
    return ANY


def _extreme(which: str) -> Returns:
    """min or max of an iterable, or of several arguments."""
    choose = min if which == "min" else max

    def returns(given: Given) -> Value:
        args = given.list("args") or ((given["args"],) if "args" in given else ())
        found = elements(given, args[0]) if len(args) == 1 else args
        if isinstance(found, Many) or "key" in given or not found:
            kind = covering(found) if found else ANY
            return kind if isinstance(kind, Some) else Some("int") if isinstance(kind, Num) else ANY
        if all(isinstance(v, Num) and v.dim.number is not None for v in found):
            return Num(Dim.of(choose(v.dim.number for v in found)))  # type: ignore[attr-defined,type-var]
        if all(isinstance(v, Num) or (isinstance(v, Some) and v.kind == "int") for v in found):
            return found[0] if all(v == found[0] for v in found) else Some("int")
        if all(isinstance(v, Const) and isinstance(v.value, float) for v in found):
            return Const(choose(v.value for v in found))  # type: ignore[attr-defined]
        numbers = all(isinstance(v, Num | Some | Const) for v in found)
        return Some("float") if numbers and all(_is_number(v) for v in found) else ANY

    return returns


def _is_number(value: Value) -> bool:
    match value:
        case Num() | Some("int" | "float"):
            return True
        case Const(constant):
            return isinstance(constant, int | float)
    return False


def _sum(given: Given) -> Value:
    """`start + a + b ...`, as the operator has it."""
    found = elements(given, given["iterable"])
    total = given.get("start", Num(Dim.of(0)))
    if isinstance(found, Many):
        each = found.each
        return Some("int") if isinstance(each, Num) else each if isinstance(each, Some) and _is_number(each) else ANY
    row = OPS.get("operator.add")
    for value in found:
        if isinstance(total, Num) and isinstance(value, Num):
            total = Num(total.dim + value.dim)
            continue
        if row is None:
            return ANY
        added = asked(given, row.name, row.returns, dict(zip(row.params, (total, value))))
        total = added if isinstance(added, Value) else ANY
    return total


# Iterables


def _enumerate(given: Given) -> Value:
    found, start = elements(given, given["iterable"]), given.int("start", 0)
    if isinstance(found, Many) or start is None:
        return Many(Items((Num(given.fresh("count")), covering(found))))
    return Items(tuple(Items((Num(Dim.of(start + i)), v)) for i, v in enumerate(found)), "iterator")


def _zip(given: Given) -> Value:
    args = given.list("iterables") or ((given["iterables"],) if "iterables" in given else ())
    found = [elements(given, a) for a in args]
    known = [f for f in found if not isinstance(f, Many)]
    if found and len(known) == len(found):
        return Items(tuple(Items(row) for row in zip(*known)), "iterator")
    return Many(Items(tuple(covering(f) for f in found)) if found else ANY)


def _map(given: Given) -> Value:
    args = given.list("iterables") or (given["iterables"],)
    found = elements(given, args[0])
    match given["func"]:
        case Named("builtins.int" | "builtins.float" | "builtins.str" | "builtins.bool" as path):
            row = OPS[path]
            if isinstance(found, Many):
                return Many(Some(path.rpartition(".")[2]))
            made = [asked(given, row.name, row.returns, {row.params[0]: v}) for v in found]
            return Items(tuple(m if isinstance(m, Value) else ANY for m in made), "iterator")
    return Many(ANY)


def _filter(given: Given) -> Value:
    """Which elements stay is not known; of parameters, all that may be there."""
    value = given["iterable"]
    if isinstance(value, Params):
        return Params(value.of, given.site, value.named)
    return Many(covering(elements(given, value)))


def _reversed(given: Given) -> Value:
    found = elements(given, given["sequence"])
    return found if isinstance(found, Many) else Items(tuple(reversed(found)), "iterator")


def _sorted(given: Given) -> Made:
    found = elements(given, given["iterable"])
    if not isinstance(found, Many) and len(found) > 1:
        if "key" not in given and "reverse" not in given and all(isinstance(v, Num) and v.dim.number is not None for v in found):
            return fresh_list(tuple(sorted(found, key=lambda v: v.dim.number)))  # type: ignore[attr-defined]
        return Made(Obj("list", items=None, each=each_of(found)))
    return fresh_list(found)


def _collected(cls: str) -> Returns:
    def returns(given: Given) -> Made:
        value = given.get("iterable", Items(()))
        if isinstance(value, Params):  # its content can still be told by its module
            return Made(Obj(cls, items=None, each=value))
        found = elements(given, value)
        if cls == "set" and not isinstance(found, Many) and len(found) > 1:
            found = Many(covering(found))
        return fresh_list(found, cls)

    return returns


def _tuple(given: Given) -> Value:
    found = elements(given, given.get("iterable", Items(())))
    return Many(found.each, "tuple") if isinstance(found, Many) else Items(found)


def _dict(given: Given) -> Made:
    """From keywords, from another dict, or from pairs."""
    named: list[Value] = []
    for name, value in given.values.items():
        if name != "mapping":
            named += [Const(name), value]
    if "mapping" not in given:
        return Made(Obj("dict", items=tuple(named)))
    other = given.obj("mapping")
    if other is not None and other.cls in ("dict", "collections.OrderedDict"):
        return Made(Obj("dict", items=None if other.items is None else (*other.items, *named), each=other.each))
    pairs = elements(given, given["mapping"])
    if isinstance(pairs, Many) or not all(isinstance(p, Items) and len(p.items) == 2 for p in pairs):
        return Made(Obj("dict", items=None, each=ANY))
    return Made(Obj("dict", items=(*(v for p in pairs for v in p.items), *named)))  # type: ignore[attr-defined]


def _iter(given: Given) -> Value:
    value = given["iterable"]
    if isinstance(value, Params):
        return value
    found = elements(given, value)
    return found if isinstance(found, Many) else Items(found, "iterator")


def _next(given: Given) -> Value:
    """The first element of a fresh iterator is not told from a later one: what covers all of them."""
    value = given["iterator"]
    if isinstance(value, Params):
        return Items((Some("str"), PARAMETER)) if value.named else PARAMETER
    each = covering(elements(given, value))
    return join(each, given["default"]) if "default" in given else each


# Objects


def _getattr(given: Given) -> Value:
    name, value = given.const("name"), given["object"]
    if not isinstance(name, str):
        return ANY
    match value:
        case Named(path) if "default" not in given:
            return Named(f"{path}.{name}")
        case Pointer(to) if to in given.heap:
            return given.heap[to].attrs.get(name, ANY)
    return ANY


def _setattr(given: Given) -> Outcome:
    name = given.const("name")
    if isinstance(name, str):
        return Outcome(NONE, (), (SetAttrOf(given["object"], name, given["value"]),))
    return Outcome(NONE, (), (Escape(given["object"]), Escape(given["value"])))


def _hasattr(given: Given) -> Value:
    obj, name = given.obj("object"), given.const("name")
    return Const(True) if obj is not None and isinstance(name, str) and name in obj.attrs else Some("bool")


def _callable(given: Given) -> Value:
    return Const(True) if isinstance(given["object"], Func | Named) else Some("bool")


for _name, _params, _returns in (
    ("len", "obj", _len),
    ("range", "*args", _range),
    ("int", "x base", _int),
    ("float", "x", _float),
    ("bool", "x", _bool),
    ("str", "object encoding errors", _str),
    ("abs", "x", _abs),
    ("round", "number ndigits", _round),
    ("min", "*args key default", _extreme("min")),
    ("max", "*args key default", _extreme("max")),
    ("sum", "iterable start", _sum),
    ("enumerate", "iterable start", _enumerate),
    ("zip", "*iterables strict", _zip),
    ("reversed", "sequence", _reversed),
    ("list", "iterable", _collected("list")),
    ("set", "iterable", _collected("set")),
    ("frozenset", "iterable", _collected("set")),
    ("tuple", "iterable", _tuple),
    ("dict", "mapping", _dict),
    ("iter", "iterable sentinel", _iter),
    ("next", "iterator default", _next),
    ("isinstance", "object classinfo", isinstance_of),
    ("issubclass", "cls classinfo", lambda given: Some("bool")),
    ("hasattr", "object name", _hasattr),
    ("getattr", "object name default", _getattr),
    ("callable", "object", _callable),
    ("any", "iterable", lambda given: Some("bool")),
    ("all", "iterable", lambda given: Some("bool")),
    ("repr", "object", lambda given: Some("str")),
    ("format", "value spec", lambda given: Some("str")),
    ("chr", "i", lambda given: Some("str")),
    ("hex", "x", lambda given: Some("str")),
    ("bin", "x", lambda given: Some("str")),
    ("ascii", "object", lambda given: Some("str")),
    ("ord", "c", lambda given: Some("int")),
    ("id", "object", lambda given: Some("int")),
    ("hash", "object", lambda given: Some("int")),
    ("type", "object", lambda given: ANY),
    ("dir", "object", lambda given: Many(Some("str"), "list")),
    ("vars", "object", lambda given: ANY),
    ("object", "", lambda given: ANY),
    ("complex", "real imag", lambda given: Some("complex")),
    ("bytes", "source encoding", lambda given: Some("bytes")),
    ("slice", "start stop step", lambda given: _slice(given)),
):
    builtin(_name, _params, _returns)
builtin("filter", "function iterable", _filter)
builtin("map", "func *iterables", _map, tags="")
builtin("setattr", "object name value", _setattr)
builtin("print", "*args sep end file flush", lambda given: NONE, "pure log print")
builtin("input", "prompt", lambda given: Some("str"), "pure io")
builtin("open", "file mode", lambda given: Made(Obj("io.TextIOWrapper")), "pure io")
builtin("breakpoint", "", lambda given: NONE, "pure breakpoint")


def _slice(given: Given) -> Value:
    """`slice(stop)`, `slice(start, stop, step)`."""
    if "stop" not in given:
        return Slice(NONE, given["start"], NONE)
    return Slice(given["start"], given["stop"], given.get("step", NONE))


EXCEPTIONS = (
    "Exception BaseException ValueError TypeError RuntimeError KeyError IndexError AttributeError NotImplementedError "
    "AssertionError StopIteration FileNotFoundError ImportError OSError KeyboardInterrupt ArithmeticError "
    "ZeroDivisionError LookupError NameError OverflowError TimeoutError UserWarning DeprecationWarning FutureWarning "
    "RuntimeWarning Warning SystemExit ModuleNotFoundError PermissionError EOFError"
)
for _name in EXCEPTIONS.split():
    builtin(_name, "*args", lambda given: ANY)
__all__ = ["Invoke", "ShapeOf"]
