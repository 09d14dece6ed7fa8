"""Python's builtin functions. Numbers stay exact where they are known; an iterable keeps its elements or
what covers them."""

from __future__ import annotations

from torchwise.domain.effects import Escape, Invoke, SetAttrOf, SetGrad
from torchwise.domain.value import (
    ANY,
    NONE,
    Class,
    Const,
    Dtype,
    Func,
    Many,
    Method,
    Named,
    Obj,
    Partial,
    Pointer,
    ShapeOf,
    Slice,
    Some,
    Tensor,
    Value,
)
from torchwise.ops.axis_arguments import dtype_named
from torchwise.ops.python_iterables import (
    collected,
    dict_of,
    enumerated,
    filtered,
    iterator_of,
    mapped,
    next_of,
    reversed_of,
    sorted_of,
    tuple_of,
    zipped,
)
from torchwise.ops.python_numbers import (
    abs_of,
    all_of,
    any_of,
    bool_of,
    extreme_of,
    float_of,
    int_of,
    length_of,
    one_element,
    range_of,
    round_of,
    str_of,
    sum_of,
)
from torchwise.ops.python_types import isinstance_of, type_of
from torchwise.ops.spec import Given, Made, Outcome, Returns, op

LIBRARY = "https://docs.python.org/3/library/functions.html"


def builtin(name: str, params: str = "", returns: Returns = lambda given: ANY, tags: str = "pure") -> None:
    grad = (
        "record" if name in ("sum", "abs", "min", "max", "round") else "cut"
    )  # of tensors, they are tensors
    op(f"builtins.{name}", params=params, returns=returns, tags=tags, grad=grad, source=f"{LIBRARY}#{name}")


# Objects


def _getattr(given: Given) -> Value:
    name, value = given.const("name"), given["object"]
    if not isinstance(name, str):
        return ANY
    match value:
        case Named(path) if "default" not in given:
            found = dtype_named(Named(f"{path}.{name}")) if path == "torch" else None
            return Named(f"{path}.{name}") if found is None else Dtype(found)
        case Pointer(to) if to in given.heap:
            return given.heap[to].attrs.get(name, ANY)
    return ANY


def _setattr(given: Given) -> Outcome:
    name = given.const("name")
    if name == "grad" and isinstance(given["object"], Tensor):
        return Outcome(NONE, (), (SetGrad(given["object"]),))
    if isinstance(name, str):
        return Outcome(NONE, (), (SetAttrOf(given["object"], name, given["value"]),))
    return Outcome(NONE, (), (Escape(given["object"]), Escape(given["value"])))


def _delattr(given: Given) -> Outcome:
    """What is read under the name from here on, a class says, or nobody."""
    name = given.const("name")
    if isinstance(name, str):
        return Outcome(NONE, (), (SetAttrOf(given["object"], name, ANY),))
    return Outcome(NONE, (), (Escape(given["object"]),))


def _hasattr(given: Given) -> Value:
    obj, name = given.obj("object"), given.const("name")
    return Const(True) if obj is not None and isinstance(name, str) and name in obj.attrs else Some("bool")


def _callable(given: Given) -> Value:
    called = isinstance(given["object"], Class | Func | Method | Named | Partial)
    return Const(True) if called else Some("bool")


for _name, _params, _returns in (
    ("len", "obj", length_of),
    ("range", "*args", range_of),
    ("int", "x base", one_element(int_of)),
    ("float", "x", one_element(float_of)),
    ("bool", "x", one_element(bool_of)),
    ("str", "object encoding errors", str_of),
    ("abs", "x", abs_of),
    ("round", "number ndigits", round_of),
    ("min", "*args key default", extreme_of("min")),
    ("max", "*args key default", extreme_of("max")),
    ("sum", "iterable start", sum_of),
    ("enumerate", "iterable start", enumerated),
    ("zip", "*iterables strict", zipped),
    ("reversed", "sequence", reversed_of),
    ("sorted", "iterable key reverse", sorted_of),
    ("divmod", "a b", lambda given: ANY),
    ("pow", "base exp mod", lambda given: ANY),
    ("list", "iterable", collected("list")),
    ("set", "iterable", collected("set")),
    ("frozenset", "iterable", collected("set")),
    ("tuple", "iterable", tuple_of),
    ("dict", "mapping", dict_of),
    ("iter", "iterable sentinel", iterator_of),
    ("next", "iterator default", next_of),
    ("isinstance", "object classinfo", isinstance_of),
    ("issubclass", "cls classinfo", lambda given: Some("bool")),
    ("hasattr", "object name", _hasattr),
    ("getattr", "object name default", _getattr),
    ("callable", "object", _callable),
    ("any", "iterable", any_of),
    ("all", "iterable", all_of),
    ("repr", "object", lambda given: Some("str")),
    ("format", "value spec", lambda given: Some("str")),
    ("chr", "i", lambda given: Some("str")),
    ("hex", "x", lambda given: Some("str")),
    ("bin", "x", lambda given: Some("str")),
    ("ascii", "object", lambda given: Some("str")),
    ("ord", "c", lambda given: Some("int")),
    ("id", "object", lambda given: Some("int")),
    ("hash", "object", lambda given: Some("int")),
    ("type", "object", type_of),
    ("dir", "object", lambda given: Many(Some("str"), "list")),
    ("vars", "object", lambda given: ANY),
    ("object", "", lambda given: ANY),
    ("complex", "real imag", lambda given: Some("complex")),
    ("bytes", "source encoding", lambda given: Some("bytes")),
    ("slice", "start stop step", lambda given: _slice(given)),
):
    builtin(_name, _params, _returns)
builtin("filter", "function iterable", filtered)
builtin("map", "func *iterables", mapped, tags="")
builtin("setattr", "object name value", _setattr)
builtin("delattr", "object name", _delattr)
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
    "Exception BaseException ValueError TypeError RuntimeError KeyError IndexError AttributeError "
    "NotImplementedError "
    "AssertionError StopIteration FileNotFoundError ImportError OSError KeyboardInterrupt ArithmeticError "
    "ZeroDivisionError LookupError NameError OverflowError TimeoutError UserWarning DeprecationWarning "
    "FutureWarning "
    "RuntimeWarning Warning SystemExit ModuleNotFoundError PermissionError EOFError"
)
for _name in EXCEPTIONS.split():
    builtin(_name, "*args", lambda given: ANY)
__all__ = ["Invoke", "ShapeOf"]
