"""`isinstance`: true or false only where it is certain."""

from __future__ import annotations

from torchwise.domain.value import (
    ANY,
    Class,
    Const,
    Device,
    Dtype,
    Func,
    Items,
    Many,
    Named,
    Num,
    Partial,
    Pointer,
    Some,
    Tensor,
    Value,
)
from torchwise.ops.spec import OPS, Given

TENSORS = frozenset(("torch.Tensor", "torch._C.TensorBase"))
PYTHON = frozenset(
    ("int", "float", "bool", "str", "bytes", "complex", "list", "dict", "set", "tuple", "NoneType")
)
SPELLED = {
    "types.NoneType": "NoneType",
    "types.FunctionType": "function",
    "types.LambdaType": "function",
    "types.MethodType": "method",
    "functools.partial": "partial",
    "collections.OrderedDict": "OrderedDict",
    "numpy.ndarray": "ndarray",
    "torch.dtype": "dtype",
    "torch.device": "device",
}
CALLED = frozenset(("function", "method", "partial", "type"))
# Abstract classes, and what of python's own types they cover.
ABSTRACT = {
    "numbers.Number": frozenset(("int", "float", "bool", "complex")),
    "numbers.Integral": frozenset(("int", "bool")),
    "numbers.Real": frozenset(("int", "float", "bool")),
    "typing.Sequence": frozenset(("list", "tuple", "str", "bytes")),
    "collections.abc.Sequence": frozenset(("list", "tuple", "str", "bytes")),
    "typing.Iterable": frozenset(("list", "tuple", "str", "bytes", "dict", "set")),
    "collections.abc.Iterable": frozenset(("list", "tuple", "str", "bytes", "dict", "set")),
    "typing.Mapping": frozenset(("dict",)),
    "collections.abc.Mapping": frozenset(("dict",)),
    "typing.Callable": CALLED,
    "collections.abc.Callable": CALLED,
}


def isinstance_of(given: Given) -> Value:
    answer = is_one_of(given, given["object"], given["classinfo"])
    return Some("bool") if answer is None else Const(answer)


def tensor_or_not(given: Given, value: Value) -> Value:
    answer = _is_a(given, value, "torch.Tensor")
    return Some("bool") if answer is None else Const(answer)


def is_one_of(given: Given, value: Value, classinfo: Value) -> bool | None:
    if isinstance(classinfo, Items):
        answers = [is_one_of(given, value, one) for one in classinfo.items]
        if True in answers:
            return True
        return None if None in answers else False
    match classinfo:
        case Named(path):
            return _is_a(given, value, path)
        case Class(key):
            return _is_of_project(given, value, key)
    return None


def _is_a(given: Given, value: Value, path: str) -> bool | None:
    name = path.removeprefix("builtins.")
    if _named(value) and name == path:
        return None  # of a class that may be this one
    if isinstance(value, Tensor):
        return _tensor_is(value, path)
    if isinstance(value, Some) and value.dtype:
        return _number_is(value, path)
    kind = python_type(given, value)
    if kind is not None:
        if path in ABSTRACT:
            return kind in ABSTRACT[path]
        wanted = SPELLED.get(path, name)
        if wanted == "object":
            return True
        if path.startswith(("builtins.", "torch.")) or path in SPELLED:
            return kind == wanted or (kind, wanted) == ("bool", "int")
        return None
    obj = given.heap.get(value.to) if isinstance(value, Pointer) else None
    if obj is None or obj.marks.get("opaque") is True:
        return None
    lineage = (obj.cls, *obj.bases)
    canonical = OPS[path].spellings[0] if path in OPS else path
    if canonical in lineage or path in lineage:
        return True
    known = all("::" in cls or cls in OPS or _inner(cls) for cls in lineage)
    return False if known and (path in OPS or name in PYTHON or path in TENSORS) else None


def _named(value: Value) -> bool:
    """A named tuple."""
    return isinstance(value, Items) and bool(value.names)


def _inner(cls: str) -> bool:
    """Base classes that have no row of their own."""
    return cls.startswith(("torch.nn.modules.", "torch.")) or cls in ("object", "builtins.object")


def _tensor_is(value: Tensor, path: str) -> bool | None:
    if path in TENSORS:
        return True
    if path in ("torch.nn.Parameter", "torch.nn.parameter.Parameter"):
        return True if value.kind == "parameter" else None
    if path.startswith("builtins.") or path == "numpy.ndarray" or path == "torch.nn.Module":
        return False
    return path.endswith(".Iterable") if path in ABSTRACT else None


def _number_is(value: Some, path: str) -> bool | None:
    """Of a number of numpy's: two of its types are those of python as well."""
    name = path.removeprefix("builtins.")
    if path.startswith("torch.") or name in ("str", "list", "dict", "tuple", "set"):
        return False
    if value.dtype == "?" or name == "object" or not path.startswith("builtins."):
        return True if name == "object" else None
    return (value.dtype, name) in (("float64", "float"), ("complex128", "complex"))


def names_class(path: str) -> bool:
    """Whether it is a layer of torch: calls of its instances have a row of their own."""
    return f"{path}.__call__" in OPS


def python_type(given: Given, value: Value) -> str | None:
    """The name of a value's type, where it is one of python's own."""
    match value:
        case Const(constant):
            return type(constant).__name__
        case Num():
            return "int"
        case Some(kind, dtype=dtype):
            return None if dtype else kind
        case Items(kind=kind, names=names) if names or kind in ("tuple", "size"):
            return "tuple"
        case Many(kind="tuple" | "list" as kind):
            return kind
        case Func(bound=bound):
            return "function" if bound is None else "method"
        case Partial():
            return "partial"
        case Class():
            return "type"
        case Named(path) if names_class(path):
            return "type"
        case Dtype():
            return "dtype"
        case Device():
            return "device"
        case Pointer(to) if to in given.heap and given.heap[to].cls in PYTHON:
            return given.heap[to].cls
    return None


def _is_of_project(given: Given, value: Value, key: str) -> bool | None:
    if _named(value):
        return None
    if isinstance(value, Tensor) or python_type(given, value) is not None:
        return False
    obj = given.heap.get(value.to) if isinstance(value, Pointer) else None
    if obj is None or value is ANY or obj.marks.get("opaque") is True:
        return None
    lineage = (obj.cls, *obj.bases)
    if key in lineage:
        return True
    return False if all("::" in cls or cls in OPS or _inner(cls) for cls in lineage) else None


def type_of(given: Given) -> Value:
    """The class of an object of the project: `type(self)(width)`."""
    obj = given.obj("object")
    return Class(obj.cls) if obj is not None and "::" in obj.cls else ANY
