"""Operators that go element by element: arithmetic, comparisons, functions of one number; and in place.

Shape, strides and device come from all operands together (`operands`); a row says what becomes of the dtype,
which dtypes are refused, and what autograd keeps (torch's derivatives.yaml).
"""

from __future__ import annotations

from collections.abc import Callable

from torchwise.domain.dtype import can_cast, category, is_complex, real_part
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import Tensor, Value
from torchwise.ops.operands import default_dtype, number_kind, result_or_any, together
from torchwise.ops.rows import Answer, result_and_broken
from torchwise.ops.spec import Broken, Given, Op, Outcome, Returns, op

ResultDtype = Callable[[str, Given], str | None]
# The letters of `refuses`: bool, integer, float, complex, of what operands are promoted to; and capitals:
# B any operand that is bool, N python numbers, S a number as second operand, A tensors of different dtypes,
# D only integers behind the first operand.
KINDS = "bifc"
NAMES_OF_KINDS = ("bool", "integer", "floating point", "complex")
HALVES = ("float16", "bfloat16")

# Autocast may run these in float32 (torch/csrc/autograd/autocast.h; the lists of CPU and CUDA differ).
IN_FLOAT32 = frozenset(
    ("acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log2", "log1p", "reciprocal", "rsqrt")
    + ("sinh", "tan", "pow", "softplus", "polygamma")
)
FLAT = frozenset(("logsigmoid", "rrelu", "mvlgamma"))  # their results are contiguous, whatever the input is


def _as_is(dtype: str, given: Given) -> str:
    return dtype


def _floating(dtype: str, given: Given) -> str:
    return dtype if category(dtype) > 1 else default_dtype(given)


def _bool(dtype: str, given: Given) -> str:
    return "bool"


def _real(dtype: str, given: Given) -> str:
    return real_part(dtype)


def _real_floating(dtype: str, given: Given) -> str:
    return real_part(_floating(dtype, given))


def _double(dtype: str, given: Given) -> str:
    return "complex128" if is_complex(dtype) else "float64"


RESULTS: dict[str, ResultDtype] = {
    "same": _as_is,
    "float": _floating,
    "bool": _bool,
    "real": _real,
    "real float": _real_floating,
    "double": _double,
}


def pointwise(name: str, operands: tuple[str, ...], result: str, refuses: str) -> Returns:
    of = RESULTS[result]
    refused = tuple(kind in refuses for kind in KINDS)
    extra = "".join(letter for letter in refuses if letter.isupper())
    lowered, flat = name in IN_FLOAT32, name in FLAT

    def returns(given: Given) -> Answer:
        all_ = together(given, operands)
        if all_.shape is None and all_.device is None and all_.dtype is None and not all_.broken:
            return _unknown(given, operands, result)
        broken, dtype = all_.broken, all_.dtype
        if extra:
            broken += _more_refused(given, operands, extra)
        if dtype is not None:
            if refused[category(dtype)]:
                broken += (_refusal(given, operands, dtype, refused),)
            dtype = None if lowered and dtype in HALVES and in_autocast(given) else of(dtype, given)
        elif result == "bool":
            dtype = "bool"
        strides = all_.strides if not flat or all_.shape is None else contiguous_strides(all_.shape)
        made = Tensor(all_.shape, strides, dtype, all_.device)
        return Outcome(made, broken) if broken else made

    return returns


def _more_refused(given: Given, operands: tuple[str, ...], letters: str) -> tuple[Broken, ...]:
    """The capital letters of `refuses`."""
    broken: tuple[Broken, ...] = ()
    first = given.tensor(operands[0])
    for name in operands:
        value = given[name]
        if "B" in letters and _is_bool(value):
            broken += (Broken("dtype", name, wanted="no bool", got="bool", because=given.tensor(name)),)
        if ("N" in letters or ("S" in letters and name == operands[1])) and number_kind(value) is not None:
            broken += (Broken("argument", name, wanted="a tensor", got=number_kind(value)),)
        if "A" in letters and isinstance(value, Tensor) and first is not None and name != "weight":
            if value.dtype is not None and first.dtype is not None and value.dtype != first.dtype:
                broken += (Broken("dtype", name, wanted=first.dtype, got=value.dtype, because=first),)
    if "D" in letters and all(isinstance(v := given[n], Tensor) and _is_integral(v) for n in operands[1:]):
        broken += (Broken("dtype", operands[1], wanted="floating point", got="integer"),)
    return broken[:1]


def _is_integral(x: Tensor) -> bool:
    return x.dtype is not None and category(x.dtype) < 2


def _is_bool(value: Value) -> bool:
    return (isinstance(value, Tensor) and value.dtype == "bool") or number_kind(value) == "bool"


def _unknown(given: Given, operands: tuple[str, ...], result: str) -> Value:
    found = result_or_any(given, operands)
    return Tensor(dtype="bool") if result == "bool" and isinstance(found, Tensor) else found


def in_autocast(given: Given) -> bool:
    return any(kind == "autocast" for kind, _ in given.regions)


def _refusal(given: Given, operands: tuple[str, ...], dtype: str, refused: tuple[bool, ...]) -> Broken:
    wanted = " or ".join(name for name, no in zip(NAMES_OF_KINDS, refused) if not no)
    at = next((n for n in operands if (t := given.tensor(n)) is not None and t.dtype == dtype), operands[0])
    return Broken("dtype", at, wanted=wanted, got=dtype, because=given.tensor(at))


def in_place(name: str, operands: tuple[str, ...], result: str, refuses: str, onto: str) -> Returns:
    """The result goes into the first operand, which keeps its shape and dtype."""
    computed = pointwise(name, operands, result, refuses)
    exact = name in ("abs", "absolute", "float_power")

    def returns(given: Given) -> Answer:
        target = given.tensor(onto)
        found = computed(given)
        made, broken = result_and_broken(found)
        if target is None or not isinstance(made, Tensor):
            return Outcome(made, broken)
        if not _storable(made.dtype, target.dtype, exact):
            broken = (*broken, Broken("dtype", onto, wanted=made.dtype, got=target.dtype, because=target))
        broken = broken or wider(onto, target, made)
        return Outcome(target, broken) if broken else target

    return returns


def _storable(dtype: str | None, target: str | None, exact: bool) -> bool:
    if dtype is None or target is None:
        return True
    return dtype == target if exact else can_cast(dtype, target)


def wider(param: str, target: Tensor, made: Tensor) -> tuple[Broken, ...]:
    """The clash where a result has a shape that the tensor that it should be stored in cannot take."""
    if target.shape is None or made.shape is None or target.shape == made.shape:
        return ()
    if len(made.shape) > len(target.shape):
        return (Broken("broadcast", param, wanted=made.shape, got=target.shape, because=target),)
    for axis in range(-len(target.shape), 0):
        if target.shape[axis].same_as(made.shape[axis]).fails:
            return (Broken("broadcast", param, str(axis), made.shape[axis], target.shape[axis], target),)
    return ()


def row(
    names: str,
    params: str = "input",
    result: str = "same",
    saves: str = "",
    refuses: str = "",
    operands: str = "",
    inplace: bool = True,
    grad: str = "",
) -> Op:
    """One operator: its name, then other spellings; a bare name is both in `torch` and a method."""
    spellings: list[str] = []
    for spelling in names.split():
        spellings += [spelling] if "." in spelling else [f"torch.{spelling}", f"Tensor.{spelling}"]
    first = spellings[0].rpartition(".")[2]
    of = tuple(operands.split()) or tuple(p.lstrip("*") for p in params.split())
    cut = grad or ("cut" if result == "bool" else "record")  # in place, the graph of what is written stays
    if inplace:
        bare = [s[7:] for s in spellings if s.startswith("Tensor.")]
        functions = [f"torch.{name}_" for name in bare if name in FUNCTIONS_IN_PLACE]
        op(
            *[f"Tensor.{name}_" for name in bare],
            *functions,
            params=params,
            returns=in_place(first, of, result, refuses, of[0]),
            inplace=of[0],
            saves=" ".join(s for s in saves.split() if s.partition("<")[0] != of[0]),
            grad=grad or "record",
            source=f"generated/torch.Tensor.{first}_.html",
        )
    returns = pointwise(first, of, result, refuses)
    source = "special.html" if "special." in spellings[0] else f"generated/{spellings[0]}.html"
    return op(*spellings, params=params, returns=returns, saves=saves, grad=cut, source=source)


# In-place operators that are functions too: torch.relu_(x).
FUNCTIONS_IN_PLACE = frozenset(
    (
        "abs",
        "acos",
        "acosh",
        "arccos",
        "arccosh",
        "arcsin",
        "arcsinh",
        "arctan",
        "arctanh",
        "asin",
        "asinh",
        "atan",
    )
    + (
        "atanh",
        "ceil",
        "conj_physical",
        "cos",
        "cosh",
        "deg2rad",
        "erf",
        "erfc",
        "exp",
        "exp2",
        "expm1",
        "fix",
    )
    + (
        "floor",
        "frac",
        "i0",
        "log",
        "log10",
        "log1p",
        "log2",
        "logit",
        "nan_to_num",
        "neg",
        "negative",
        "rad2deg",
    )
    + (
        "reciprocal",
        "round",
        "rsqrt",
        "sigmoid",
        "sin",
        "sinc",
        "sinh",
        "sqrt",
        "square",
        "tan",
        "tanh",
        "trunc",
    )
    + ("xlogy",)
)
