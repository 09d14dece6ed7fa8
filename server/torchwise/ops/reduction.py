"""Operators that take axes away: sums, means, extremes, norms, and the tests `any` and `all`."""

from __future__ import annotations

from collections.abc import Callable

from torchwise.domain.device import same_device
from torchwise.domain.dim import Dim
from torchwise.domain.dtype import category, real_part
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import ANY, Const, Items, Num, Shape, Some, Tensor
from torchwise.ops.axis_arguments import axes_of, axis_of, dtype_argument, flag, is_none
from torchwise.ops.operands import default_dtype
from torchwise.ops.pointwise import in_autocast
from torchwise.ops.rows import Answer, both, function, result_and_broken
from torchwise.ops.spec import OPS, Broken, Given, Outcome, Returns, op

ONE = Dim.of(1)
ResultDtype = Callable[[str, Given], str | None]
CATEGORIES = ("bool", "integer", "floating point", "complex")


def _summed(dtype: str, given: Given) -> str:
    return "int64" if category(dtype) < 2 else dtype


def _same(dtype: str, given: Given) -> str:
    return dtype


def _truth(dtype: str, given: Given) -> str:
    return "uint8" if dtype == "uint8" else "bool"


def _real(dtype: str, given: Given) -> str:
    return real_part(dtype)


def _index(dtype: str, given: Given) -> str:
    return "int64"


def _floating(dtype: str, given: Given) -> str:
    return dtype if category(dtype) > 1 else default_dtype(given)


def without(shape: Shape, axes: tuple[int, ...], keepdim: bool) -> Shape:
    if keepdim:
        return tuple(ONE if axis in axes else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


def reduced_shape(
    given: Given, x: Tensor, one_axis: bool, filled: bool = False, all_by_none: bool = True
) -> tuple[Shape | None, tuple[Broken, ...]]:
    """The shape that is left; all axes go where none is named.

    `filled`: an axis that goes must not be empty. `all_by_none`: `dim=()` is all axes too.
    """
    if x.shape is None:
        everything = is_none(given, "dim") and flag(given, "keepdim") is False
        return () if everything else None, ()
    rank = len(x.shape)
    if is_none(given, "dim"):
        axes: tuple[int, ...] | Broken | None = tuple(range(rank))
    elif one_axis:
        axis = axis_of(given, "dim", rank)
        axes = (axis,) if isinstance(axis, int) else axis
    else:
        axes = axes_of(given, "dim", rank)
        axes = tuple(range(rank)) if axes == () and all_by_none else axes
    if isinstance(axes, Broken):
        return None, (axes,)
    if filled and axes is not None and any(x.shape[axis].number == 0 for axis in axes if x.shape):
        return None, (Broken("empty", "input", wanted="1 or more", got=Dim.of(0), because=x),)
    keepdim = flag(given, "keepdim")
    if axes is None:
        return (tuple(given.fresh(f"axis{i}") for i in range(rank)) if keepdim else None), ()
    return None if keepdim is None else without(x.shape, axes, keepdim), ()


def reduction(
    of: ResultDtype,
    refuses: str = "",
    one_axis: bool = False,
    dtype_asked: bool = False,
    filled: bool = False,
) -> Returns:
    refused = tuple(kind in refuses for kind in "bifc")

    def returns(given: Given) -> Answer:
        x = given["input"]
        if not isinstance(x, Tensor):
            return Tensor()
        shape, broken = reduced_shape(given, x, one_axis, filled, of is not _truth)
        asked = dtype_argument(given) if dtype_asked else ""
        dtype = x.dtype if asked == "" else asked
        if dtype is not None and refused[category(dtype)]:
            wanted = " or ".join(name for name, no in zip(CATEGORIES, refused) if not no)
            broken = (*broken, Broken("dtype", "input", wanted=wanted, got=dtype, because=x))
        result = None if dtype is None else of(dtype, given) if asked == "" else dtype
        if result in ("float16", "bfloat16") and in_autocast(given):
            result = None
        if x.dtype is None and of in (_truth, _index):
            result = "int64" if of is _index else None
        strides = None if shape is None else contiguous_strides(shape)
        made = Tensor(shape, strides, result, x.device)
        return Outcome(made, broken) if broken else made

    return returns


BOTH = ("torch.{}", "Tensor.{}")
# names; parameters; dtype of the result; refused dtypes; one axis only; takes a dtype; kept for backward
REDUCTIONS = (
    ("sum", "input dim keepdim dtype out", _summed, "", False, True, ""),
    ("nansum", "input dim keepdim dtype out", _summed, "c", False, True, "input"),
    ("mean", "input dim keepdim dtype out", _same, "bi", False, True, ""),
    ("nanmean", "input dim keepdim dtype out", _same, "bic", False, True, ""),
    ("prod", "input dim keepdim dtype out", _summed, "", True, True, "input result"),
    ("amax", "input dim keepdim out", _same, "c", False, False, "input result"),
    ("amin", "input dim keepdim out", _same, "c", False, False, "input result"),
    ("all", "input dim keepdim out", _truth, "", False, False, ""),
    ("any", "input dim keepdim out", _truth, "", False, False, ""),
    ("argmax", "input dim keepdim", _index, "bc", True, False, ""),
    ("argmin", "input dim keepdim", _index, "bc", True, False, ""),
    ("count_nonzero", "input dim", _index, "", False, False, ""),
    ("logsumexp", "input dim keepdim out", _floating, "", False, False, "input result"),
)
NOT_OF_NOTHING = ("amax", "amin", "argmax", "argmin")
for _name, _params, _of, _refuses, _one, _asked, _saves in REDUCTIONS:
    op(
        *[home.format(_name) for home in BOTH],
        *(("torch.special.logsumexp",) if _name == "logsumexp" else ()),
        params=_params,
        returns=reduction(_of, _refuses, _one, _asked, filled=_name in NOT_OF_NOTHING),
        saves=_saves,
        grad="cut" if _of in (_truth, _index) else "record",
        source=f"generated/torch.{_name}.html",
    )


def _spread(given: Given) -> Answer:
    """std and var: the second argument may be `unbiased`, a bool, instead of axes."""
    second = given.values.get("dim")
    if isinstance(second, Const) and isinstance(second.value, bool):
        values = {name: value for name, value in given.values.items() if name != "dim"}
        given = Given(values, given.heap, (), given.defaults, given.regions, given.site)
    return _SPREAD(given)


_SPREAD = reduction(_real, "bi")
for _name in ("std", "var"):
    op(
        *[home.format(_name) for home in BOTH],
        params="input dim unbiased keepdim correction out",
        returns=_spread,
        saves="input result" if _name == "std" else "input",
        source=f"generated/torch.{_name}.html",
    )


def _spread_and_mean(given: Given) -> Answer:
    found = _spread(given)
    made = found.result if isinstance(found, Outcome) else found
    broken = found.broken if isinstance(found, Outcome) else ()
    mean = made
    if isinstance(made, Tensor) and made.dtype is not None and isinstance(given["input"], Tensor):
        mean = Tensor(made.shape, made.strides, given["input"].dtype, made.device)
    return Outcome(Items((made, mean)), broken)  # type: ignore[arg-type]


for _name in ("std_mean", "var_mean"):
    function(f"torch.{_name}", "input dim unbiased keepdim correction", _spread_and_mean, saves="input")


def pair(
    kind: str, given: Given, values: Tensor, broken: tuple[Broken, ...], names: tuple[str, str]
) -> Outcome:
    """A named tuple of values and where they were found."""
    indices = Tensor(values.shape, values.strides, "int64", values.device)
    return Outcome(Items((values, indices), kind, names), broken)


def extreme(kind: str) -> Returns:
    """max(x), max(x, dim) with its indices, or max(x, other) element by element."""
    whole = reduction(_same, "c", filled=True)
    along = reduction(_same, "c", one_axis=True, filled=True)

    def returns(given: Given) -> Answer:
        second = given.values.get("dim", given.values.get("axis"))
        other = given.values.get("other", second)
        if isinstance(other, Tensor):
            values = {"input": given["input"], "other": other}
            return OPS[f"torch.{kind}imum"].returns(
                Given(values, given.heap, (), given.defaults, given.regions)
            )
        if second is None:
            return whole(given)
        if not isinstance(second, Num | Const | Some):
            return ANY  # an axis or another tensor
        found = along(given)
        made, broken = result_and_broken(found)
        if not isinstance(made, Tensor) or not isinstance(given["input"], Tensor):
            return Tensor()
        return pair(kind, given, made, broken, ("values", "indices"))

    return returns


for _name in ("max", "min"):
    op(
        *[home.format(_name) for home in BOTH],
        params="input dim keepdim other",
        returns=extreme(_name),
        source=f"generated/torch.{_name}.html",
    )


def located(kind: str, default: int | None, refuses: str) -> Returns:
    """median, mode, kthvalue: values along an axis with their indices."""
    whole = reduction(_same, refuses)
    along = reduction(_same, refuses, one_axis=True, filled=True)

    def returns(given: Given) -> Answer:
        if not isinstance(given["input"], Tensor):
            return Tensor()
        if is_none(given, "dim"):
            if default is None:
                return whole(given)
            values = {**given.values, "dim": Num(Dim.of(default))}
            given = Given(values, given.heap, (), given.defaults, given.regions, given.site)
        found = along(given)
        made, broken = result_and_broken(found)
        assert isinstance(made, Tensor), "the input is a tensor"
        return pair(kind, given, made, broken, ("values", "indices"))

    return returns


for _name, _params, _default, _refuses in (
    ("median", "input dim keepdim", None, "bc"),
    ("nanmedian", "input dim keepdim", None, "bc"),
    ("mode", "input dim keepdim", -1, ""),
    ("kthvalue", "input k dim keepdim", -1, "bc"),
):
    op(
        *[home.format(_name) for home in BOTH],
        params=_params,
        returns=located(_name, _default, _refuses),
        source=f"generated/torch.{_name}.html",
    )


def _aminmax(given: Given) -> Answer:
    found = reduction(_same, "c", one_axis=True, filled=True)(given)
    made, broken = result_and_broken(found)
    assert isinstance(made, Tensor), "a reduction gives a tensor"
    return Outcome(Items((made, made), "aminmax", ("min", "max")), broken)


both("aminmax", "input dim keepdim", _aminmax)


def _norm_dtype(dtype: str, given: Given) -> str:
    return real_part(dtype)


_VECTOR_NORM = reduction(_norm_dtype, "bi", dtype_asked=True)
both("norm", "input p dim keepdim out dtype", _VECTOR_NORM, saves="input result")
function("torch.linalg.vector_norm", "input ord dim keepdim dtype", _VECTOR_NORM, saves="input result")
function("torch.linalg.norm", "input ord dim keepdim dtype", _VECTOR_NORM)


def _quantile(given: Given) -> Answer:
    """One value for each quantile, in front, if they are given as a tensor with an axis."""
    x, q = given["input"], given["q"]
    if not isinstance(x, Tensor):
        return Tensor()
    shape, broken = reduced_shape(given, x, one_axis=True)
    if isinstance(q, Tensor):
        shape = None if q.shape is None or shape is None else (*q.shape, *shape)
    elif not isinstance(q, Const):
        shape = None
    if x.dtype not in (None, "float32", "float64"):
        broken = (*broken, Broken("dtype", "input", wanted="float32 or float64", got=x.dtype, because=x))
    return Outcome(Tensor(shape, None, x.dtype, x.device), broken)


for _name in ("quantile", "nanquantile"):
    op(
        *[home.format(_name) for home in BOTH],
        params="input q dim keepdim interpolation",
        returns=_quantile,
        source=f"generated/torch.{_name}.html",
    )


def _distance(given: Given) -> Answer:
    x, other = given["input"], given["other"]
    if not isinstance(x, Tensor) or not isinstance(other, Tensor):
        return Tensor((), (), None, None)
    same = x.dtype is not None and x.dtype == other.dtype
    device = x.device if same_device(x.device, other.device) else None
    return Tensor((), (), real_part(x.dtype) if same and x.dtype else None, device)


both("dist", "input other p", _distance, saves="input other result")


def _equal(given: Given) -> Answer:
    return Some("bool")


both(
    "equal",
    "input other rtol atol equal_nan",
    _equal,
    "torch.allclose",
    "Tensor.allclose",
    grad="cut",
    tags="sync",
)
