"""scaled_dot_product_attention, and FlexAttention: queries look at keys and collect values."""

from __future__ import annotations

from torchwise.domain.device import same_device
from torchwise.domain.shape import Shape, broadcast, differ
from torchwise.domain.value import Tensor
from torchwise.ops.agreement import autocast, elsewhere
from torchwise.ops.rows import Answer, function
from torchwise.ops.spec import Broken, Given, Outcome, op

NAMES = ("query", "key", "value")


def _attention(given: Given) -> Answer:
    """(*b, L, E), (*b, S, E), (*b, S, V) -> (*b, L, V)."""
    found = [given.tensor(name) for name in NAMES]
    query, key, value = found
    if query is None or key is None or value is None:
        return Tensor()
    broken = _sizes(query, key, value) + _alike(given, query, key, value) + _mask(given, query, key)
    dtype = query.dtype if query.dtype == key.dtype == value.dtype and autocast(given) is None else None
    device = query.device
    shape: Shape | None = None
    if not broken and query.shape and value.shape and key.shape:
        batch, clash = broadcast((query.shape[:-2], key.shape[:-2], value.shape[:-2]))
        grouped = given.const("enable_gqa", False) is not False
        if grouped:
            batch, clash = query.shape[:-2], None
        if clash is not None:
            axis, wanted, got = clash
            broken = (Broken("broadcast", "key", str(axis - 2), wanted, got, query),)
        else:
            shape = (*batch, query.shape[-2], value.shape[-1])
    return Outcome(Tensor(shape, None, dtype, device), broken)


def _sizes(query: Tensor, key: Tensor, value: Tensor) -> tuple[Broken, ...]:
    broken: tuple[Broken, ...] = ()
    for name, x in zip(NAMES, (query, key, value)):
        if x.shape is not None and len(x.shape) < 2:
            broken = (*broken, Broken("rank", name, wanted="2-d or more", got=f"{len(x.shape)}-d", because=x))
    if broken:
        return broken
    for param, axis, a, b in (("key", -1, query, key), ("value", -2, key, value)):
        if a.shape and b.shape and differ(a.shape[axis], b.shape[axis]):
            broken = (*broken, Broken("axis", param, str(axis), a.shape[axis], b.shape[axis], a))
    return broken


def _alike(given: Given, query: Tensor, key: Tensor, value: Tensor) -> tuple[Broken, ...]:
    broken: tuple[Broken, ...] = ()
    for name, x in (("key", key), ("value", value)):
        if query.dtype and x.dtype and query.dtype != x.dtype and not given.regions:
            broken = (*broken, Broken("dtype", name, wanted=query.dtype, got=x.dtype, because=query))
        if same_device(query.device, x.device) is False:
            broken = (*broken, Broken("device", name, wanted=query.device, got=x.device, because=query))
    return broken


def _mask(given: Given, query: Tensor, key: Tensor) -> tuple[Broken, ...]:
    """The mask stretches to (*b, L, S), and is bool or of the query's dtype; with is_causal there is none."""
    mask = given.tensor("attn_mask")
    if mask is None:
        return ()
    broken = elsewhere(given, query, "attn_mask")
    if given.const("is_causal", False) is True:
        broken = (
            Broken(
                "argument",
                "is_causal",
                message="`is_causal` and `attn_mask` cannot both be given",
                because=mask,
            ),
        )
    if mask.dtype and query.dtype and mask.dtype not in ("bool", query.dtype) and not given.regions:
        broken = (
            *broken,
            Broken("dtype", "attn_mask", wanted=f"bool or {query.dtype}", got=mask.dtype, because=mask),
        )
    if not mask.shape or not query.shape or not key.shape or len(query.shape) < 2 or len(key.shape) < 2:
        return broken
    wanted: Shape = (query.shape[-2], key.shape[-2])
    for axis in (-1, -2):
        if len(mask.shape) < -axis:
            break
        size = mask.shape[axis]
        if size.same_as(1).fails and size.same_as(wanted[axis]).fails:
            broken = (*broken, Broken("broadcast", "attn_mask", str(axis), wanted[axis], size, mask))
    return broken


function(
    "torch.nn.functional.scaled_dot_product_attention",
    "query key value attn_mask dropout_p is_causal scale enable_gqa",
    _attention,
)
op(
    "torch.nn.attention.flex_attention.flex_attention",
    params="query key value score_mod block_mask scale enable_gqa return_lse kernel_options",
    returns=lambda given: _attention(given) if given.const("return_lse", False) is False else Tensor(),
    source="nn.attention.flex_attention.html",
)
