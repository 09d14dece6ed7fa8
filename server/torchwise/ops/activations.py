"""Activation functions: torch.relu, torch.nn.functional.gelu, softmax and their like."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.dtype import category
from torchwise.domain.effects import Write
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import Shape, Tensor
from torchwise.ops.axis_arguments import axis_of, dtype_argument, is_none
from torchwise.ops.pointwise import in_autocast, in_place, pointwise
from torchwise.ops.rows import Answer
from torchwise.ops.spec import Broken, Given, Outcome, Returns, op

F = "torch.nn.functional."

# name; parameters; refused dtypes; kept for backward
ACTIVATIONS = (
    ("gelu", "input approximate", "bic", "input"),
    ("silu", "input inplace", "bi", "input"),
    ("mish", "input inplace", "bic", "input"),
    ("hardtanh", "input min_val max_val inplace", "bc", "input"),
    ("hardswish", "input inplace", "bic", "input"),
    ("hardsigmoid", "input inplace", "bic", "input"),
    ("elu", "input alpha inplace", "bic", "input"),
    ("celu", "input alpha inplace", "bic", "input"),
    ("selu", "input inplace", "bic", "input"),
    ("leaky_relu", "input negative_slope inplace", "bic", "input"),
    ("relu6", "input inplace", "bc", "input"),
    ("threshold", "input threshold value inplace", "bc", "input"),
    ("rrelu", "input lower upper training inplace", "bic", "input"),
    ("softplus", "input beta threshold", "bic", "input"),
    ("softshrink", "input lambd", "bic", "input"),
    ("hardshrink", "input lambd", "bic", "input"),
    ("logsigmoid", "input", "bic", "input"),
    ("softsign", "input", "b", "input"),
    ("tanhshrink", "input", "b", ""),
)
ELSEWHERE = {
    "hardshrink": ("torch.hardshrink", "Tensor.hardshrink"),
    "threshold": ("torch.threshold",),
    "rrelu": ("torch.rrelu",),
    "celu": ("torch.celu",),
    "selu": ("torch.selu",),
}
IN_PLACE = {  # functions that are always in place
    "elu": (F,),
    "leaky_relu": (F,),
    "hardtanh": (F,),
    "celu": (F, "torch."),
    "selu": (F, "torch."),
    "threshold": (F, "torch."),
    "rrelu": (F, "torch."),
}


def in_place_tag(name: str) -> str:
    """Of those that keep their input: in place, these keep their result instead, the others a copy."""
    return "keeps-result-in-place" if name in ("elu", "celu", "selu", "leaky_relu", "rrelu") else ""


def maybe_in_place(name: str, result: str, refuses: str) -> Returns:
    """A function with an argument `inplace`: where it is True, the input is written and handed back."""
    fresh = pointwise(name, ("input",), result, refuses)
    written = in_place(name, ("input",), result, refuses, "input")

    def returns(given: Given) -> Answer:
        target = given.tensor("input")
        if given.const("inplace", False) is not True or target is None:
            return fresh(given)
        found = written(given)
        return Outcome(target, found.broken if isinstance(found, Outcome) else (), (Write(target),))

    return returns


for _name, _params, _refuses, _saves in ACTIVATIONS:
    _result = "float" if _name in ("softsign", "tanhshrink") else "same"
    op(
        F + _name,
        *ELSEWHERE.get(_name, ()),
        params=_params,
        returns=maybe_in_place(_name, _result, _refuses),
        saves=_saves,
        tags=in_place_tag(_name),
        source=f"generated/{F}{_name}.html",
    )
    if _name in IN_PLACE:
        op(
            *[f"{home}{_name}_" for home in IN_PLACE[_name]],
            params=_params.replace(" inplace", ""),
            returns=in_place(_name, ("input",), _result, _refuses, "input"),
            inplace="input",
            saves="result" if in_place_tag(_name) else "",
            source=f"generated/{F}{_name}_.html",
        )
op(
    *("torch.relu", "Tensor.relu", F + "relu"),
    params="input inplace",
    returns=maybe_in_place("relu", "same", "bc"),
    saves="result",
    source=f"generated/{F}relu.html",
)
op(
    *("torch.relu_", "Tensor.relu_", F + "relu_"),
    params="input",
    returns=in_place("relu", ("input",), "same", "bc", "input"),
    inplace="input",
    saves="result",
    source=f"generated/{F}relu_.html",
)


def _softmax(given: Given) -> Answer:
    """The same shape, contiguous or dense as the input; without a dtype, only floats."""
    x = given["input"]
    if not isinstance(x, Tensor):
        return Tensor()
    broken: tuple[Broken, ...] = ()
    dtype = dtype_argument(given) or ("" if is_none(given, "dtype") else None)
    if dtype == "":
        dtype = x.dtype
        if dtype is not None and category(dtype) != 2:
            broken = (Broken("dtype", "input", wanted="floating point", got=dtype, because=x),)
        if in_autocast(given) and dtype in ("float16", "bfloat16"):
            dtype = None
    if x.shape is not None and not is_none(given, "dim"):
        axis = axis_of(given, "dim", len(x.shape))
        if isinstance(axis, Broken):
            broken = (*broken, axis)
    return Outcome(Tensor(x.shape, _softmax_strides(x), dtype, x.device), broken)


def _softmax_strides(x: Tensor) -> Shape | None:
    """The kernels of CPU and CUDA make the input contiguous first, unless it is dense in another order."""
    if x.shape is None or x.strides is None:
        return None
    flat = contiguous_strides(x.shape)
    return flat if x.strides == flat else None


for _name, _saves in (("softmax", "result"), ("log_softmax", "result")):
    op(
        *(f"torch.{_name}", f"Tensor.{_name}", f"torch.special.{_name}"),
        params="input dim dtype",
        returns=_softmax,
        saves=_saves,
        source=f"generated/{F}{_name}.html",
    )
    op(
        F + _name,
        params="input dim _stacklevel dtype",
        returns=_softmax,
        saves=_saves,
        source=f"generated/{F}{_name}.html",
    )
op(
    *(F + "softmin",),
    params="input dim _stacklevel dtype",
    returns=_softmax,
    saves="result",
    source=f"generated/{F}softmin.html",
)
op(
    F + "gumbel_softmax",
    params="logits tau hard eps dim",
    returns=lambda given: _softmax(
        Given({**given.values, "input": given["logits"]}, given.heap, site=given.site)
    ),
    source=f"generated/{F}gumbel_softmax.html",
)


def _glu(given: Given) -> Answer:
    """Half of the axis gates the other half: its length is divided by two."""
    x = given["input"]
    if not isinstance(x, Tensor) or x.shape is None:
        return Tensor(dtype=x.dtype if isinstance(x, Tensor) else None)
    axis = axis_of(given, "dim", len(x.shape), -1)
    if isinstance(axis, Broken):
        return Outcome(Tensor(), (axis,))
    if axis is None or not x.shape:
        return Tensor(None, None, x.dtype, x.device)
    size = x.shape[axis]
    if Dim.of(2).divides(size).fails:
        return Outcome(Tensor(), (Broken("argument", "dim", str(axis), "even", size, x),))
    shape = (*x.shape[:axis], size // 2, *x.shape[axis + 1 :])
    flat = x.strides == contiguous_strides(x.shape)
    return Tensor(shape, contiguous_strides(shape) if flat else None, x.dtype, x.device)


op(F + "glu", params="input dim", returns=_glu, saves="input", source=f"generated/{F}glu.html")


def _prelu(given: Given) -> Answer:
    """One slope for all, or one for each channel (axis 1)."""
    x, weight = given["input"], given["weight"]
    if not isinstance(x, Tensor):
        return Tensor()
    broken: tuple[Broken, ...] = ()
    if isinstance(weight, Tensor) and weight.shape and len(weight.shape) == 1 and x.shape is not None:
        slopes, channels = weight.shape[0], x.shape[1] if len(x.shape) > 1 else Dim.of(1)
        if slopes.same_as(1).fails and slopes.same_as(channels).fails:
            broken = (Broken("axis", "weight", "num_parameters", channels, slopes, weight),)
    fresh = _PRELU(given)
    return Outcome(fresh, broken) if isinstance(fresh, Tensor) else fresh


_PRELU = pointwise("prelu", ("input",), "same", "bic")
op(
    *("torch.prelu", "Tensor.prelu", F + "prelu"),
    params="input weight",
    returns=_prelu,
    saves="input<input,weight weight<input,weight",
    source=f"generated/{F}prelu.html",
)
