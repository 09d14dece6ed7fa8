"""Tensors of drawn numbers, and tensors that are filled in place: `bernoulli`, `normal_`, `fill_`."""

from __future__ import annotations

from torchwise.domain.dtype import complex_of
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import Tensor, Value
from torchwise.ops.axis_arguments import (
    sizes_of,
)
from torchwise.ops.creation import OPTIONS, asked_dtype, made
from torchwise.ops.operands import default_dtype, together
from torchwise.ops.rows import Answer, both, function
from torchwise.ops.spec import Broken, Given, Outcome, op


def _complex(given: Given) -> Answer:
    all_ = together(given, ("real", "imag"))
    return Outcome(all_.tensor(None if all_.dtype is None else complex_of(all_.dtype)), all_.broken)


function("torch.complex", "real imag", _complex)
function("torch.polar", "real imag", _complex, saves="result")


def _sampled(given: Given) -> Answer:
    """bernoulli, poisson: like the input."""
    x = given["input"]
    if not isinstance(x, Tensor):
        return Tensor()
    return Tensor(
        x.shape,
        x.strides if x.shape is not None and x.strides == contiguous_strides(x.shape) else None,
        x.dtype,
        x.device,
    )


both("bernoulli", "input p generator", _sampled, tags="random")
function("torch.poisson", "input generator", _sampled, tags="random")


def _binomial(given: Given) -> Answer:
    """Numbers of trials, and how likely each is to succeed."""
    all_ = together(given, ("count", "prob"))
    return Outcome(Tensor(all_.shape, None, all_.dtype, all_.device), all_.broken)


function("torch.binomial", "count prob generator", _binomial, tags="random")


def _normal(given: Given) -> Answer:
    """normal(mean, std, size), or means and deviations as tensors."""
    sizes = sizes_of(given, "size")
    if sizes is not None:
        return made(given, sizes, asked_dtype(given, default_dtype(given)))
    all_ = together(given, ("mean", "std"))
    return Tensor(all_.shape, None, all_.dtype, all_.device)


function("torch.normal", f"mean std size {OPTIONS}", _normal, tags="random", grad="leaf")


def _multinomial(given: Given) -> Answer:
    """(N, classes) -> (N, samples) of indices."""
    x, samples = given["input"], given.dim("num_samples")
    if not isinstance(x, Tensor) or x.shape is None:
        return Tensor(dtype="int64")
    if len(x.shape) not in (1, 2):
        return Outcome(
            Tensor(), (Broken("rank", "input", wanted="1-d or 2-d", got=f"{len(x.shape)}-d", because=x),)
        )
    shape = (*x.shape[:-1], given.fresh("samples") if samples is None else samples)
    return Tensor(shape, contiguous_strides(shape), "int64", x.device)


both("multinomial", "input num_samples replacement generator", _multinomial, grad="cut", tags="random")


def _filled(given: Given) -> Value:
    """What the numbers were is past."""
    target = given["self"]
    return target.but(nature=None) if isinstance(target, Tensor) else target


# In-place samplers and fillers of a tensor.
for _name, _params in (
    ("normal_", "self mean std generator"),
    ("uniform_", "self from to generator"),
    ("random_", "self from to generator"),
    ("bernoulli_", "self p generator"),
    ("exponential_", "self lambd generator"),
    ("geometric_", "self p generator"),
    ("cauchy_", "self median sigma generator"),
    ("log_normal_", "self mean std generator"),
    ("fill_", "self value"),
    ("zero_", "self"),
    ("copy_", "self src non_blocking"),
    ("fill_diagonal_", "self fill_value wrap"),
):
    op(
        f"Tensor.{_name}",
        *((f"torch.{_name}",) if _name in ("fill_", "zero_") else ()),
        params=_params,
        returns=_filled if _name != "fill_diagonal_" else lambda given: given["self"],
        inplace="self",
        source=f"generated/torch.Tensor.{_name}.html",
    )
