"""Operators of two and three operands, element by element: arithmetic, comparisons, `where`, `clamp`."""

from __future__ import annotations

from torchwise.domain.dtype import category, of_python, result_type
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import Const, Num, Tensor
from torchwise.ops.operands import default_dtype, number_kind, promoted, together
from torchwise.ops.pointwise import RESULTS, in_place, pointwise, row
from torchwise.ops.rows import Answer, both, function, method
from torchwise.ops.spec import OPS, Broken, Given, Outcome, op

EACH_OTHER = "input<other other<input"  # each is kept for the gradient of the other
BOTH = "input<input,other other<input,other"  # kept whichever of the two wants a gradient

# names; dtype of the result; refused dtypes; kept for backward
BINARY = (
    ("mul multiply", "same", "", EACH_OTHER),
    ("atan2 arctan2", "float", "cN", BOTH),
    ("hypot", "same", "bicN", "input<input other<other result"),
    ("copysign", "float", "c", "input<input result"),
    ("nextafter", "same", "bicN", ""),
    ("xlogy torch.special.xlogy", "float", "c", BOTH),
    ("igamma", "same", "bicN", "input<other other<other"),
    ("igammac", "same", "bicN", "input<other other<other"),
    ("remainder", "same", "bc", "input<other other<other"),
    ("fmod", "same", "bc", "input<other other<other"),
    ("floor_divide", "same", "bc", ""),
    ("gcd", "same", "bfcN", ""),
    ("lcm", "same", "bfcN", ""),
    ("bitwise_and", "same", "fc", ""),
    ("bitwise_or", "same", "fc", ""),
    ("bitwise_xor", "same", "fc", ""),
    ("bitwise_left_shift", "same", "bfc", ""),
    ("bitwise_right_shift", "same", "bfc", ""),
    ("float_power", "double", "", ""),
    ("eq", "bool", "", ""),
    ("ne not_equal", "bool", "", ""),
    ("lt less", "bool", "c", ""),
    ("le less_equal", "bool", "c", ""),
    ("gt greater", "bool", "c", ""),
    ("ge greater_equal", "bool", "c", ""),
    ("logical_and", "bool", "N", ""),
    ("logical_or", "bool", "N", ""),
    ("logical_xor", "bool", "N", ""),
)
for _names, _result, _refuses, _saves in BINARY:
    row(_names, "input other", _result, _saves, _refuses)

# The same without an in-place form.
for _names, _result, _refuses, _saves in (
    ("maximum", "same", "cN", BOTH),
    ("minimum", "same", "cN", BOTH),
    ("fmax", "same", "cN", BOTH),
    ("fmin", "same", "cN", BOTH),
    ("logaddexp", "same", "biN", BOTH),
    ("logaddexp2", "same", "bicN", BOTH),
    ("torch.special.xlog1py", "float", "c", BOTH),
    ("torch.special.zeta", "float", "c", ""),
    ("torch.special.gammainc", "same", "bicN", "input<other other<other"),
    ("torch.special.gammaincc", "same", "bicN", "input<other other<other"),
):
    row(_names, "input other", _result, _saves, _refuses, inplace=False)

row("add", "input other *alpha".replace("*", ""), "same", "", "", operands="input other")
row("sub subtract", "input other alpha", "same", "", "B", operands="input other")
row("torch.rsub", "input other alpha", "same", "", "B", operands="other input", inplace=False)
row("isclose", "input other rtol atol equal_nan", "bool", "", "NA", operands="input other", inplace=False)
THREE = "input tensor1 tensor2"
row("addcmul", f"{THREE} value", "same", "tensor1<tensor2 tensor2<tensor1", "b", operands=THREE)
row("addcdiv", f"{THREE} value", "same", "tensor1<tensor2 tensor2<tensor1,tensor2", "biD", operands=THREE)
row(
    "lerp",
    "input end weight",
    "same",
    "input<weight end<weight weight<input,end",
    "biAS",
    operands="input end weight",
)


def _divided(dtype: str, given: Given) -> str | None:
    """True division of integers is a float; floored and truncated division stays what it is."""
    mode = given.const("rounding_mode")
    if mode is ... and category(dtype) < 2:
        return None
    return RESULTS["float" if mode is None else "same"](dtype, given)


RESULTS["divided"] = _divided
row(
    "div divide",
    "input other rounding_mode",
    "divided",
    "input<other other<input,other",
    operands="input other",
)
row("true_divide", "input other", "float", "input<other other<input,other")


def _power(given: Given) -> Answer:
    """An integer tensor has no negative integer powers."""
    return _powers(given, _POWER(given))


def _powers(given: Given, found: Answer) -> Answer:
    base, exponent = given["input"], given["exponent"]
    if isinstance(base, Tensor) and base.dtype is not None:
        if category(base.dtype) == 1 and isinstance(exponent, Num) and exponent.dim.less_than(0).holds:
            return Outcome(Tensor(), (Broken("argument", "exponent", wanted="0 or more", got=exponent.dim),))
        if category(base.dtype) == 0 and number_kind(exponent) == "bool":
            return Outcome(found.result) if isinstance(found, Outcome) else found
    return found


_POWER_ = in_place("pow", ("input", "exponent"), "same", "b", "input")
_POWER = pointwise("pow", ("input", "exponent"), "same", "b")
POWER_SAVES = "input<input,exponent exponent<input,exponent"
both("pow", "input exponent", _power, saves=POWER_SAVES)
method(
    "pow_",
    "input exponent",
    lambda given: _powers(given, _POWER_(given)),
    inplace="input",
    saves="exponent<input,exponent",
)


def _clamp(given: Given) -> Answer:
    lowest, highest = given.get("min", Const(None)), given.get("max", Const(None))
    if lowest == highest == Const(None):
        return Outcome(Tensor(), (Broken("argument", "min", message="`clamp` needs `min` or `max`"),))
    if any(
        isinstance(a, Tensor) and a.shape and number_kind(b)
        for a, b in ((lowest, highest), (highest, lowest))
    ):
        return Outcome(
            Tensor(), (Broken("argument", "max", message="`min` and `max` must both be tensors or numbers"),)
        )
    found = _CLAMP(given)
    if number_kind(lowest) or number_kind(highest):
        if isinstance(found, Tensor) and (isinstance(lowest, Tensor) or isinstance(highest, Tensor)):
            return Tensor(found.shape, found.strides, None, found.device)  # one limit is read as a number
    return found


def _clamp_(given: Given) -> Answer:
    found = _clamp(given)
    return found if isinstance(found, Outcome) and found.broken else _CLAMP_(given)


_CLAMP_ = in_place("clamp", ("input", "min", "max"), "same", "c", "input")
_CLAMP = pointwise("clamp", ("input", "min", "max"), "same", "c")
for _name, _also, _params in (
    ("clamp", "clip", "input min max"),
    ("clamp_min", "", "input min"),
    ("clamp_max", "", "input max"),
):
    _operands, _spelled = tuple(_params.split()), f"{_name} {_also}".split()
    op(
        *[f"{home}.{n}" for n in _spelled for home in ("torch", "Tensor")],
        params=_params,
        returns=_clamp if _name == "clamp" else pointwise(_name, _operands, "same", "c"),
        saves="input<" + ",".join(_operands),
        source=f"generated/torch.{_name}.html",
    )
    op(
        *[f"{home}.{n}_" for n in _spelled for home in ("torch", "Tensor")],
        params=_params,
        returns=in_place(_name, _operands, "same", "c", "input") if _name != "clamp" else _clamp_,
        inplace="input",
        source=f"generated/torch.Tensor.{_name}_.html",
    )


def _where(given: Given) -> Answer:
    """With a condition alone it is `nonzero(as_tuple=True)`: as many results as the condition has axes."""
    if "input" not in given and "other" not in given:
        return OPS["torch.nonzero"].returns(
            Given(
                {**given.values, "input": given["condition"], "as_tuple": Const(True)},
                given.heap,
                site=given.site,
            )
        )
    return _chosen(given)


def _chosen(given: Given) -> Answer:
    condition = given["condition"]
    broken: tuple[Broken, ...] = ()
    if isinstance(condition, Tensor) and condition.dtype not in (None, "bool", "uint8"):
        broken = (Broken("dtype", "condition", wanted="bool", got=condition.dtype, because=condition),)
    all_ = together(given, ("condition", "input", "other"))
    parts = [given["input"], given["other"]]
    tensors = [p for p in parts if isinstance(p, Tensor)]
    kinds = [k for p in parts if (k := number_kind(p)) is not None]
    dtype = None
    if len(tensors) + len(kinds) == 2:
        default = default_dtype(given)
        dtype = promoted(tensors, kinds, default) if tensors else _of_numbers(kinds, default)
    made = Tensor(all_.shape, all_.strides, dtype, all_.device)
    return Outcome(made, broken + all_.broken)


def _of_numbers(kinds: list[str], default: str) -> str | None:
    none: frozenset[str] = frozenset()
    return result_type(none, none, frozenset(of_python(kind, default) for kind in kinds))


function("torch.where", "condition input other", _where, saves="condition")
method("where", "input condition other", _chosen, saves="condition")


def _masked_fill(given: Given) -> Answer:
    """Mask and input are stretched to each other; the value is stored in the input's dtype."""
    x, mask, value = given["input"], given["mask"], given["value"]
    if not isinstance(x, Tensor) or not isinstance(mask, Tensor):
        return Tensor(dtype=x.dtype if isinstance(x, Tensor) else None)
    all_ = together(given, ("input", "mask"))
    broken = all_.broken
    if mask.dtype not in (None, "bool"):
        broken = (*broken, Broken("dtype", "mask", wanted="bool", got=mask.dtype, because=mask))
    kind = number_kind(value)
    if (
        kind is not None
        and x.dtype is not None
        and category(x.dtype) == 0
        and kind not in ("bool", "int", "float")
    ):
        return Outcome(Tensor(), broken)
    if isinstance(value, Tensor) and value.shape:
        broken = (*broken, Broken("rank", "value", wanted="0-d", got=f"{len(value.shape)}-d", because=value))
    strides = None if all_.shape is None else contiguous_strides(all_.shape)
    return Outcome(Tensor(all_.shape, strides, x.dtype, all_.device), broken)


op(
    *("torch.masked_fill", "Tensor.masked_fill"),
    params="input mask value",
    returns=_masked_fill,
    saves="mask",
    source="generated/torch.Tensor.masked_fill.html",
)
