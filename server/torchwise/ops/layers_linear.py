"""Linear, bilinear and identity layers."""

from __future__ import annotations

from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import ANY, Shape, Tensor, Value
from torchwise.ops.agreement import autocast, axis, layer_device, layer_dtype, learned, rank
from torchwise.ops.layers import at_least, by, flag, layer, lazy, lazy_parts, optional, parameter
from torchwise.ops.spec import Given, Outcome, op


def linear(given: Given) -> Outcome:
    """(..., in_features) -> (..., out_features); a 1-d weight gives (...)."""
    x, weight, bias = given["input"], given.tensor("weight"), given.tensor("bias")
    if not isinstance(x, Tensor):
        return Outcome(Tensor() if x is ANY else ANY)
    dtype, clash = layer_dtype(given, x, weight, lowered=True)
    device, apart = layer_device(x, weight, strict=bias is not None)  # adds while it multiplies
    broken = clash + apart
    sizes = None if weight is None else weight.shape
    if x.shape is None or not sizes:
        return Outcome(Tensor(None, None, dtype, device), broken)
    if not x.shape or len(sizes) > 2:
        broken += rank("weight", weight, 1, 2) or rank("input", x, 1, 2, 3)
        return Outcome(Tensor(None, None, dtype, device), broken)
    broken += axis("input", "in_features", sizes[-1], x.shape[-1], weight)
    if bias is not None and bias.shape is not None and len(bias.shape) == len(sizes) - 1 == 1:
        if bias.shape[0].number != 1:
            broken += axis("bias", "out_features", sizes[0], bias.shape[0], weight)
    shape: Shape = (*x.shape[:-1], *sizes[:-1])
    taught = () if broken else learned(x, -1, sizes[-1])
    return Outcome(Tensor(shape, contiguous_strides(shape), dtype, device), broken, taught)


def bilinear(given: Given) -> Outcome:
    """(..., in1_features), (..., in2_features) -> (..., out_features)."""
    a, b, weight = given["input1"], given["input2"], given.tensor("weight")
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return Outcome(Tensor())
    sizes = None if weight is None else weight.shape
    device, broken = layer_device(a, weight)
    dtype = weight.dtype if weight is not None and autocast(given) is None else None
    if a.shape is None or b.shape is None or sizes is None or len(sizes) != 3:
        return Outcome(Tensor(None, None, dtype, device), broken)
    if len(a.shape) != len(b.shape) or not a.shape:
        return Outcome(Tensor(None, None, dtype, device), (*broken, *rank("input2", b, len(a.shape))))
    for i, (one, other) in enumerate(zip(a.shape[:-1], b.shape[:-1])):
        broken += axis("input2", str(i), one, other, a)
    broken += axis("input1", "in1_features", sizes[1], a.shape[-1], weight)
    broken += axis("input2", "in2_features", sizes[2], b.shape[-1], weight)
    shape: Shape = (*a.shape[:-1], sizes[0])
    return Outcome(Tensor(shape, contiguous_strides(shape), dtype, device), broken)


for _function, _params, _saves in (
    (linear, "input weight bias", "input<weight weight<input"),
    (bilinear, "input1 input2 weight bias", "input1<input2,weight input2<input1,weight weight<input1,input2"),
):
    _path = f"torch.nn.functional.{_function.__name__}"
    op(_path, params=_params, returns=_function, saves=_saves, source=f"generated/{_path}.html")


def _linear_parts(given: Given) -> dict[str, Value]:
    inner, outer = given.dim("in_features"), given.dim("out_features")
    return {"weight": parameter(given, outer, inner), "bias": optional(given, flag(given, "bias"), outer)}


def _bilinear_parts(given: Given) -> dict[str, Value]:
    one, other, outer = (given.dim(n) for n in ("in1_features", "in2_features", "out_features"))
    return {
        "weight": parameter(given, outer, one, other),
        "bias": optional(given, flag(given, "bias"), outer),
    }


layer(
    "torch.nn.Linear",
    "in_features out_features bias=True device=None dtype=None",
    home="linear",
    holds=_linear_parts,
    needs=lambda given: at_least(given, 0, "in_features", "out_features"),
    call=by(linear, "weight bias"),
    does="linear",
    saves="input<weight weight<input",
)
layer(
    "torch.nn.LazyLinear",
    "out_features bias=True device=None dtype=None",
    home="linear",
    bases="torch.nn.Linear",
    holds=lazy_parts("in_features"),
    needs=lambda given: at_least(given, 0, "out_features"),
    call=lazy(by(linear, "weight bias"), "in_features", lambda x: -1, _linear_parts),
    does="linear",
    saves="input<weight weight<input",
)
layer(
    "torch.nn.Bilinear",
    "in1_features in2_features out_features bias=True device=None dtype=None",
    home="linear",
    holds=_bilinear_parts,
    needs=lambda given: (
        at_least(given, 1, "in1_features") + at_least(given, 0, "in2_features", "out_features")
    ),
    call=by(bilinear, "weight bias"),
    does="bilinear",
    params="input1 input2",
    saves="input1<input2,weight input2<input1,weight weight<input1,input2",
)
layer("torch.nn.Identity", "*args", home="linear", call=lambda given: given["input"], does="identity")
