"""The dtypes that numpy computes in, as version 2 has them.

Arrays and numpy's own numbers have a dtype that counts in full; a python number counts by its category alone
(https://numpy.org/neps/nep-0050-scalar-promotion.html): 2.0 leaves a float32 array as it is, and
`np.float64(2)` makes it wide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torchwise.domain.dtype import COMPLEX, FLOATS, INTEGERS, NUMPY, UNSIGNED, category
from torchwise.domain.value import Const, Named, Some, Value
from torchwise.ops.axis_arguments import dtype_named, is_none
from torchwise.ops.operands import number_kind
from torchwise.ops.spec import Given

Convert = Callable[[str | None], str | None]
NUMBERS = {"bool": "bool", "int": "int64", "float": "float64", "complex": "complex128"}
LEAST = {"bool": "bool", "int": "int8", "float": "float16", "complex": "complex64"}
LETTERS = {  # as the text of a dtype has them, beside the names
    "?": "bool",
    "b": "int8",
    "B": "uint8",
    "h": "int16",
    "H": "uint16",
    "i": "int32",
    "I": "uint32",
    "l": "int64",
    "L": "uint64",
    "q": "int64",
    "Q": "uint64",
    "e": "float16",
    "f": "float32",
    "d": "float64",
    "F": "complex64",
    "D": "complex128",
    "float": "float64",
    "int": "int64",
    "complex": "complex128",
    "long": "int64",
    "uint": "uint64",
    "ulong": "uint64",
    "ushort": "uint16",
    "i1": "int8",
    "i2": "int16",
    "i4": "int32",
    "i8": "int64",
    "u1": "uint8",
    "u2": "uint16",
    "u4": "uint32",
    "u8": "uint64",
    "f2": "float16",
    "f4": "float32",
    "f8": "float64",
    "c8": "complex64",
    "c16": "complex128",
}


def asked(given: Given, otherwise: str | None) -> str | None:
    """The dtype that a call asks for."""
    return otherwise if is_none(given, "dtype") else dtype_of(given["dtype"])


def dtype_of(value: Value) -> str | None:
    """A dtype as numpy takes it: `np.float32`, `float`, "float32", "<f4"."""
    if isinstance(value, Const) and isinstance(value.value, str):
        text = value.value.lstrip("<=|")
        return NUMPY.get(text) or LETTERS.get(text)
    return dtype_named(value) if isinstance(value, Named) else None


def numpy_promote(a: str, b: str) -> str | None:
    """The least dtype that holds both."""
    if a == b or b == "bool":
        return a
    if a == "bool":
        return b
    if a in INTEGERS and b in INTEGERS:
        return _whole(a, b)
    one, other = fine(a), fine(b)
    if one is None or other is None or "bfloat16" in (one, other):
        return None
    bits = max(_bits(one) // (2 if one in COMPLEX else 1), _bits(other) // (2 if other in COMPLEX else 1))
    if one in COMPLEX or other in COMPLEX:
        return f"complex{max(bits, 32) * 2}"
    return f"float{bits}"


def _bits(dtype: str) -> int:
    return int(dtype.lstrip("abcdefghijklmnopqrstuvwxyz"))


def _whole(a: str, b: str) -> str:
    if (a in UNSIGNED) == (b in UNSIGNED):
        return max(a, b, key=_bits)
    signed, unsigned = (b, a) if a in UNSIGNED else (a, b)
    bits = max(_bits(signed), 2 * _bits(unsigned))
    return f"int{bits}" if bits <= 64 else "float64"


def joint_dtype(dtypes: Sequence[str | None]) -> str | None:
    found = dtypes[0] if dtypes else None
    for dtype in dtypes[1:]:
        found = None if found is None or dtype is None else numpy_promote(found, dtype)
    return found


def with_number(dtype: str | None, number: Value) -> str | None:
    """Of an array and a number of python's, or one that may be python's or numpy's."""
    kind = number_kind(number)
    if dtype is None or kind is None:
        return None
    weak = dtype
    if category(NUMBERS[kind]) > category(dtype):
        weak = numpy_promote(dtype, "complex64") or "" if kind == "complex" else NUMBERS[kind]
    if isinstance(number, Some) and number.dtype == "?":
        return weak if all(numpy_promote(dtype, d) == weak for d in (NUMBERS[kind], LEAST[kind])) else None
    return weak or None


def fine(dtype: str | None) -> str | None:
    """What `np.sqrt` and its like compute in: small whole numbers make small floats."""
    if dtype is None or dtype in FLOATS or dtype in COMPLEX:
        return dtype
    return "float16" if _size(dtype) == 8 else "float32" if _size(dtype) == 16 else "float64"


def _size(dtype: str) -> int:
    return 8 if dtype == "bool" else _bits(dtype)


def floating(dtype: str | None) -> str | None:
    """What a mean and a division compute in."""
    return dtype if dtype is None or category(dtype) > 1 else "float64"


def counted(dtype: str | None) -> str | None:
    """What a sum is computed in: whole numbers get all 64 bits."""
    if dtype is None or category(dtype) > 1:
        return dtype
    return "uint64" if dtype in UNSIGNED else "int64"


def real(dtype: str | None) -> str | None:
    """Of the parts of complex numbers."""
    return f"float{_bits(dtype) // 2}" if dtype in COMPLEX and dtype is not None else dtype


def number_of(dtype: str) -> str:
    """The kind of python number that a number of a dtype is like."""
    return ("bool", "int", "float", "complex")[category(dtype)]


def dtype_of_kinds(kinds: frozenset[str]) -> str | None:
    """The dtype of an array of python's numbers of some kinds, and numpy's of some dtypes; of nothing it is
    float64.
    """
    if "?" in kinds:
        return None
    return joint_dtype([NUMBERS.get(kind, kind) for kind in sorted(kinds)]) if kinds else "float64"
