"""What a value leads to directly."""

from __future__ import annotations

from torchwise.domain.value import (
    Any,
    Class,
    Const,
    Device,
    Dtype,
    Either,
    Func,
    Items,
    Many,
    Method,
    Module,
    Named,
    Params,
    Partial,
    Pointer,
    Site,
    Slice,
    Super,
    Tensor,
    Value,
    Wrapped,
)

ATOMS = frozenset((Any, Class, Const, Device, Dtype, Module, Named))  # that hold no site and no size


def pointed(value: Value) -> list[Site]:
    """The heap objects that a value leads to directly."""
    out: list[Site] = []
    _collect(value, out)
    return out


def _collect(value: Value, out: list[Site]) -> None:
    if type(value) is Pointer:
        out.append(value.to)
    elif type(value) is Params:
        out.append(value.of)
        if value.at is not None:
            out.append(value.at)
    elif type(value) is Tensor:
        return
    else:
        for name in _NESTED.get(type(value), ()):
            inner = getattr(value, name)
            if isinstance(inner, Value):
                _collect(inner, out)
            elif isinstance(inner, tuple):
                for item in inner:
                    if isinstance(item, Value):
                        _collect(item, out)
                    elif isinstance(item, tuple) and isinstance(item[1], Value):
                        _collect(item[1], out)


_NESTED: dict[type, tuple[str, ...]] = {
    Items: ("items",),
    Many: ("each",),
    Func: ("bound", "defaults"),
    Slice: ("start", "stop", "step"),
    Method: ("owner",),
    Super: ("owner",),
    Wrapped: ("func",),
    Partial: ("func", "args", "named"),
    Either: ("options",),
}
