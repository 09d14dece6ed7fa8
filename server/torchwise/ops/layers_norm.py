"""Normalisation layers: what they hold, and the ranks that they take."""

from __future__ import annotations

from collections.abc import Callable

from torchwise.domain.dim import Dim
from torchwise.domain.effects import Learn
from torchwise.domain.value import ANY, NONE, Const, Num, Obj, Tensor, Value
from torchwise.domain.verdict import FAILS, HOLDS
from torchwise.ops.agreement import autocast, axis, rank
from torchwise.ops.layers import (
    as_items,
    at_least,
    buffer,
    by,
    flag,
    layer,
    lazy,
    made_device,
    made_dtype,
    optional,
    parameter,
)
from torchwise.ops.norms import (
    LAYER_SAVES,
    batch_norm,
    contiguous_only,
    group_norm,
    instance_norm,
    layer_norm,
    local_response_norm,
    rms_norm,
)
from torchwise.ops.spec import Broken, Given, Outcome, Returns

ONE = Dim.of(1)


def _running(given: Given) -> dict[str, Value]:
    size, affine, tracks = (
        given.dim("num_features"),
        flag(given, "affine"),
        flag(given, "track_running_stats"),
    )
    shifts = None if affine is None else affine and given.const("bias", True) is not False
    if tracks is None:
        stats: dict[str, Value] = dict.fromkeys(("running_mean", "running_var", "num_batches_tracked"), ANY)
    elif tracks:
        device = made_device(given)
        stats = {
            "running_mean": buffer(given, size, name="weight"),
            "running_var": buffer(given, size, name="weight"),
            "num_batches_tracked": Tensor(
                (), (), "int64", device, leaf=HOLDS, requires_grad=FAILS, kind="buffer"
            ),
        }
    else:
        stats = dict.fromkeys(("running_mean", "running_var", "num_batches_tracked"), NONE)
    return {
        "weight": optional(given, affine, size, name="weight"),
        "bias": optional(given, shifts, size),
        **stats,
    }


def _ranked(functional: Returns, attributes: str, *ranks: int) -> Returns:
    """A layer that takes certain ranks only, and so teaches an input of unknown rank when there is only
    one."""
    inner = by(functional, attributes)

    def call(given: Given) -> Outcome:
        x, obj = given.tensor("input"), given.obj()
        done = inner(given)
        if not isinstance(done, Outcome) or x is None or obj is None:
            return done if isinstance(done, Outcome) else Outcome(done)
        broken = rank("input", x, *ranks)
        if broken:
            return Outcome(done.result, broken)
        if x.shape is None and x.id is not None and len(ranks) == 1:
            size = obj.attrs.get("num_features")
            known = size.dim if isinstance(size, Num) else given.fresh("axis1")
            shape = tuple(known if i == 1 else given.fresh(f"axis{i}") for i in range(ranks[0]))
            out = Tensor(shape, None, x.dtype, x.device)
            return Outcome(out, done.broken, (Learn(x, shape),))
        return done

    return call


def _instance_call(n: int) -> Returns:
    """(batch, channels, *sizes), or without the batch."""
    inner = by(instance_norm, "running_mean running_var weight bias")

    def call(given: Given) -> Outcome:
        x, obj = given.tensor("input"), given.obj()
        if x is None or x.shape is None or obj is None:
            return Outcome(Tensor())
        broken = rank("input", x, n + 1, n + 2)
        if broken:
            return Outcome(Tensor(x.shape, None, x.dtype, x.device), broken)
        held = {**obj.attrs, **given.values}
        size = held.get("num_features")
        at = len(x.shape) - n - 1
        affine = held.get("affine") == Const(True) or isinstance(held.get("running_mean"), Tensor)
        if affine and isinstance(size, Num):
            broken = axis("input", "num_features", size.dim, x.shape[at])
        if not broken and all(d.number == 1 for d in x.shape[at + 1 :]) and _own_statistics(obj):
            broken = (Broken("batch", "input", wanted="more than 1 spatial element", got=ONE, because=x),)
        if at:
            done = inner(given)
            return Outcome(done.result, broken or done.broken) if isinstance(done, Outcome) else Outcome(done)
        return Outcome(
            Tensor(x.shape, contiguous_only(x), x.dtype if autocast(given) is None else None, x.device),
            broken,
        )

    return call


def _own_statistics(obj: Obj) -> bool:
    """Whether an instance norm certainly uses the statistics of its input."""
    return obj.marks.get("training") is HOLDS or obj.attrs.get("track_running_stats") == Const(False)


def _normalized(given: Given) -> dict[str, Value]:
    sizes = given.dims("normalized_shape")
    affine = flag(given, "elementwise_affine")
    if sizes is None:
        unborn = Tensor(None, None, made_dtype(given), made_device(given), HOLDS, HOLDS, kind="parameter")
        return {
            "weight": unborn if affine else NONE if affine is False else ANY,
            "bias": ANY,
            "normalized_shape": ANY,
        }
    shifts = None if affine is None else affine and given.const("bias", True) is not False
    held = {"weight": optional(given, affine, *sizes, name="weight"), "normalized_shape": as_items(sizes)}
    return {**held, "bias": optional(given, shifts, *sizes)}


def _grouped(given: Given) -> dict[str, Value]:
    size, affine = given.dim("num_channels"), flag(given, "affine")
    shifts = None if affine is None else affine and given.const("bias", True) is not False
    return {"weight": optional(given, affine, size, name="weight"), "bias": optional(given, shifts, size)}


def _group_needs(given: Given) -> tuple[Broken, ...]:
    groups, channels = given.dim("num_groups"), given.dim("num_channels")
    broken = at_least(given, 1, "num_groups") + at_least(given, 0, "num_channels")
    if not broken and groups is not None and channels is not None and groups.divides(channels).fails:
        broken += (Broken("argument", "num_groups", "num_channels", wanted=channels, got=groups),)
    return broken


AFFINE = "eps=1e-5 momentum=0.1 affine=True track_running_stats=True device=None dtype=None bias=True"
PLAIN = "eps=1e-5 momentum=0.1 affine=False track_running_stats=False device=None dtype=None bias=True"
RUNNING = "running_mean running_var weight bias training"
BATCH_BASE, INSTANCE_BASE = (
    "torch.nn.modules.batchnorm._BatchNorm",
    "torch.nn.modules.instancenorm._InstanceNorm",
)


def _unborn(given: Given) -> dict[str, Value]:
    """What a lazy norm holds before its first call."""
    held = _running(given)
    lazy_tensors = {
        n: Tensor(None, None, v.dtype, v.device, v.requires_grad, v.leaf, kind=v.kind)
        for n, v in held.items()
        if isinstance(v, Tensor) and v.shape
    }
    return {**held, **lazy_tensors, "num_features": Num(Dim.of(0))}


def _reborn(given: Given) -> dict[str, Value]:
    """The parameters of a lazy norm once its size is known: those that it has been given places for."""
    size = given.dim("num_features")
    makers = {"weight": parameter, "bias": parameter, "running_mean": buffer, "running_var": buffer}
    return {n: make(given, size, name="weight") for n, make in makers.items() if isinstance(given[n], Tensor)}


def _norms(
    cls: str, home: str, base: str, arguments: str, call: Returns, does: str, at: Callable[[Tensor], int]
) -> None:
    saves = "input<input,weight weight<input" if does == "batch_norm" else "input<input,weight"
    lazily = lazy(call, "num_features", at, _reborn)
    for name, takes, holds, called, bases in (
        (cls, f"num_features {arguments}", _running, call, base),
        (f"Lazy{cls}", AFFINE, _unborn, lazily, f"torch.nn.{cls} {base}"),
    ):
        layer(
            f"torch.nn.{name}",
            takes,
            home=home,
            holds=holds,
            needs=_not_negative if name == cls else None,
            call=called,
            does=does,
            bases=bases,
            saves=saves,
        )


def _not_negative(given: Given) -> tuple[Broken, ...]:
    return at_least(given, 0, "num_features")


for _n, _ranks in ((1, (2, 3)), (2, (4,)), (3, (5,))):
    _call = _ranked(batch_norm, RUNNING, *_ranks)
    _norms(f"BatchNorm{_n}d", "batchnorm", BATCH_BASE, AFFINE, _call, "batch_norm", lambda x: 1)
    _norms(
        f"InstanceNorm{_n}d",
        "instancenorm",
        INSTANCE_BASE,
        PLAIN,
        _instance_call(_n),
        "instance_norm",
        lambda x: 1,
    )
layer(
    "torch.nn.SyncBatchNorm",
    "num_features eps=1e-5 momentum=0.1 affine=True track_running_stats=True process_group=None "
    "device=None dtype=None "
    "bias=True",
    home="batchnorm",
    holds=_running,
    call=_ranked(batch_norm, RUNNING, 2, 3, 4, 5, 6),
    does="batch_norm",
    bases=BATCH_BASE,
    saves="input<input,weight weight<input",
)
layer(
    "torch.nn.LayerNorm",
    "normalized_shape eps=1e-5 elementwise_affine=True bias=True device=None dtype=None",
    home="normalization",
    holds=_normalized,
    needs=lambda given: at_least(given, 0, "normalized_shape"),
    call=by(layer_norm, "normalized_shape weight bias"),
    does="layer_norm",
    saves=LAYER_SAVES,
)
layer(
    "torch.nn.RMSNorm",
    "normalized_shape eps=None elementwise_affine=True device=None dtype=None",
    home="normalization",
    holds=lambda given: {n: v for n, v in _normalized(given).items() if n != "bias"},
    needs=lambda given: at_least(given, 0, "normalized_shape"),
    call=by(rms_norm, "normalized_shape weight"),
    does="rms_norm",
    saves="input<input,weight weight<input",
)
layer(
    "torch.nn.GroupNorm",
    "num_groups num_channels eps=1e-5 affine=True device=None dtype=None bias=True",
    home="normalization",
    holds=_grouped,
    needs=_group_needs,
    call=by(group_norm, "num_groups weight bias"),
    does="group_norm",
    saves="input<input,weight weight<input",
)
for _cls in ("LocalResponseNorm", "CrossMapLRN2d"):
    layer(
        f"torch.nn.{_cls}",
        "size alpha=0.0001 beta=0.75 k=1.0",
        home="normalization",
        call=local_response_norm,
        does="local_response_norm",
        saves="input",
    )
