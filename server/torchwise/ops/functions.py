"""Functions of one number, element by element: `exp`, `sqrt`, `isnan`, and those of torch.special."""

from __future__ import annotations

from torchwise.domain.dtype import is_complex, real_part
from torchwise.domain.value import Tensor, Value
from torchwise.ops.pointwise import RESULTS, row
from torchwise.ops.rows import Answer, function
from torchwise.ops.spec import Broken, Given, Outcome, op

# names; dtype of the result; refused dtypes; kept for backward
UNARY = (
    ("acos arccos", "float", "", "input"),
    ("acosh arccosh", "float", "", "input"),
    ("asin arcsin", "float", "", "input"),
    ("asinh arcsinh", "float", "", "input"),
    ("atan arctan", "float", "", "input"),
    ("atanh arctanh", "float", "", "input"),
    ("cos", "float", "", "input"),
    ("cosh", "float", "", "input"),
    ("sin", "float", "", "input"),
    ("sinh", "float", "", "input"),
    ("tan", "float", "", "result"),
    ("sinc torch.special.sinc", "float", "", "input"),
    ("exp", "float", "", "result"),
    ("exp2 torch.special.exp2", "float", "", "result"),
    ("expm1 torch.special.expm1", "float", "", "result"),
    ("log", "float", "", "input"),
    ("log10", "float", "", "input"),
    ("log1p torch.special.log1p", "float", "", "input"),
    ("log2", "float", "", "input"),
    ("sqrt", "float", "", "result"),
    ("rsqrt", "float", "", "result"),
    ("reciprocal", "float", "", "result"),
    ("sigmoid torch.special.expit torch.nn.functional.sigmoid", "float", "", "result"),
    ("tanh torch.nn.functional.tanh", "float", "", "result"),
    ("erf torch.special.erf", "float", "c", "input"),
    ("erfc torch.special.erfc", "float", "c", "input"),
    ("erfinv torch.special.erfinv", "float", "c", "input"),
    ("lgamma torch.special.gammaln", "float", "c", "input"),
    ("digamma torch.special.digamma torch.special.psi", "float", "c", "input"),
    ("i0 torch.special.i0", "float", "c", "input"),
    ("deg2rad", "float", "c", ""),
    ("rad2deg", "float", "c", ""),
    ("ceil", "same", "bc", ""),
    ("floor", "same", "bc", ""),
    ("trunc fix", "same", "bc", ""),
    ("frac", "same", "bic", ""),
    ("neg negative", "same", "b", ""),
    ("sign", "same", "c", ""),
    ("sgn", "same", "", "input result"),
    ("bitwise_not", "same", "fc", ""),
    ("square", "square", "", "input"),
    ("logical_not", "bool", "", ""),
)
RESULTS["square"] = lambda dtype, given: "int64" if dtype == "bool" else dtype

for _names, _result, _refuses, _saves in UNARY:
    row(_names, "input", _result, _saves, _refuses)

# The same without an in-place form.
for _names, _result, _refuses, _saves in (
    ("angle", "real float", "", "input"),
    ("isnan", "bool", "", ""),
    ("isinf", "bool", "", ""),
    ("isfinite", "bool", "", ""),
    ("isreal", "bool", "", ""),
    ("isneginf", "bool", "c", ""),
    ("isposinf", "bool", "c", ""),
    ("signbit", "bool", "c", ""),
    ("torch.special.entr", "float", "c", "input"),
    ("torch.special.erfcx", "float", "c", "input result"),
    ("torch.special.i0e", "float", "c", "input result"),
    ("torch.special.i1", "float", "c", "input result"),
    ("torch.special.i1e", "float", "c", "input result"),
    ("torch.special.ndtr", "float", "c", ""),
    ("torch.special.ndtri", "float", "c", "result"),
    ("torch.special.log_ndtr", "float", "c", "input result"),
):
    row(_names, "input", _result, _saves, _refuses, inplace=False)

# The same without a gradient.
for _names in (
    *("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "spherical_bessel_j0", "airy_ai"),
    *("modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1"),
    *("scaled_modified_bessel_k0", "scaled_modified_bessel_k1"),
):
    row(f"torch.special.{_names}", "input", "float", "", "c", inplace=False, grad="cut")

# With further arguments that are plain numbers.
row("abs absolute", "input", "real", "input", "b")
row("round", "input decimals", "same", "", "bc", operands="input")
row("torch.special.round", "input decimals", "same", "", "bic", operands="input", inplace=False)
row("logit torch.special.logit", "input eps", "float", "input", "c", operands="input")
row("nan_to_num", "input nan posinf neginf", "same", "input", operands="input")
row(
    "torch.special.polygamma torch.polygamma",
    "n input",
    "float",
    "input",
    "c",
    operands="input",
    inplace=False,
)
row("Tensor.polygamma", "input n", "float", "input", "c", operands="input", inplace=False)
row("mvlgamma torch.special.multigammaln", "input p", "float", "input", "bc", operands="input")


def _real(given: Given) -> Answer:
    """A complex tensor seen as pairs of numbers: every other one is a real part."""
    x = given["input"]
    if not isinstance(x, Tensor):
        return Tensor()
    if x.dtype is None:
        return Tensor(x.shape, None, None, x.device)
    if not is_complex(x.dtype):
        return x
    strides = None if x.strides is None else tuple(step * 2 for step in x.strides)
    return Tensor(x.shape, strides, real_part(x.dtype), x.device)


def _imag(given: Given) -> Answer:
    x = given["input"]
    if isinstance(x, Tensor) and x.dtype is not None and not is_complex(x.dtype):
        return Outcome(Tensor(), (Broken("dtype", "input", wanted="complex", got=x.dtype, because=x),))
    return _real(given)


function("torch.real", "input", _real, view="input")
function("torch.imag", "input", _imag, view="input")


def _real_attribute(given: Given) -> Answer:
    return _real(Given({"input": given["self"]}, given.heap))


for _name in ("real", "imag"):  # torch raises where `imag` is asked of a real one
    op(
        f"Tensor.{_name}",
        params="self",
        returns=_real_attribute,
        view="self",
        tags="attribute",
        source=f"generated/torch.Tensor.{_name}.html",
    )


def _conjugate(given: Given) -> Value:
    """The tensor itself where it is real."""
    x = given["input"]
    return (
        x if _is_real(x) else Tensor(x.shape, None, x.dtype, x.device) if isinstance(x, Tensor) else Tensor()
    )


op(
    *[
        f"{home}.{name}"
        for home in ("torch", "Tensor")
        for name in ("conj", "conj_physical", "resolve_conj", "resolve_neg")
    ],
    params="input",
    returns=_conjugate,
    source="generated/torch.conj.html",
)


def _is_real(value: Value) -> bool:
    return isinstance(value, Tensor) and value.dtype is not None and not is_complex(value.dtype)
