"""Dtypes by name ("float32"), and which of them an operator computes in.

Torch's promotion has three ranks of operands: tensors with axes, tensors without (0-d), and python numbers. A
lower rank changes the result only if it is of a higher category (bool < integer < float < complex).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
WIDE_UNSIGNED = frozenset(UNSIGNED[1:])  # storage only: torch promotes them to nothing
SIGNED = ("int8", "int16", "int32", "int64")
INTEGERS = frozenset(UNSIGNED + SIGNED)
FLOATS = frozenset(("float16", "bfloat16", "float32", "float64"))
SMALL_FLOATS = frozenset(
    (
        "float8_e4m3fn",
        "float8_e5m2",
        "float8_e4m3fnuz",
        "float8_e5m2fnuz",
        "float8_e8m0fnu",
        "float4_e2m1fn_x2",
    )
)
COMPLEX = frozenset(("complex32", "complex64", "complex128"))
ALL = frozenset({"bool"}) | INTEGERS | FLOATS | SMALL_FLOATS | COMPLEX

SPELLINGS = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "chalf": "complex32",
    "cfloat": "complex64",
    "cdouble": "complex128",
} | {name: name for name in ALL}

NUMPY = {  # what numpy calls them, where that differs
    "float16": "float16",
    "half": "float16",
    "single": "float32",
    "float_": "float64",
    "double": "float64",
    "intp": "int64",
    "int_": "int64",
    "longlong": "int64",
    "intc": "int32",
    "short": "int16",
    "byte": "int8",
    "ubyte": "uint8",
    "bool_": "bool",
    "csingle": "complex64",
    "cdouble": "complex128",
} | {name: name for name in (*SIGNED, *UNSIGNED, "float32", "float64", "complex64", "complex128", "bool")}

SHORT = {  # for hints and messages
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "c64",
    "complex128": "c128",
} | {name: name.replace("uint", "u").replace("int", "i") for name in INTEGERS}

_PARTS = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}
_WHOLES = {part: whole for whole, part in _PARTS.items()} | {"bfloat16": "complex64"}


def category(dtype: str) -> int:
    """0 bool, 1 integer, 2 float, 3 complex."""
    return 0 if dtype == "bool" else 1 if dtype in INTEGERS else 3 if dtype in COMPLEX else 2


def is_floating(dtype: str) -> bool:
    return dtype in FLOATS or dtype in SMALL_FLOATS


def is_complex(dtype: str) -> bool:
    return dtype in COMPLEX


def is_integral(dtype: str) -> bool:
    """Integers; bool is none."""
    return dtype in INTEGERS


def real_part(dtype: str) -> str:
    return _PARTS.get(dtype, dtype)


def complex_of(dtype: str) -> str | None:
    return dtype if dtype in COMPLEX else _WHOLES.get(dtype)


def of_python(kind: str, default: str = "float32") -> str:
    """The dtype of a python number: of type "bool", "int", "float" or "complex"."""
    if kind == "complex":
        return _WHOLES.get(default, "complex64")
    return {"bool": "bool", "int": "int64"}.get(kind, default)


@lru_cache(1024)
def promote(a: str, b: str) -> str | None:
    """The smallest dtype for both, of one rank; None where torch refuses, or makes an exception of them."""
    if a == b:
        return a
    if category(a) < category(b):
        a, b = b, a
    if a in SMALL_FLOATS or b in SMALL_FLOATS:
        return None
    if category(a) != category(b):
        return _across(a, b)
    if category(a) == 1:
        return _integers(a, b)
    sizes = (
        ("float16", "float32", "float64") if category(a) == 2 else ("complex32", "complex64", "complex128")
    )
    if "bfloat16" in (a, b):
        other = b if a == "bfloat16" else a
        return "float32" if other == "float16" else other
    return max(a, b, key=sizes.index)


def _across(higher: str, lower: str) -> str | None:
    if (lower in WIDE_UNSIGNED and higher in COMPLEX) or (lower == "bool" and higher in WIDE_UNSIGNED):
        return None
    if higher in COMPLEX and is_floating(lower):
        whole = complex_of(lower)
        return None if whole is None else promote(higher, whole)
    return higher


def _integers(a: str, b: str) -> str | None:
    if (a in UNSIGNED) == (b in UNSIGNED):
        both = UNSIGNED if a in UNSIGNED else SIGNED
        # torch has no rule for the wider unsigned types
        return None if a in UNSIGNED else max(a, b, key=both.index)
    signed, unsigned = (a, b) if b in UNSIGNED else (b, a)
    if unsigned != "uint8":
        return None
    return "int16" if signed == "int8" else signed


def _combined(higher: str | None, lower: str | None) -> str | None:
    if higher is None or lower is None:
        return higher or lower
    if higher in COMPLEX:
        return higher
    if is_floating(higher):
        return complex_of(higher) if lower in COMPLEX else higher
    if higher == "bool" or is_floating(lower) or lower in COMPLEX:
        return promote(higher, lower)
    return higher


@lru_cache(4096)
def result_type(with_axes: frozenset[str], without: frozenset[str], numbers: frozenset[str]) -> str | None:
    """The dtype that operands of the three ranks are computed in; None where torch has none."""
    ranks: list[str | None] = []
    for dtypes in (with_axes, without, numbers):
        both: str | None = None
        for dtype in sorted(dtypes):
            both = dtype if both is None else promote(both, dtype)
            if both is None:
                return None
        ranks.append(both)
    return _combined(ranks[0], _combined(ranks[1], ranks[2]))


def can_cast(source: str, target: str) -> bool:
    """Whether an in-place operator may store a result of one dtype in another: not into a lower category."""
    return category(source) <= category(target) or {source, target} <= INTEGERS


def one_of(dtypes: Iterable[str | None]) -> str | None:
    """The dtype that all have; None where it is unknown or they differ."""
    found = set(dtypes)
    return found.pop() if len(found) == 1 else None
