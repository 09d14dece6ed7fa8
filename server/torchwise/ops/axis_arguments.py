"""Arguments that name axes: `dim=-1`, `dim=(1, 2)`; and arguments that name sizes, dtypes and devices."""

from __future__ import annotations

from collections.abc import Sequence

from torchwise.domain.dim import Dim
from torchwise.domain.dtype import NUMPY, SPELLINGS
from torchwise.domain.value import (
    Const,
    Device,
    Dtype,
    Items,
    Named,
    Num,
    Pointer,
    Shape,
    Some,
    Tensor,
    Value,
)
from torchwise.ops.spec import Broken, Given

PYTHON_DTYPES = {
    "builtins.float": "float64",
    "builtins.int": "int64",
    "builtins.bool": "bool",
    "builtins.complex": "complex128",
}


def axis_of(
    given: Given, name: str, rank: int, default: int | None = None, more: int = 0
) -> int | Broken | None:
    """The axis counted from 0; what is broken if there is no such axis; None where it is not known.

    `more` is 1 for an axis that is to be inserted. A tensor without axes takes 0 and -1.
    """
    number = given.int(name, default)
    if number is None:
        return None
    return wrapped(number, rank + more, name, given)


def flag(given: Given, name: str, default: bool = False) -> bool | None:
    """A bool argument; None where it is not known."""
    value = given.const(name, default)
    return None if value is ... else bool(value)


def wrapped(number: int, rank: int, name: str, given: Given) -> int | Broken:
    count = rank or 1
    if -count <= number < count:
        return number + count if number < 0 else number
    return Broken(
        "dim-range", name, wanted=f"{-count} to {count - 1}", got=Dim.of(number), because=_tensor(given)
    )


def _tensor(given: Given) -> Tensor | None:
    for name in ("input", "self", "tensor"):
        if isinstance(given.values.get(name), Tensor):
            return given.tensor(name)
    return None


def axes_of(given: Given, name: str, rank: int) -> tuple[int, ...] | Broken | None:
    """Several axes, each once."""
    sizes = given.dims(name)
    if sizes is None:
        return None
    axes: list[int] = []
    unclear = False
    for size in sizes:
        if size is None or size.number is None:
            unclear = True
            continue
        axis = wrapped(size.number, rank, name, given)
        if isinstance(axis, Broken):
            return axis
        if axis in axes:
            return Broken("dim-range", name, wanted="each axis once", got=size, because=_tensor(given))
        axes.append(axis)
    return None if unclear else tuple(axes)


def is_none(given: Given, name: str) -> bool:
    """Whether an argument was left out or is None."""
    value = given.values.get(name)
    return value is None or value == Const(None)


def sizes_of(given: Given, name: str) -> Shape | None:
    """A shape argument, with fresh symbols for unknown entries; None where not even their number is known."""
    sizes = given.dims(name)
    if sizes is None:
        return None
    return tuple(given.fresh(f"{name}{i}") if size is None else size for i, size in enumerate(sizes))


def negative_size(name: str, sizes: Sequence[Dim]) -> tuple[Broken, ...]:
    for size in sizes:
        if size.number is not None and size.number < 0:
            return (Broken("argument", name, wanted="0 or more", got=size),)
    return ()


def dtype_argument(given: Given, name: str = "dtype") -> str | None:
    """The dtype that is asked for: "" where none is, None where it is not known."""
    value = given.values.get(name)
    if value is None or value == Const(None):
        return ""
    return dtype_named(value)


def dtype_named(value: Value) -> str | None:
    match value:
        case Dtype(name):
            return name
        case Named(path):
            home, _, last = path.rpartition(".")
            if home == "torch":
                return SPELLINGS.get(last)
            if home == "numpy":
                return NUMPY.get(last)
            return PYTHON_DTYPES.get(path)
    return None


def device_argument(given: Given, name: str = "device") -> str | None:
    """The device that is asked for: "" where none is, None where it is not known."""
    value = given.values.get(name)
    if value is None or value == Const(None):
        return ""
    return device_named(value)


def device_named(value: Value) -> str | None:
    match value:
        case Device(name):
            return name
        case Const(str(name)):
            return name
        case Num(dim) if dim.number is not None:
            return f"cuda:{dim.number}"
    return None


def is_sequence(value: Value) -> bool:
    return isinstance(value, Items | Pointer)


def is_boolean(value: Value) -> bool:
    return (isinstance(value, Const) and isinstance(value.value, bool)) or (
        isinstance(value, Some) and value.kind == "bool"
    )
