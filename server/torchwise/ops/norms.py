"""Normalisation as functions: batch, instance, layer, group, RMS, and local response.

The shape stays, and sizes must agree.
"""

from __future__ import annotations

from torchwise.domain.batches import uneven
from torchwise.domain.dim import Dim
from torchwise.domain.effects import Effect
from torchwise.domain.shape import channels_last, contiguous_strides
from torchwise.domain.value import ANY, NONE, Const, Num, Shape, Tensor
from torchwise.ops.agreement import FLOATS, HALVES, autocast, axis, layer_device, learned, rank
from torchwise.ops.layout import dense, kept_layout, layout_of
from torchwise.ops.spec import Broken, Given, Outcome, Returns, op

ONE = Dim.of(1)


def _checked(
    given: Given, x: Tensor, weight: Tensor | None
) -> tuple[str | None, str | None, tuple[Broken, ...]]:
    """dtype, device, and what clashes: half precision may meet float32 weights, other mixtures may not."""
    device, broken = layer_device(x, weight, strict=True)
    if autocast(given) is not None:
        return None, device, broken
    if x.dtype is not None and x.dtype not in FLOATS:
        broken += (Broken("dtype", "input", wanted="a floating dtype", got=x.dtype, because=x),)
        return None, device, broken
    if weight is not None and weight.dtype is not None and x.dtype is not None and x.dtype != weight.dtype:
        if not (x.dtype in HALVES and weight.dtype == "float32"):
            broken += (Broken("dtype", "input", wanted=weight.dtype, got=x.dtype, because=x),)
    return x.dtype, device, broken


def _tensor_at(given: Given, *names: str) -> Tensor | None:
    """The first of the arguments that is a tensor."""
    return next((t for t in map(given.tensor, names) if t is not None), None)


def batch_norm(given: Given) -> Outcome:
    x, weight = given["input"], _tensor_at(given, "weight", "running_mean")
    if not isinstance(x, Tensor):
        return Outcome(Tensor() if x is ANY else ANY)
    dtype, device, broken = _checked(given, x, weight)
    if x.shape is None:
        return Outcome(Tensor(None, None, dtype, device), broken)
    if len(x.shape) < 2:
        return Outcome(Tensor(x.shape, None, dtype, device), (*broken, *rank("input", x, 2, 3, 4, 5)))
    wanted = None if weight is None or not weight.shape else weight.shape[0]
    broken += axis("input", "num_features", wanted, x.shape[1], weight)
    if not broken and _trains(given) and all(d.number == 1 for i, d in enumerate(x.shape) if i != 1):
        broken += (Broken("batch", "input", wanted="more than 1 value per channel", got=ONE, because=x),)
    elif not broken and _trains(given) and _ends_in_one(x.shape):
        broken += (Broken("last-batch", "input", wanted="more than 1 value per channel", got=ONE, because=x),)
    strides = _kept(x)
    return Outcome(Tensor(x.shape, strides, dtype, device), broken, () if broken else learned(x, 1, wanted))


def _ends_in_one(shape: Shape) -> bool:
    """Whether the last batch of a loader has one value for each channel."""
    alone = any(b.last == 1 for b in uneven(Num(shape[0])).values())
    return alone and all(d.number == 1 for d in shape[2:])


def _trains(given: Given) -> bool:
    return given.get("training") == Const(True) or given.get("running_mean", ANY) == NONE


def _kept(x: Tensor) -> Shape | None:
    if x.shape is None or len(x.shape) < 4:
        return contiguous_only(x)
    return channels_last(x.shape) if layout_of(x) == "channels-last" else contiguous_only(x)


def contiguous_only(x: Tensor) -> Shape | None:
    return contiguous_strides(x.shape) if x.shape is not None and dense(x) else None


def instance_norm(given: Given) -> Outcome:
    """Over (batch, channels, *sizes)."""
    x, weight = given["input"], _tensor_at(given, "weight", "running_mean")
    if not isinstance(x, Tensor):
        return Outcome(Tensor() if x is ANY else ANY)
    dtype, device, broken = _checked(given, x, weight)
    if x.shape is not None and len(x.shape) > 2 and weight is not None and weight.shape:
        broken += axis("input", "num_features", weight.shape[0], x.shape[1], weight)
    return Outcome(Tensor(x.shape, contiguous_only(x), dtype, device), broken)


def layer_norm(given: Given) -> Outcome:
    x, weight = given["input"], given.tensor("weight")
    if not isinstance(x, Tensor):
        return Outcome(Tensor() if x is ANY else ANY)
    dtype, device, broken = _checked(given, x, weight)
    if x.shape is None:
        return Outcome(Tensor(None, None, dtype, device), broken)
    sizes = given.dims("normalized_shape") or ()
    if len(sizes) > len(x.shape):
        fault = Broken("rank", "input", wanted=f"at least {len(sizes)}-d", got=f"{len(x.shape)}-d", because=x)
        return Outcome(Tensor(x.shape, None, dtype, device), (*broken, fault))
    effects: tuple[Effect, ...] = ()
    for i in range(1, len(sizes) + 1):
        clash = axis("input", "normalized_shape", sizes[-i], x.shape[-i], weight)
        broken += clash
        effects += () if clash or effects else learned(x, -i, sizes[-i])
    return Outcome(Tensor(x.shape, contiguous_strides(x.shape), dtype, device), broken, effects)


def rms_norm(given: Given) -> Outcome:
    done = layer_norm(given)
    x, weight, out = given.tensor("input"), given.tensor("weight"), done.result
    if x is None or not isinstance(out, Tensor):
        return done
    same = weight is None or weight.dtype == x.dtype
    return Outcome(
        Tensor(out.shape, contiguous_only(x), out.dtype if same else None, out.device),
        tuple(b for b in done.broken if b.kind != "dtype"),
        done.effects,
    )


def group_norm(given: Given) -> Outcome:
    x, weight, groups = given["input"], given.tensor("weight"), given.dim("num_groups")
    if not isinstance(x, Tensor):
        return Outcome(Tensor() if x is ANY else ANY)
    dtype, device, broken = _checked(given, x, weight)
    if x.shape is None:
        return Outcome(Tensor(None, None, dtype, device), broken)
    if len(x.shape) < 2:
        fault = Broken("rank", "input", wanted="at least 2-d", got=f"{len(x.shape)}-d", because=x)
        return Outcome(Tensor(x.shape, None, dtype, device), (*broken, fault))
    wanted = weight.shape[0] if weight is not None and weight.shape else None
    broken += axis("input", "num_channels", wanted, x.shape[1], weight)
    if not broken and groups is not None and groups.number != 0 and groups.divides(x.shape[1]).fails:
        broken += (Broken("argument", "num_groups", "num_channels", wanted=x.shape[1], got=groups),)
    if not broken and groups == x.shape[1] and all(d.number == 1 for i, d in enumerate(x.shape) if i != 1):
        broken += (Broken("batch", "input", wanted="more than 1 value per channel", got=ONE, because=x),)
    strides = kept_layout(layout_of(x), x.shape) if len(x.shape) in (4, 5) else contiguous_strides(x.shape)
    return Outcome(Tensor(x.shape, strides, dtype, device), broken, () if broken else learned(x, 1, wanted))


def local_response_norm(given: Given) -> Outcome:
    x = given["input"]
    if not isinstance(x, Tensor):
        return Outcome(Tensor() if x is ANY else ANY)
    broken: tuple[Broken, ...] = ()
    if x.shape is not None and len(x.shape) < 3:
        broken = (Broken("rank", "input", wanted="at least 3-d", got=f"{len(x.shape)}-d", because=x),)
    return Outcome(Tensor(x.shape, contiguous_only(x), x.dtype, x.device), broken)


LAYER_SAVES = "input<input,weight weight<input bias<input"
FORMS: tuple[tuple[str, Returns, str, str], ...] = (
    (
        "batch_norm",
        batch_norm,
        "input running_mean running_var weight bias training momentum eps",
        "input<input,weight weight<input",
    ),
    (
        "instance_norm",
        instance_norm,
        "input running_mean running_var weight bias use_input_stats momentum eps",
        "input<input,weight",
    ),
    ("layer_norm", layer_norm, "input normalized_shape weight bias eps", LAYER_SAVES),
    ("rms_norm", rms_norm, "input normalized_shape weight eps", "input<input,weight weight<input"),
    ("group_norm", group_norm, "input num_groups weight bias eps", "input<input,weight weight<input"),
    ("local_response_norm", local_response_norm, "input size alpha beta k", "input"),
)
for _name, _returns, _params, _saves in FORMS:
    _also = (f"torch.{_name}",) if _name in ("layer_norm", "rms_norm", "group_norm") else ()
    op(
        f"torch.nn.functional.{_name}",
        *_also,
        params=_params,
        returns=_returns,
        saves=_saves,
        source=f"generated/torch.nn.functional.{_name}.html",
    )
op(
    "torch.batch_norm",
    params="input weight bias running_mean running_var training momentum eps cudnn_enabled",
    returns=batch_norm,
    saves="input<input,weight weight<input",
    source="generated/torch.nn.functional.batch_norm.html",
)
