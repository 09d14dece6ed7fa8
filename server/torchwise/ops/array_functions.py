"""Functions of numpy that go element by element, of one array or of several that are broadcast together."""

from __future__ import annotations

from torchwise.domain.value import NONE
from torchwise.ops.array_dtypes import Convert, asked, fine, floating, real
from torchwise.ops.array_operators import elementwise
from torchwise.ops.arrays import method, numpy
from torchwise.ops.rows import Answer
from torchwise.ops.spec import Given, Returns


def same(dtype: str | None) -> str | None:
    return dtype


def no_bool(dtype: str | None) -> str | None:
    """Of truth values they make small integers, or nothing."""
    return None if dtype == "bool" else dtype


def truth(dtype: str | None) -> str | None:
    return "bool"


def _rounded(dtype: str | None) -> str | None:
    return "float16" if dtype == "bool" else dtype


def by_elements(names: tuple[str, ...], convert: Convert) -> Returns:
    """What the operands of these names make together; `out` is written, and handed back."""

    def returns(given: Given) -> Answer:
        if given.get("out", NONE) != NONE:
            return given["out"]
        dtype = convert if "dtype" not in given else lambda found: asked(given, found)
        return elementwise(given, tuple([given[name] for name in names]), dtype)

    return returns


ONE: tuple[tuple[str, Convert], ...] = (
    ("exp exp2 expm1 log log2 log10 log1p sqrt cbrt", fine),
    ("sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh", fine),
    ("degrees radians deg2rad rad2deg rint fabs spacing", fine),
    ("sinc", floating),
    ("angle", lambda dtype: real(floating(dtype))),
    ("floor ceil trunc", same),
    ("negative positive sign square reciprocal", no_bool),
    ("nan_to_num conjugate conj invert bitwise_not", same),
    ("abs absolute", real),
    ("isnan isinf isfinite isneginf isposinf signbit logical_not iscomplex isreal", truth),
)
for _names, _convert in ONE:
    for _name in _names.split():
        _more = "copy nan posinf neginf" if _name == "nan_to_num" else "out"
        numpy(_name, f"x {_more}", by_elements(("x",), _convert))
numpy("round around", "a decimals out", by_elements(("a",), _rounded))
method("round", "decimals out", by_elements(("self",), _rounded))
method("conj conjugate", "out", by_elements(("self",), same))

TWO: tuple[tuple[str, Convert], ...] = (
    ("add multiply maximum minimum fmax fmin bitwise_and bitwise_or bitwise_xor", same),
    ("subtract floor_divide mod remainder fmod power left_shift right_shift gcd lcm", no_bool),
    ("divide true_divide", floating),
    ("arctan2 hypot logaddexp logaddexp2 copysign heaviside nextafter", fine),
    ("greater greater_equal less less_equal equal not_equal", truth),
    ("logical_and logical_or logical_xor", truth),
)
for _names, _convert in TWO:
    for _name in _names.split():
        numpy(_name, "x1 x2 out", by_elements(("x1", "x2"), _convert))
numpy("isclose", "a b rtol atol equal_nan", by_elements(("a", "b"), truth))
