"""What containers of modules take: modules and None, under names that are strings without dots."""

from __future__ import annotations

from collections.abc import Iterable

from torchwise.domain.value import Class, Const, Func, Items, Named, Num, Partial, Pointer, Tensor, Value
from torchwise.ops.module_tree import modules_of
from torchwise.ops.spec import OPS, Broken, Given


def refused(given: Given, param: str, values: Iterable[Value]) -> tuple[Broken, ...]:
    """What is certainly no module, nor None: a container of modules does not take it."""
    for number, value in enumerate(values):
        what = _no_module(given, value)
        if what is not None:
            return (Broken("not-module", param, str(number), wanted="a module", got=what),)
    return ()


def _no_module(given: Given, value: Value) -> str | None:
    """What it is instead; None where it may be a module."""
    match value:
        case Named(path) if path in OPS:
            name = path.rpartition(".")[2]
            return f"the class {name}, not an instance" if name[:1].isupper() else f"the function {name}"
        case Class(scope):
            return f"the class {scope.rpartition('::')[2].rpartition('.')[2]}, not an instance"
        case Func(scope):
            name = scope.rpartition("::")[2].rpartition(".")[2]
            return "a lambda" if "lambda" in name else f"the function {name}"
        case Partial():
            return "a partial function"
        case Items():
            return "a tuple"
        case Tensor():
            return "a tensor"
        case Num() | Const(bool() | float() | str()):
            return "a plain value"
        case Pointer(to) if to in given.heap and given.heap[to].cls in ("list", "dict", "set"):
            return f"a {given.heap[to].cls}"
    return None


def repeated(given: Given, param: str, values: Iterable[Value]) -> tuple[Broken, ...]:
    """One layer with parameters that stands in a container several times, as `[layer] * 3` gives it."""
    seen: set[Value] = set()
    for value in values:
        if isinstance(value, Pointer) and value in seen and _learns(given, value):
            return (Broken("repeated", param, got=value, because=value),)
        seen.add(value)
    return ()


def one_for_all(given: Given, param: str, values: tuple[Value, ...]) -> tuple[Broken, ...]:
    """One layer with parameters under every name, as `dict.fromkeys(names, layer)` gives it."""
    return repeated(given, param, values) if len(set(values)) == 1 else ()


def _learns(given: Given, value: Pointer) -> bool:
    modules = modules_of(given, value)
    tensors = (v for m in modules or () for v in given.heap[m.to].attrs.values())
    return any(isinstance(v, Tensor) and v.kind == "parameter" for v in tensors)


def bad_names(keys: Iterable[Value]) -> tuple[Broken, ...]:
    """A module's name is a string without dots."""
    for key in keys:
        if isinstance(key, Num):
            return (Broken("argument", "modules", wanted="strings as keys", got=f"the number {key.dim}"),)
        if isinstance(key, Const) and isinstance(key.value, str) and "." in key.value:
            return (Broken("argument", "modules", wanted="keys without dots", got=f'"{key.value}"'),)
    return ()
