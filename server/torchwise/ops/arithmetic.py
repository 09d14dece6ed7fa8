"""Python's operators: on numbers, strings and sequences here, on tensors by the operators of `binary`."""

from __future__ import annotations

import operator

from torchwise.domain.dim import Dim
from torchwise.domain.effects import SetItems
from torchwise.domain.join import join
from torchwise.domain.nature import LISTED_AGAIN, made_at
from torchwise.domain.value import (
    ANY,
    NONE,
    Class,
    Const,
    Items,
    Named,
    Num,
    Obj,
    Pointer,
    Some,
    Tensor,
    Value,
)
from torchwise.domain.verdict import Verdict
from torchwise.ops.array_operators import on_arrays, written_into
from torchwise.ops.operands import number_kind
from torchwise.ops.rows import Answer
from torchwise.ops.spec import OPS, Given, Made, Op, Outcome, Returns, op

SOURCE = "https://docs.python.org/3/library/operator.html"
TRUE, FALSE, BOOL = Const(True), Const(False), Some("bool")

# python's name; the name here; what it does to tensors; its in-place form
OPERATORS = (
    ("add", "torch.add", "iadd"),
    ("sub", "torch.sub", "isub"),
    ("mul", "torch.mul", "imul"),
    ("truediv", "torch.true_divide", "itruediv"),
    ("floordiv", "torch.floor_divide", "ifloordiv"),
    ("mod", "torch.remainder", "imod"),
    ("pow", "torch.pow", "ipow"),
    ("and_", "torch.bitwise_and", "iand"),
    ("or_", "torch.bitwise_or", "ior"),
    ("xor", "torch.bitwise_xor", "ixor"),
    ("lshift", "torch.bitwise_left_shift", "ilshift"),
    ("rshift", "torch.bitwise_right_shift", "irshift"),
)
NAMES = {"torch.true_divide": "div"}  # rules know both by one name


def truth(verdict: Verdict) -> Value:
    return TRUE if verdict.holds else FALSE if verdict.fails else BOOL


def known(value: Value) -> object:
    """The python value, `...` where it is not known."""
    if isinstance(value, Const) and value.value is not ...:
        return value.value
    return value.dim.number if isinstance(value, Num) and value.dim.number is not None else ...


def of_constant(value: object) -> Value:
    if isinstance(value, int) and not isinstance(value, bool):
        return Num(Dim.of(value))
    return Const(value)


def on_numbers(name: str, a: Value, b: Value) -> Value | None:
    """The result for two python numbers; None where one is none."""
    kinds = number_kind(a), number_kind(b)
    if None in kinds or _of_numpy(a) or _of_numpy(b):
        return None
    if isinstance(a, Num) and isinstance(b, Num):
        found = _on_dims(name, a.dim, b.dim)
        if found is not None:
            return found
    one, other = known(a), known(b)
    if name == "pow" and isinstance(one, float) and one < 0 and kinds[1] == "float":
        return ANY  # it may be complex
    if one is not ... and other is not ... and name not in ("pow", "lshift"):
        try:
            return of_constant(getattr(operator, name)(one, other))
        except (ArithmeticError, TypeError, ValueError):
            return ANY
    kind = _kind(name, kinds)  # type: ignore[arg-type]
    open_ = any(isinstance(v, Some) and v.dtype == "?" for v in (a, b))
    if open_ and "bool" in kinds:
        return ANY
    return Some(kind, dtype="?" if open_ else "")


def _of_numpy(value: Value) -> bool:
    """Whether it is a number that has a dtype."""
    return isinstance(value, Some) and value.dtype not in ("", "?")


def _on_dims(name: str, a: Dim, b: Dim) -> Value | None:
    match name:
        case "add":
            return Num(a + b)
        case "sub":
            return Num(a - b)
        case "mul":
            return Num(a * b)
        case "floordiv" if b.number != 0:
            return Num(a // b)
        case "mod" if b.number != 0:
            return Num(a % b)
        case "pow" if b.number is not None and 0 <= b.number <= 8:
            return Num(a**b.number)
        case "pow" if b.number is not None and b.number < 0 and a.number is None:
            return Some("float")
        case "truediv" if a.number is not None and b.number:
            return Const(a.number / b.number)
        case "pow" if (
            a.number is not None and b.number is not None and abs(b.number) <= 64 and abs(a.number) <= 64
        ):
            return of_constant(a.number**b.number) if a.number or b.number >= 0 else ANY
    return None


def _kind(name: str, kinds: tuple[str, str]) -> str:
    """The type of the result of two numbers of these types."""
    if "complex" in kinds:
        return "complex"
    if name == "truediv" or "float" in kinds:
        return "float"
    if name == "pow":
        return "int" if kinds == ("bool", "bool") else "float" if "float" in kinds else "int"
    if name in ("and_", "or_", "xor") and kinds == ("bool", "bool"):
        return "bool"
    return "int"


def on_types(name: str, a: Value, b: Value) -> Value | None:
    """`list | tuple`, as isinstance takes it."""
    parts = (*_types(a), *_types(b))
    known = all(isinstance(v, Class) or v == NONE or (isinstance(v, Named) and _is_type(v)) for v in parts)
    return Items(parts) if name == "or_" and known and parts != (NONE, NONE) else None


def _is_type(value: Named) -> bool:
    """And no flag, as `re.ASCII | re.MULTILINE`."""
    return value.path.startswith(("builtins.", "torch.", "typing.", "collections.", "numpy."))


def _types(value: Value) -> tuple[Value, ...]:
    return value.items if isinstance(value, Items) and value.kind == "tuple" else (value,)


def on_sequences(given: Given, name: str, a: Value, b: Value) -> Value | Made | None:
    """Concatenation and repetition of tuples, lists and strings."""
    if name == "add":
        if isinstance(a, Items) and isinstance(b, Items):
            return Items((*a.items, *b.items), "size" if a.kind == b.kind == "size" else "tuple")
        one, other = _list(given, a), _list(given, b)
        if one is not None and other is not None:
            return Made(joined(one, other))
        if isinstance(a, Const) and isinstance(b, Const) and type(a.value) is type(b.value) is str:
            return Const(a.value + b.value)
        if "str" == _text(a) == _text(b):
            return Some("str")
    if name == "mul":
        return _repeated(given, a, b) or _repeated(given, b, a)
    if name == "mod" and _text(a) == "str":
        return Some("str")
    return None


def _text(value: Value) -> str | None:
    if isinstance(value, Const) and isinstance(value.value, str):
        return "str"
    return "str" if value == Some("str") else None


def _list(given: Given, value: Value) -> Obj | None:
    obj = given.heap.get(value.to) if isinstance(value, Pointer) else None
    return obj if obj is not None and obj.cls == "list" else None


def joined(a: Obj, b: Obj) -> Obj:
    if a.items is not None and b.items is not None:
        return Obj("list", items=(*a.items, *b.items))
    return Obj("list", items=None, each=covering((a, b)))


def covering(objs: tuple[Obj, ...]) -> Value:
    values = [v for obj in objs for v in ((obj.each,) if obj.items is None else obj.items)]
    if not values or any(v is None for v in values):
        return ANY
    found = values[0]
    for value in values[1:]:
        found = join(found, value)  # type: ignore[arg-type]
    return found  # type: ignore[return-value]


def _repeated(given: Given, sequence: Value, times: Value) -> Value | Made | None:
    count = times.dim.number if isinstance(times, Num) else None
    if isinstance(sequence, Items):
        short = count is not None and count * len(sequence.items) <= 1000
        return Items(sequence.items * count) if short and count is not None else ANY
    obj = _list(given, sequence)
    if obj is None or number_kind(times) != "int":
        return Some("str") if _text(sequence) and number_kind(times) == "int" else None
    if count is not None and obj.items is not None and count * len(obj.items) <= 1000:
        items = tuple([_again(given, v) for v in obj.items]) if count > 1 else obj.items
        return Made(Obj("list", items=items * max(count, 0)))
    return Made(Obj("list", items=None, each=_again(given, covering((obj,)))))


def _again(given: Given, value: Value) -> Value:
    """One tensor in several places of a list."""
    known = isinstance(value, Tensor) and value.storage is not None and given.site is not None
    return value.but(nature=made_at(LISTED_AGAIN, given.site)) if known else value  # type: ignore[attr-defined,arg-type]


def is_tensor(*values: Value) -> bool:
    return any(isinstance(v, Tensor) for v in values)


def binary(name: str, tensors: Op, first: str, second: str) -> Returns:
    def returns(given: Given) -> Answer:
        a, b = given["input"], given["other"]
        if is_tensor(a, b):
            if a is ANY:
                return ANY
            values = {first: a, second: b}
            return tensors.returns(Given(values, given.heap, (), given.defaults, given.regions, given.site))
        found = on_numbers(name, a, b)
        if found is None:
            return (
                on_types(name, a, b) or on_sequences(given, name, a, b) or on_arrays(name, given, a, b) or ANY
            )
        return found

    return returns


def in_place(name: str, method: Op | None, computed: Returns, first: str, second: str) -> Returns:
    """Tensors and lists change; everything else is replaced."""

    def returns(given: Given) -> Answer:
        a, b = given["input"], given["other"]
        if isinstance(a, Tensor) and method is not None:
            values = {first: a, second: b}
            return method.returns(Given(values, given.heap, (), given.defaults, given.regions, given.site))
        if written_into(given, a):
            return a
        obj = _list(given, a)
        if obj is not None:
            made = _extended(given, name, obj, b)
            return Outcome(a, effects=(SetItems(a, made.items, made.each),))
        return computed(given)

    return returns


def _extended(given: Given, name: str, obj: Obj, value: Value) -> Obj:
    if name == "add":
        other = _list(given, value)
        if isinstance(value, Items):
            other = Obj("list", items=value.items)
        return joined(obj, other) if other is not None else Obj("list", items=None, each=ANY)
    return Obj("list", items=None, each=covering((obj,)))


def _parameters(tensors: Op) -> tuple[str, str]:
    return tensors.params[0], tensors.params[1]


for _name, _path, _inplace in OPERATORS:
    import torchwise.ops.binary  # noqa: F401  the rows must be there

    _tensors = OPS[_path]
    _first, _second = _parameters(_tensors)
    _rename = {_first: "input", _second: "other"}

    def _saves(of: Op, rename: dict[str, str] = _rename) -> str:
        def renamed(entry: str) -> str:
            what, _, wanting = entry.partition("<")
            names = ",".join(rename.get(n, n) for n in wanting.split(","))
            return rename.get(what, what) + (f"<{names}" if wanting else "")

        return " ".join(map(renamed, of.saves))

    _returns = binary(_name, _tensors, _first, _second)
    op(
        f"operator.{_name}",
        params="input other",
        returns=_returns,
        saves=_saves(_tensors),
        grad=_tensors.grad,
        name=NAMES.get(_path, _tensors.name),
        source=SOURCE,
    )
    _method = OPS.get(_path.replace("torch.", "Tensor.") + "_")
    op(
        f"operator.{_inplace}",
        params="input other",
        returns=in_place(_name, _method, _returns, _first, _second),
        saves=_saves(_method) if _method is not None else "",
        inplace="input",
        grad=_tensors.grad,
        name=NAMES.get(_path, _tensors.name) + "_",
        source=SOURCE,
    )
