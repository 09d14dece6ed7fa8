"""Multi-head attention and the Transformer layers built of it."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import ANY, NONE, Const, Items, Named, Num, Obj, Pointer, Shape, Tensor, Value
from torchwise.domain.verdict import HOLDS
from torchwise.ops.agreement import autocast, axis, elsewhere, layer_device, layer_dtype, rank
from torchwise.ops.copying import deep_copy
from torchwise.ops.layers import MODULE, at_least, flag, layer, optional, part, submodule
from torchwise.ops.layout import dense
from torchwise.ops.spec import Broken, Given, Outcome

ONE = Dim.of(1)
ATTENTION = "torch.nn.MultiheadAttention"


# Multi-head attention: (target, batch, embedding) or batch first, or without a batch


def _heads_needs(embedding: str, heads: str) -> object:
    def needs(given: Given) -> tuple[Broken, ...]:
        broken = at_least(given, 1, embedding, heads)
        size, count = given.dim(embedding), given.dim(heads)
        if not broken and size is not None and count is not None and count.divides(size).fails:
            broken += (Broken("argument", heads, embedding, wanted=size, got=count),)
        return broken

    return needs


def _attention_parts(given: Given) -> dict[str, Value]:
    size, count, biased = given.dim("embed_dim"), given.dim("num_heads"), flag(given, "bias")
    key, value = (size if given.get(n, NONE) == NONE else given.dim(n) for n in ("kdim", "vdim"))
    same = None if size is None or key is None or value is None else (size == key and size == value)
    tripled = None if size is None else size * 3
    extra = flag(given, "add_bias_kv")
    held: dict[str, Value] = {
        "kdim": ANY if key is None else Num(key),
        "vdim": ANY if value is None else Num(value),
        "head_dim": ANY if size is None or count is None or count.number == 0 else Num(size // count),
        "in_proj_weight": optional(given, same, tripled, size, name="weight"),
        "in_proj_bias": optional(given, biased, tripled),
        "out_proj": submodule(
            "torch.nn.Linear",
            given,
            in_features=given["embed_dim"],
            out_features=given["embed_dim"],
            bias=given["bias"],
        ),
        "bias_k": optional(given, extra, ONE, ONE, size),
        "bias_v": optional(given, extra, ONE, ONE, size),
    }
    for name, rows in (("q_proj_weight", size), ("k_proj_weight", key), ("v_proj_weight", value)):
        held[name] = optional(given, None if same is None else not same, size, rows, name="weight")
    return held


def _attend(given: Given) -> Outcome:
    obj, query = given.obj(), given["query"]
    if obj is None or not isinstance(query, Tensor):
        return Outcome(Items((Tensor(), ANY)))
    weight = next(
        (w for n in ("in_proj_weight", "q_proj_weight") if isinstance(w := obj.attrs.get(n), Tensor)), None
    )
    dtype, broken = layer_dtype(given, query, weight, lowered=False)
    device, apart = layer_device(query, weight)
    broken += apart + rank("query", query, 2, 3)
    broken += elsewhere(given, query, "key", "value", "attn_mask", "key_padding_mask")
    first = obj.attrs.get("batch_first", Const(False))
    shape = query.shape
    if shape is None or len(shape) not in (2, 3) or not isinstance(first, Const):
        return Outcome(Items((Tensor(None, None, dtype, device), ANY)), broken)
    broken = _retitled(broken) + _attention_faults(given, obj, shape, bool(first.value))
    size = obj.attrs.get("embed_dim")
    out = (*shape[:-1], size.dim if isinstance(size, Num) else shape[-1])
    result = Tensor(out, _attention_strides(given, obj, out, bool(first.value)), dtype, device)
    return Outcome(Items((result, _weights(given, obj, shape, bool(first.value), result))), broken)


def _retitled(broken: tuple[Broken, ...]) -> tuple[Broken, ...]:
    return tuple(
        Broken(b.kind, "query" if b.param == "input" else b.param, b.axis, b.wanted, b.got, b.because)
        for b in broken
    )


def _attention_faults(given: Given, obj: Obj, shape: Shape, batch_first: bool) -> tuple[Broken, ...]:
    """Embedding sizes, ranks, and one batch for query, key and value, one length for key and value."""
    query = given.tensor("query")
    broken: tuple[Broken, ...] = ()
    others = {
        name: t for name in ("key", "value") if (t := given.tensor(name)) is not None and t.shape is not None
    }
    for name, dim in (("query", "embed_dim"), ("key", "kdim"), ("value", "vdim")):
        size, tensor = obj.attrs.get(dim), given.tensor(name)
        if tensor is not None and tensor.shape and isinstance(size, Num):
            broken += axis(name, "embed_dim" if name == "query" else dim, size.dim, tensor.shape[-1])
    batch, length = (0, 1) if batch_first else (1, 0)
    for name, tensor in others.items():
        assert tensor.shape is not None
        if len(tensor.shape) != len(shape):
            return (*broken, *rank(name, tensor, len(shape)))
        if len(shape) == 3:
            broken += axis(name, "batch", shape[batch], tensor.shape[batch], query)
    if len(others) == 2:
        key, value = others["key"].shape, others["value"].shape
        assert key is not None and value is not None
        length = length if len(shape) == 3 else 0
        broken += axis("value", "length", key[length], value[length], others["key"])
    return broken


def _attention_strides(given: Given, obj: Obj, out: Shape, batch_first: bool) -> Shape | None:
    """Batch-first results are transposed views, except from the fast path of evaluation without gradients."""
    if len(out) == 2 or not batch_first:
        return contiguous_strides(out) if _records(given, obj) else None
    batch, _, size = out
    return (size, batch * size, ONE) if _records(given, obj) else None


def _records(given: Given, obj: Obj) -> bool:
    """Whether the fast path is certainly not taken."""
    return obj.marks.get("training") is HOLDS


def _weights(given: Given, obj: Obj, shape: Shape, batch_first: bool, like: Tensor) -> Value:
    """Attention weights (batch, target, source), per head where they are not averaged, or None."""
    wanted, averaged = given.const("need_weights", True), given.const("average_attn_weights", True)
    if wanted is False:
        return NONE
    key = given.tensor("key")
    if wanted is ... or averaged is ... or key is None or key.shape is None or len(key.shape) != len(shape):
        return ANY if wanted is ... else Tensor(None, None, like.dtype, like.device)
    source = key.shape[1 if batch_first and len(shape) == 3 else 0]
    for name in ("add_bias_kv", "add_zero_attn"):
        added = obj.attrs.get(name, Const(False))
        source = (
            given.fresh("source")
            if not isinstance(added, Const)
            else source + 1
            if _adds(obj, name)
            else source
        )
    target = shape[1 if batch_first and len(shape) == 3 else 0]
    lead: Shape = () if len(shape) == 2 else (shape[0 if batch_first else 1],)
    if not averaged:
        heads = obj.attrs.get("num_heads")
        lead += (heads.dim if isinstance(heads, Num) else given.fresh("heads"),)
    whole = (*lead, target, source)
    return Tensor(
        whole,
        contiguous_strides(whole) if obj.marks.get("training") is HOLDS else None,
        like.dtype,
        like.device,
    )


def _adds(obj: Obj, name: str) -> bool:
    if name == "add_bias_kv":
        return isinstance(obj.attrs.get("bias_k"), Tensor)
    return obj.attrs.get(name) == Const(True)


layer(
    ATTENTION,
    "embed_dim num_heads dropout=0.0 bias=True add_bias_kv=False add_zero_attn=False kdim=None "
    "vdim=None batch_first=False "
    "device=None dtype=None",
    home="activation",
    holds=_attention_parts,
    needs=_heads_needs("embed_dim", "num_heads"),  # type: ignore[arg-type]
    call=_attend,
    does="multi_head_attention",
    params="query key value key_padding_mask need_weights attn_mask average_attn_weights is_causal",
    saves="inside",
)


# Transformer layers keep the shape of what they transform


def _attention(given: Given) -> Value:
    names = {
        "embed_dim": "d_model",
        "num_heads": "nhead",
        "dropout": "dropout",
        "bias": "bias",
        "batch_first": "batch_first",
    }
    return submodule(ATTENTION, given, **{to: given[name] for to, name in names.items()})


def _layer_parts(decoder: bool) -> object:
    def holds(given: Given) -> dict[str, Value]:
        model, inner, bias = given["d_model"], given["dim_feedforward"], given["bias"]
        dropout = {
            f"dropout{n}": submodule("torch.nn.Dropout", given, p=given["dropout"])
            for n in ("", 1, 2, *([3] * decoder))
        }
        norm = {
            f"norm{n}": submodule(
                "torch.nn.LayerNorm", given, normalized_shape=model, eps=given["layer_norm_eps"], bias=bias
            )
            for n in (1, 2, *([3] * decoder))
        }
        known = {"relu": "relu", "gelu": "gelu"}.get(str(given.const("activation")))
        second = {"multihead_attn": _attention(given)} if decoder else {}
        return {
            "self_attn": _attention(given),
            **second,
            "linear1": submodule("torch.nn.Linear", given, in_features=model, out_features=inner, bias=bias),
            "linear2": submodule("torch.nn.Linear", given, in_features=inner, out_features=model, bias=bias),
            **norm,
            **dropout,
            "activation": Named(f"torch.nn.functional.{known}") if known else given["activation"],
        }

    return holds


def _kept(name: str, *others: str) -> object:
    """A fresh tensor shaped like its main input; all inputs have `d_model` features and one batch."""

    def call(given: Given) -> Outcome:
        obj, x = given.obj(), given.tensor(name)
        if obj is None or x is None:
            return Outcome(Tensor())
        broken = rank(name, x, 2, 3)
        size = width(given, obj)
        for one in (name, *others):
            tensor = given.tensor(one)
            if tensor is not None and tensor.shape:
                broken += axis(one, "d_model", size, tensor.shape[-1])
        broken += elsewhere(given, x, *others, *(n for n in given.values if n.endswith("mask")))
        dtype = x.dtype if autocast(given) is None else None
        return Outcome(Tensor(x.shape, _normed(given, obj, x), dtype, x.device), broken)

    return call


def _normed(given: Given, obj: Obj, x: Tensor) -> Shape | None:
    """A layer norm at the end is contiguous; without one, the sum with the input is as the input is."""
    if x.shape is None:
        return None
    inner = _inner(given, obj)
    last = obj.attrs.get("norm", NONE) != NONE or (
        inner is not None and inner.attrs.get("norm_first") == Const(False)
    )
    return contiguous_strides(x.shape) if last or dense(x) else None


def _inner(given: Given, obj: Obj) -> Obj | None:
    """The layer that says how wide it is: itself, or the first of a stack."""
    if "self_attn" in obj.attrs:
        return obj
    for name in ("layers", "encoder"):
        held = obj.attrs.get(name)
        stack = given.heap.get(held.to) if isinstance(held, Pointer) else None
        if stack is None:
            continue
        first = stack.items[0] if stack.items else None
        found = given.heap.get(first.to) if isinstance(first, Pointer) else None
        return found if found is not None else _inner(given, stack)
    return None


def width(given: Given, obj: Obj) -> Dim | None:
    own = obj.attrs.get("d_model")
    if isinstance(own, Num):
        return own.dim
    inner = _inner(given, obj)
    attention = None if inner is None else inner.attrs.get("self_attn")
    found = given.heap.get(attention.to) if isinstance(attention, Pointer) else None
    size = None if found is None else found.attrs.get("embed_dim")
    return size.dim if isinstance(size, Num) else None


def _stack(param: str) -> object:
    def holds(given: Given) -> dict[str, Value]:
        count, one = given.int("num_layers"), given[param]
        layers: tuple[Value, ...] | None = None
        if count is not None and 0 <= count <= MOST_LAYERS:
            layers = tuple(deep_copy(given, one) for _ in range(count))
        return {"layers": part(_module_list(layers))}

    return holds


LAYER = (
    "d_model nhead dim_feedforward=2048 dropout=0.1 activation='relu' layer_norm_eps=1e-5 "
    "batch_first=False norm_first=False "
    "bias=True device=None dtype=None"
)
WHOLE = (
    "d_model=512 nhead=8 num_encoder_layers=6 num_decoder_layers=6 dim_feedforward=2048 dropout=0.1 "
    "activation='relu' "
    "custom_encoder=None custom_decoder=None layer_norm_eps=1e-5 batch_first=False norm_first=False "
    "bias=True device=None dtype=None"
)
SOURCE = "src src_mask src_key_padding_mask is_causal"
TARGET = (
    "tgt memory tgt_mask memory_mask tgt_key_padding_mask memory_key_padding_mask tgt_is_causal "
    "memory_is_causal"
)


def _whole_parts(given: Given) -> dict[str, Value]:
    """Encoder and decoder, unless they are handed in."""
    held: dict[str, Value] = {}
    for side in ("Encoder", "Decoder"):
        custom = given.get(f"custom_{side.lower()}", NONE)
        held[side.lower()] = (
            custom if custom != NONE else _half(given, side, given.int(f"num_{side.lower()}_layers"))
        )
    return held


def _half(given: Given, side: str, count: int | None) -> Value:
    """A stack of layers, with a norm of its own."""
    shared = {name: given[name] for name in SHARED.split()}
    norm = {"normalized_shape": given["d_model"], "eps": given["layer_norm_eps"], "bias": given["bias"]}
    layers = None
    if count is not None and count <= MOST_LAYERS:
        layers = tuple(submodule(f"torch.nn.Transformer{side}Layer", given, **shared) for _ in range(count))
    attrs = {"layers": part(_module_list(layers)), "norm": submodule("torch.nn.LayerNorm", given, **norm)}
    return part(Obj(f"torch.nn.Transformer{side}", attrs, marks={"training": HOLDS}, bases=(MODULE,)))


def _module_list(layers: tuple[Value, ...] | None) -> Obj:
    each = None if layers is not None else ANY
    marks: dict[str, object] = (
        {"training": HOLDS} if layers is not None else {"training": HOLDS, "opaque": True}
    )
    return Obj("torch.nn.ModuleList", {}, layers, each, marks, (MODULE,))


SHARED = "d_model nhead dim_feedforward dropout layer_norm_eps batch_first norm_first bias"
MOST_LAYERS = 32


STACK = "src mask src_key_padding_mask is_causal"
BOTH = (
    "src tgt src_mask tgt_mask memory_mask src_key_padding_mask tgt_key_padding_mask memory_key_padding_mask "
    "src_is_causal tgt_is_causal memory_is_causal"
)
ENCODER = "encoder_layer num_layers norm=None enable_nested_tensor=True mask_check=True"
DECODER = "decoder_layer num_layers norm=None"
ENCODES, DECODES = _kept("src"), _kept("tgt", "memory")
for _name, _arguments, _params, _holds, _call, _heads in (
    ("TransformerEncoderLayer", LAYER, SOURCE, _layer_parts(False), ENCODES, True),
    ("TransformerDecoderLayer", LAYER, TARGET, _layer_parts(True), DECODES, True),
    ("TransformerEncoder", ENCODER, STACK, _stack("encoder_layer"), ENCODES, False),
    ("TransformerDecoder", DECODER, TARGET, _stack("decoder_layer"), DECODES, False),
    ("Transformer", WHOLE, BOTH, _whole_parts, _kept("tgt", "src"), True),
):
    layer(
        f"torch.nn.{_name}",
        _arguments,
        home="transformer",
        holds=_holds,  # type: ignore[arg-type]
        needs=_heads_needs("d_model", "nhead") if _heads else None,  # type: ignore[arg-type]
        call=_call,  # type: ignore[arg-type]
        does="transformer",
        params=_params,
        saves="inside",
    )
