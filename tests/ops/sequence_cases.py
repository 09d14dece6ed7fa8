"""How the arguments of recurrent layers, attention, embeddings and losses are drawn."""

from __future__ import annotations

import torch
from hypothesis import strategies as st

from tests.ops.judged_layers import Case
from tests.ops.layer_cases import Draw, case, floats, lead, off, rarely, sizes, tensor


def whole(draw: Draw, *shape: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    """Zeros, which are indices of anything."""
    return torch.zeros(shape, dtype=dtype)


# Recurrent layers


@case("RNN", "GRU", "LSTM")
def _recurrent(draw: Draw, name: str) -> Case:
    inner, hidden, layers = draw(sizes(1, 3)), draw(sizes(1, 4)), draw(sizes(1, 2))
    kwargs = {
        "num_layers": layers,
        "bias": draw(st.booleans()),
        "batch_first": draw(st.booleans()),
        "bidirectional": draw(st.booleans()),
    }
    out = hidden
    if name == "LSTM":
        kwargs["proj_size"] = draw(rarely(0, sizes(1, 4)))
        out = kwargs["proj_size"] or hidden
    axes = draw(rarely(2, st.sampled_from((1, 3)))) if draw(st.booleans()) else 3
    x = tensor(draw, *[draw(sizes(1, 4)) for _ in range(axes - 1)], off(draw, inner), dtype=floats(draw))
    more = {}
    if axes == 3 and draw(st.booleans()):
        batch = x.shape[0 if kwargs["batch_first"] else 1]
        deep = layers * (2 if kwargs["bidirectional"] else 1)
        state = torch.zeros(off(draw, deep), off(draw, batch), off(draw, out))
        more["hx"] = (state, torch.zeros(*state.shape[:-1], hidden)) if name == "LSTM" else state
    return Case((inner, hidden), kwargs, (x,), more)


@case("RNNCell", "GRUCell", "LSTMCell")
def _cell(draw: Draw, name: str) -> Case:
    inner, hidden = draw(sizes(1, 3)), draw(sizes(1, 4))
    x = tensor(draw, *lead(draw, 2), off(draw, inner))
    more = {}
    if x.dim() in (1, 2) and draw(st.booleans()):
        state = torch.zeros(*[off(draw, s) for s in x.shape[:-1]], off(draw, hidden))
        more["hx"] = (state, state) if name == "LSTMCell" else state
    return Case((inner, hidden), {"bias": draw(st.booleans())}, (x,), more)


# Attention


@case("MultiheadAttention")
def _attention(draw: Draw) -> Case:
    heads = draw(sizes(1, 2))
    size = off(draw, heads * draw(sizes(1, 3)))
    key_size, value_size = draw(rarely((size, size), st.tuples(sizes(1, 4), sizes(1, 4))))
    kwargs = {
        "bias": draw(st.booleans()),
        "batch_first": draw(st.booleans()),
        "add_bias_kv": draw(rarely(False, st.booleans())),
        "add_zero_attn": draw(rarely(False, st.booleans())),
    }
    if (key_size, value_size) != (size, size):
        kwargs |= {"kdim": key_size, "vdim": value_size}
    batch, target, source = draw(sizes(1, 3)), draw(sizes(1, 4)), draw(sizes(1, 4))

    def three(length: int, features: int) -> torch.Tensor:
        axes = (off(draw, batch), length) if kwargs["batch_first"] else (length, off(draw, batch))
        return tensor(draw, *(axes if batched else (length,)), features, plain=True)

    batched = draw(st.booleans())
    inputs = (
        three(target, off(draw, size)),
        three(source, off(draw, key_size)),
        three(off(draw, source), value_size),
    )
    more = {"need_weights": draw(st.booleans()), "average_attn_weights": draw(st.booleans())}
    return Case((size, heads), kwargs, inputs, more, train=draw(st.booleans()))


@case("TransformerEncoderLayer", "TransformerDecoderLayer")
def _transformer_layer(draw: Draw, name: str) -> Case:
    heads = draw(sizes(1, 2))
    size = off(draw, heads * draw(sizes(1, 3)))
    kwargs = {
        "dim_feedforward": 4,
        "batch_first": draw(st.booleans()),
        "norm_first": draw(st.booleans()),
        "bias": draw(st.booleans()),
    }
    batch, length = draw(sizes(1, 3)), draw(sizes(1, 3))
    axes = draw(st.sampled_from(((batch, length), (length,))))
    x = tensor(draw, *axes, off(draw, size))
    memory = (tensor(draw, *axes, off(draw, size)),) if "Decoder" in name else ()
    return Case((size, heads), kwargs, (x, *memory), train=draw(st.booleans()))


@case("Transformer")
def _transformer(draw: Draw) -> Case:
    kwargs = {
        "num_encoder_layers": 1,
        "num_decoder_layers": 1,
        "dim_feedforward": 4,
        "batch_first": draw(st.booleans()),
        "norm_first": draw(st.booleans()),
    }
    return Case((4, 2), kwargs, (tensor(draw, 2, 3, 4), tensor(draw, 2, 3, off(draw, 4))))


# Embeddings


@case("Embedding")
def _embedding(draw: Draw) -> Case:
    dtype = draw(rarely(torch.int64, st.sampled_from((torch.int32, torch.float32, torch.int16, torch.bool))))
    rows = draw(sizes(1, 4))
    kwargs = {"padding_idx": draw(rarely(None, st.integers(-5, 5)))}
    return Case((rows, draw(sizes(1, 4))), kwargs, (whole(draw, *lead(draw, 3), dtype=dtype),))


@case("EmbeddingBag")
def _embedding_bag(draw: Draw) -> Case:
    flat = draw(st.booleans())
    x = whole(draw, 4) if flat else whole(draw, draw(sizes(1, 3)), draw(sizes(1, 3)))
    closed = draw(st.booleans())
    offsets = torch.tensor([0, 2, 4] if closed else [0, 2])
    more = (offsets,) if draw(rarely(flat, st.booleans())) else ()
    return Case((3, draw(sizes(1, 4))), {"include_last_offset": closed}, (x, *more))


# Losses

HOW = st.sampled_from(("none", "mean", "sum"))


@case(
    "L1Loss",
    "MSELoss",
    "SmoothL1Loss",
    "HuberLoss",
    "KLDivLoss",
    "PoissonNLLLoss",
    "SoftMarginLoss",
    "HingeEmbeddingLoss",
)
def _pointwise(draw: Draw, name: str) -> Case:
    shape = lead(draw, 3)
    other = tuple(off(draw, s) for s in shape)
    kinds = st.sampled_from((torch.float32, torch.float64))
    x, target = tensor(draw, *shape, dtype=draw(kinds)), tensor(draw, *other, dtype=draw(kinds))
    return Case((), {"reduction": draw(HOW)}, (x, target))


@case("BCELoss", "BCEWithLogitsLoss")
def _binary(draw: Draw) -> Case:
    shape = lead(draw, 2)
    target = tensor(draw, *[off(draw, s) for s in shape], dtype=floats(draw))
    if shape and draw(rarely(False, st.just(True))):
        target = target[..., None]
    return Case((), {"reduction": draw(HOW)}, (tensor(draw, *shape), target))


@case("CrossEntropyLoss", "NLLLoss")
def _classes(draw: Draw, name: str) -> Case:
    batch, classes = draw(st.sampled_from(((), (2,), (3,)))), draw(sizes(1, 4))
    rest = tuple(draw(st.lists(sizes(1, 3), max_size=2))) if batch else ()
    x = tensor(draw, *batch, classes, *rest, dtype=floats(draw))
    kind = draw(
        st.sampled_from(("indices", "indices", "floats", "column", "scores", "off", "uint8", "int32"))
    )
    target = torch.zeros((*batch, *rest), dtype=torch.int64)
    if kind == "column":
        target = target[..., None]
    elif kind == "scores":
        target = torch.ones(x.shape, dtype=draw(st.sampled_from((torch.float32, torch.int64))))
    elif kind == "off":
        target = torch.zeros([off(draw, s) for s in target.shape], dtype=torch.int64)
    elif kind != "indices":
        target = target.to({"floats": torch.float32, "uint8": torch.uint8, "int32": torch.int32}[kind])
    more = {"weight": torch.ones(off(draw, classes))} if draw(rarely(False, st.just(True))) else {}
    return Case((), {"reduction": draw(HOW), **more}, (x, target))


@case("GaussianNLLLoss")
def _gaussian(draw: Draw) -> Case:
    shape = lead(draw, 2)
    return Case(
        (), {"reduction": draw(HOW)}, (tensor(draw, *shape), tensor(draw, *shape), tensor(draw, *shape))
    )


@case("MarginRankingLoss")
def _ranking(draw: Draw) -> Case:
    shape = lead(draw, 2)
    target = tensor(draw, *shape, *draw(rarely((), st.just((1,)))))
    return Case(
        (),
        {"reduction": draw(HOW)},
        (tensor(draw, *shape), tensor(draw, *[off(draw, s) for s in shape]), target),
    )


@case("CosineEmbeddingLoss")
def _cosine_embedding(draw: Draw) -> Case:
    batch = lead(draw, 1)
    x = tensor(draw, *batch, 3)
    target = torch.ones((*batch, *draw(rarely((), st.just((1,))))))
    return Case((), {"reduction": draw(HOW)}, (x, tensor(draw, *batch, 3), target))


@case("TripletMarginLoss")
def _triplet(draw: Draw) -> Case:
    shape = (*lead(draw, 2), 3)
    third = tensor(draw, *[off(draw, s) for s in shape])
    if draw(rarely(False, st.just(True))):
        third = third[None]
    return Case((), {"reduction": draw(HOW)}, (tensor(draw, *shape), tensor(draw, *shape), third))


@case("MultiLabelSoftMarginLoss")
def _soft_margin(draw: Draw) -> Case:
    shape = (*lead(draw, 2), 3)
    return Case((), {"reduction": draw(HOW)}, (tensor(draw, *shape), tensor(draw, *shape)))


@case("MultiLabelMarginLoss", "MultiMarginLoss")
def _margin(draw: Draw, name: str) -> Case:
    batch = draw(st.sampled_from(((), (2,))))
    target = torch.zeros((*batch, 3) if "Label" in name else batch, dtype=torch.int64)
    return Case((), {"reduction": draw(HOW)}, (tensor(draw, *batch, 3), target))


@case("CTCLoss")
def _ctc(draw: Draw) -> Case:
    x = torch.zeros(5, 2, 4).log_softmax(-1)
    return Case(
        (),
        {"reduction": draw(HOW)},
        (x, torch.ones(2, 3, dtype=torch.int64), torch.tensor([5, 5]), torch.tensor([3, 2])),
    )


@case("AdaptiveLogSoftmaxWithLoss")
def _adaptive(draw: Draw) -> Case:
    batch = draw(st.sampled_from(((), (2,))))
    x = tensor(draw, *batch, off(draw, 8))
    return Case(
        (8, 10, (3, 6)), {"head_bias": draw(st.booleans()), "div_value": 2.0}, (x, whole(draw, *batch))
    )


@case("LinearCrossEntropyLoss")
def _linear_cross_entropy(draw: Draw) -> Case:
    batch = draw(st.sampled_from(((), (2,))))
    kwargs = {"bias": draw(st.booleans()), "reduction": draw(HOW)}
    return Case((3, 4), kwargs, (tensor(draw, *batch, off(draw, 3)), whole(draw, *batch)))
