"""Losses that own the last linear layer: adaptive softmax, and linear cross entropy."""

from __future__ import annotations

from itertools import pairwise

from torchwise.domain.dim import Dim
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import ANY, Const, Items, Num, Obj, Shape, Tensor, Value
from torchwise.domain.verdict import HOLDS
from torchwise.ops.agreement import autocast, axis, rank
from torchwise.ops.iterables import elements
from torchwise.ops.layers import MODULE, layer, part, submodule
from torchwise.ops.losses import reduced, reduction_of
from torchwise.ops.spec import Broken, Given, Outcome, op

ADAPTIVE = "torch.nn.AdaptiveLogSoftmaxWithLoss"


def _adaptive_parts(given: Given) -> dict[str, Value]:
    """A head for the frequent classes and the clusters, and two small layers for each cluster."""
    cutoffs, classes, inner = (
        elements(given, given["cutoffs"]),
        given.dim("n_classes"),
        given.dim("in_features"),
    )
    ends = (
        [v.dim.number if isinstance(v, Num) else None for v in cutoffs] if isinstance(cutoffs, tuple) else []
    )
    shrink = given.const("div_value", 4.0)
    if not ends or None in ends or classes is None or classes.number is None or inner is None:
        return {"head": ANY, "tail": ANY}
    if inner.number is None or not isinstance(shrink, int | float) or not shrink:
        return {"head": ANY, "tail": ANY}
    bounds = [*(e for e in ends if e is not None), classes.number]
    head = Dim.of(bounds[0] + len(bounds) - 1)
    tail: list[Value] = []
    for number, (low, high) in enumerate(pairwise(bounds)):
        hidden = Dim.of(int(inner.number // shrink ** (number + 1)))
        pair = (_plain(given, inner, hidden), _plain(given, hidden, Dim.of(high - low)))
        tail.append(part(Obj("torch.nn.Sequential", items=pair, marks={"training": HOLDS}, bases=(MODULE,))))
    stack = Obj("torch.nn.ModuleList", items=tuple(tail), marks={"training": HOLDS}, bases=(MODULE,))
    known = Items(tuple(Num(Dim.of(b)) for b in bounds))
    return {"head": _plain(given, inner, head, given["head_bias"]), "tail": part(stack), "cutoffs": known}


def _plain(given: Given, inner: Dim, outer: Dim, bias: Value | None = None) -> Value:
    asked = Const(False) if bias is None else bias
    return submodule("torch.nn.Linear", given, in_features=Num(inner), out_features=Num(outer), bias=asked)


def _adaptive(given: Given) -> Outcome:
    """(batch, in_features), (batch) -> (batch) and one loss; or without the batch."""
    obj, x = given.obj(), given.tensor("input")
    broken = rank("input", x, 1, 2)
    if obj is not None and x is not None and x.shape and not broken:
        size = obj.attrs.get("in_features")
        broken = axis("input", "in_features", size.dim if isinstance(size, Num) else None, x.shape[-1])
    known = x is not None and x.shape is not None and len(x.shape) in (1, 2)
    shape: Shape | None = x.shape[:-1] if known and x is not None and x.shape is not None else None
    dtype = x.dtype if x is not None and autocast(given) is None else None
    device = x.device if x is not None else None
    strides = None if shape is None else contiguous_strides(shape)
    parts = Tensor(shape, strides, dtype, device), Tensor((), (), dtype, device)
    return Outcome(Items(parts, "adaptive_log_softmax", ("output", "loss")), broken)


layer(
    ADAPTIVE,
    "in_features n_classes cutoffs div_value=4.0 head_bias=False device=None dtype=None",
    home="adaptive",
    holds=_adaptive_parts,
    call=_adaptive,
    does="adaptive_log_softmax",
    params="input target",
    opaque=True,
    tags="loss",
)


def linear_cross_entropy(given: Given) -> Outcome:
    """(..., in_features) against class indices: a number, or one loss for each example."""
    how, broken = reduction_of(given)
    x, weight, target = given.tensor("input"), given.tensor("linear_weight"), given.tensor("target")
    dtype = x.dtype if x is not None and autocast(given) is None else None
    if x is not None and x.shape and weight is not None and weight.shape:
        broken += axis("input", "in_features", weight.shape[-1], x.shape[-1], weight)
    indices = target is not None and target.dtype in ("int64", "uint8")
    each = target.shape if indices and target is not None else None
    strides = None if each is None or len(each) > 1 else contiguous_strides(each)
    return Outcome(reduced(how, each, dtype, None if x is None else x.device, strides), broken)


def _linear_parts(given: Given) -> dict[str, Value]:
    inner, outer = given["in_features"], given["num_classes"]
    if given.list("out_features") != ():
        return {"linear": ANY}
    made = submodule("torch.nn.Linear", given, in_features=inner, out_features=outer, bias=given["bias"])
    return {"linear": made}


def _called(given: Given) -> Outcome:
    obj = given.obj()
    if obj is None:
        return Outcome(Tensor())
    reduction = obj.attrs.get("reduction", ANY)
    inner = Given(
        {**given.values, "reduction": reduction}, given.heap, (), given.defaults, given.regions, given.site
    )
    done = linear_cross_entropy(inner)
    x, size = given.tensor("input"), obj.attrs.get("in_features")
    broken: tuple[Broken, ...] = ()
    if x is not None and x.shape and isinstance(size, Num):
        broken = axis("input", "in_features", size.dim, x.shape[-1])
    return Outcome(done.result, broken or done.broken)


op(
    "torch.nn.functional.linear_cross_entropy",
    params="input linear_weight target linear_bias weight reduction ignore_index label_smoothing options",
    returns=linear_cross_entropy,
    tags="loss",
    source="generated/torch.nn.functional.linear_cross_entropy.html",
)
layer(
    "torch.nn.LinearCrossEntropyLoss",
    "in_features num_classes out_features=() bias=False device=None dtype=None reduction='mean' weight=None "
    "ignore_index=None label_smoothing=0.0 options=None",
    home="loss",
    holds=_linear_parts,
    call=_called,
    does="linear_cross_entropy",
    params="input target",
    bases="torch.nn.modules.loss._Loss",
    opaque=True,
    tags="loss",
)
