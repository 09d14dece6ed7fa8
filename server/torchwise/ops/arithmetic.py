"""Python's operators: on numbers, strings and sequences here, on tensors by the operators of `binary`."""

from __future__ import annotations

import operator
from collections.abc import Callable

from torchwise.domain.dim import Dim
from torchwise.domain.effects import SetItems
from torchwise.domain.value import (
    ANY,
    Const,
    Device,
    Dtype,
    Items,
    Num,
    Obj,
    Pointer,
    ShapeOf,
    Some,
    Tensor,
    Value,
)
from torchwise.domain.verdict import Verdict, opposite
from torchwise.ops.axis_arguments import dtype_named
from torchwise.ops.operands import number_kind, same_device
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
    if None in kinds:
        return None
    if isinstance(a, Num) and isinstance(b, Num):
        found = _on_dims(name, a.dim, b.dim)
        if found is not None:
            return found
    one, other = known(a), known(b)
    if one is not ... and other is not ... and name not in ("pow", "lshift"):
        try:
            return of_constant(getattr(operator, name)(one, other))
        except (ArithmeticError, TypeError, ValueError):
            return ANY
    return Some(_kind(name, kinds))  # type: ignore[arg-type]


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
            power = Dim.of(1)
            for _ in range(b.number):
                power = power * a
            return Num(power)
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


def on_sequences(given: Given, name: str, a: Value, b: Value) -> Value | Made | None:
    """Concatenation and repetition of tuples, lists and strings."""
    if name == "add":
        if isinstance(a, Items) and isinstance(b, Items):
            return Items((*a.items, *b.items), "size" if a.kind == b.kind == "size" else "tuple")
        one, other = _list(given, a), _list(given, b)
        if one is not None and other is not None:
            return Made(joined(one, other))
        if isinstance(a, Const) and isinstance(b, Const) and type(a.value) is type(b.value) is str:
            return Const(a.value + b.value)  # type: ignore[operator]
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
    from torchwise.domain.join import join

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
        return Made(Obj("list", items=obj.items * max(count, 0)))
    return Made(Obj("list", items=None, each=covering((obj,))))


def is_tensor(*values: Value) -> bool:
    return any(isinstance(v, Tensor) for v in values)


def binary(name: str, tensors: Op, first: str, second: str) -> Returns:
    def returns(given: Given) -> Value | Made | Outcome:
        a, b = given["input"], given["other"]
        if is_tensor(a, b):
            if a is ANY:
                return ANY
            values = {first: a, second: b}
            return tensors.returns(Given(values, given.heap, (), given.defaults, given.regions, given.site))
        found = on_numbers(name, a, b)
        if found is None:
            return on_sequences(given, name, a, b) or ANY
        return found

    return returns


def in_place(name: str, method: Op | None, computed: Returns, first: str, second: str) -> Returns:
    """Tensors and lists change; everything else is replaced."""

    def returns(given: Given) -> Value | Made | Outcome:
        a, b = given["input"], given["other"]
        if isinstance(a, Tensor) and method is not None:
            values = {first: a, second: b}
            return method.returns(Given(values, given.heap, (), given.defaults, given.regions, given.site))
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

COMPARISONS: tuple[tuple[str, str, Callable[[Dim, Dim], Verdict]], ...] = (
    ("lt", "torch.lt", lambda a, b: a.less_than(b)),
    ("le", "torch.le", lambda a, b: opposite(b.less_than(a))),
    ("gt", "torch.gt", lambda a, b: b.less_than(a)),
    ("ge", "torch.ge", lambda a, b: opposite(a.less_than(b))),
    ("eq", "torch.eq", lambda a, b: a.same_as(b)),
    ("ne", "torch.ne", lambda a, b: opposite(a.same_as(b))),
)


def compared(name: str, tensors: Op, on_dims: Callable[[Dim, Dim], Verdict]) -> Returns:
    def returns(given: Given) -> Value | Made | Outcome:
        a, b = given["input"], given["other"]
        if is_tensor(a, b):
            if a is ANY:
                return ANY
            if name in ("eq", "ne") and not all(
                isinstance(v, Tensor) or number_kind(v) or v is ANY for v in (a, b)
            ):
                return Const(name == "ne")  # a tensor is no string, and not None
            return tensors.returns(given)
        if isinstance(a, Num) and isinstance(b, Num):
            return truth(on_dims(a.dim, b.dim))
        one, other = known(a), known(b)
        if one is not ... and other is not ...:
            return _on_constants(name, one, other)
        if name in ("eq", "ne"):
            same = equal(given, a, b)
            return truth(same if name == "eq" else opposite(same)) if same is not None else ANY
        return BOOL if number_kind(a) and number_kind(b) else ANY

    return returns


def _on_constants(name: str, a: object, b: object) -> Value:
    try:
        return Const(bool(getattr(operator, name)(a, b)))
    except TypeError:
        return ANY


def equal(given: Given, a: Value, b: Value) -> Verdict | None:
    """Whether two values that are no tensors are equal; None where even the type of the answer is not known."""
    if isinstance(a, Items) and isinstance(b, Items):
        if len(a.items) != len(b.items):
            return Verdict.FAILS
        parts = [_equal_parts(given, x, y) for x, y in zip(a.items, b.items)]
        if Verdict.FAILS in parts:
            return Verdict.FAILS
        return Verdict.HOLDS if all(p is Verdict.HOLDS for p in parts) else Verdict.UNKNOWN
    if isinstance(a, Dtype) or isinstance(b, Dtype):
        one, other = dtype_named(a), dtype_named(b)
        return Verdict.UNKNOWN if one is None or other is None else Verdict.of(one == other)
    if isinstance(a, Device) and isinstance(b, Device):
        return (
            Verdict.of(same_device(a.name, b.name)) if ":" in a.name + b.name or a != b else Verdict.UNKNOWN
        )
    simple = (Const, Num, Some, Dtype, Device, Items, ShapeOf)
    if isinstance(a, simple) and isinstance(b, simple):
        return Verdict.UNKNOWN
    return None


def _equal_parts(given: Given, a: Value, b: Value) -> Verdict:
    if isinstance(a, Num) and isinstance(b, Num):
        return a.dim.same_as(b.dim)
    one, other = known(a), known(b)
    return Verdict.of(one == other) if one is not ... and other is not ... else Verdict.UNKNOWN


for _name, _path, _on_dim in COMPARISONS:
    op(
        f"operator.{_name}",
        params="input other",
        returns=compared(_name, OPS[_path], _on_dim),
        grad="cut",
        name=OPS[_path].name,
        source=SOURCE,
    )


def _negative(given: Given) -> Value | Made | Outcome:
    a = given["input"]
    if isinstance(a, Tensor):
        return OPS["torch.neg"].returns(given)
    if isinstance(a, Num):
        return Num(-a.dim)
    value = known(a)
    if isinstance(value, bool | float | complex):
        return of_constant(-value)
    kind = number_kind(a)
    return Some("int" if kind == "bool" else kind) if kind else ANY


def _positive(given: Given) -> Value | Made | Outcome:
    a = given["input"]
    return a if isinstance(a, Num | Tensor) or number_kind(a) in ("float", "int") else ANY


def _inverted(given: Given) -> Value | Made | Outcome:
    a = given["input"]
    if isinstance(a, Tensor):
        return OPS["torch.bitwise_not"].returns(given)
    return (
        Num(-a.dim - 1) if isinstance(a, Num) else Some("int") if number_kind(a) in ("int", "bool") else ANY
    )


def _absolute(given: Given) -> Value | Made | Outcome:
    a = given["input"]
    if isinstance(a, Tensor):
        return OPS["torch.abs"].returns(given)
    return ANY


for _name, _does, _called in (
    ("neg", _negative, "neg"),
    ("pos", _positive, "positive"),
    ("invert", _inverted, "bitwise_not"),
    ("inv", _inverted, "bitwise_not"),
    ("abs", _absolute, "abs"),
):
    op(
        f"operator.{_name}",
        params="input",
        returns=_does,
        name=_called,
        source=SOURCE,
        saves="input" if _name == "abs" else "",
    )


def truth_of(given: Given, value: Value) -> Verdict:
    """Whether python takes a value as true. Objects of unknown classes may say anything."""
    constant = known(value)
    if constant is not ...:
        return Verdict.of(bool(constant))
    match value:
        case Num(dim):
            return opposite(dim.same_as(0))
        case Items(items):
            return Verdict.of(bool(items))
        case Pointer(to) if to in given.heap and given.heap[to].cls in ("list", "dict", "set"):
            items = given.heap[to].items
            return Verdict.UNKNOWN if items is None else Verdict.of(bool(items))
        case Dtype() | Device():
            return Verdict.HOLDS
    return Verdict.UNKNOWN


op(
    "operator.not_",
    params="input",
    returns=lambda given: truth(opposite(truth_of(given, given["input"]))),
    grad="cut",
    source=SOURCE,
)
op(
    "operator.truth",
    params="input",
    returns=lambda given: truth(truth_of(given, given["input"])),
    grad="cut",
    source=SOURCE,
)


def same_object(a: Value, b: Value) -> Verdict:
    """`a is b`, as far as it does not depend on how python shares small objects."""
    none = Const(None)
    if none in (a, b):
        other = b if a == none else a
        if other == none:
            return Verdict.HOLDS
        certain = (Tensor, Num, Items, Dtype, Device, Pointer, ShapeOf, Some, Const)
        return Verdict.FAILS if isinstance(other, certain) else Verdict.UNKNOWN
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Const) and isinstance(one.value, bool):
            constant = known(other)
            if constant is not ...:
                return Verdict.of(constant is one.value)
            return Verdict.UNKNOWN if other in (ANY, BOOL) else Verdict.FAILS
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        return Verdict.HOLDS if a == b else Verdict.UNKNOWN
    if isinstance(a, Dtype) and isinstance(b, Dtype):
        return Verdict.of(a == b)
    return Verdict.UNKNOWN


op(
    "operator.is_",
    params="input other",
    returns=lambda given: truth(same_object(given["input"], given["other"])),
    grad="cut",
    source=SOURCE,
)
op(
    "operator.is_not",
    params="input other",
    returns=lambda given: truth(opposite(same_object(given["input"], given["other"]))),
    grad="cut",
    source=SOURCE,
)
