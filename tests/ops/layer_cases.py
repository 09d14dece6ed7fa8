"""How the arguments and inputs of each layer are drawn: small sizes (0 and 1 among them), layouts, ranks,
and clashes."""

from __future__ import annotations

from collections.abc import Callable

import torch
from hypothesis import strategies as st

from tests.ops.judged_layers import Case

Draw = Callable[[st.SearchStrategy], object]
CASES: dict[str, Callable[[Draw], Case]] = {}


def case(*names: str) -> Callable:
    def register(function: Callable[..., Case]) -> Callable:
        for name in names:
            takes_name = function.__code__.co_argcount > 1
            CASES[f"torch.nn.{name}"] = (lambda draw, n=name: function(draw, n)) if takes_name else function
        return function

    return register


def sizes(least: int = 1, most: int = 5) -> st.SearchStrategy[int]:
    return st.integers(least, most)


def rarely(usual: object, other: st.SearchStrategy) -> st.SearchStrategy:
    """The usual thing in four of five draws."""
    return st.integers(0, 4).flatmap(lambda n: other if n == 0 else st.just(usual))


def tensor(draw: Draw, *shape: int, dtype: torch.dtype = torch.float32, plain: bool = False) -> torch.Tensor:
    """In one of several layouts: contiguous, axes swapped, sliced, expanded, channels-last."""
    kind = (
        "contiguous"
        if plain
        else draw(st.sampled_from(("contiguous", "contiguous", "swapped", "sliced", "channels", "wide")))
    )
    if kind == "swapped" and len(shape) > 1:
        a, b = draw(st.permutations(range(len(shape))))[:2]
        swapped = list(shape)
        swapped[a], swapped[b] = swapped[b], swapped[a]
        return _filled(tuple(swapped), dtype).transpose(a, b)
    if kind == "sliced" and shape:
        return _filled((*shape[:-1], shape[-1] * 2), dtype)[..., ::2]
    if kind == "wide" and len(shape) > 1:
        return _filled((shape[0], shape[1] + 1, *shape[2:]), dtype)[:, 1:]
    if kind == "channels" and len(shape) in (4, 5):
        layout = torch.channels_last if len(shape) == 4 else torch.channels_last_3d
        return _filled(shape, dtype).to(memory_format=layout)
    return _filled(shape, dtype)


def _filled(shape: tuple, dtype: torch.dtype) -> torch.Tensor:
    return torch.ones(shape, dtype=dtype)


def floats(draw: Draw) -> torch.dtype:
    return draw(rarely(torch.float32, st.sampled_from((torch.float64, torch.int64))))


def off(draw: Draw, size: int) -> int:
    """The right size, or rarely another one."""
    return draw(rarely(size, st.integers(max(0, size - 1), size + 1)))


def lead(draw: Draw, most: int = 2) -> tuple[int, ...]:
    """Batch axes."""
    return tuple(draw(st.lists(sizes(0, 3), min_size=0, max_size=most)))


# Linear


@case("Linear")
def _linear(draw: Draw) -> Case:
    inner, outer = draw(sizes(0, 5)), draw(sizes(0, 5))
    x = tensor(draw, *lead(draw, 3), off(draw, inner), dtype=floats(draw))
    return Case((inner, outer), {"bias": draw(st.booleans())}, (x,))


@case("LazyLinear")
def _lazy_linear(draw: Draw) -> Case:
    return Case((draw(sizes()),), {"bias": draw(st.booleans())}, (tensor(draw, *lead(draw), draw(sizes())),))


@case("Bilinear")
def _bilinear(draw: Draw) -> Case:
    one, other, outer = draw(sizes()), draw(sizes()), draw(sizes())
    batch = lead(draw)
    inputs = tensor(draw, *batch, off(draw, one)), tensor(draw, *batch, off(draw, other))
    return Case((one, other, outer), {"bias": draw(st.booleans())}, inputs)


@case("Identity")
def _identity(draw: Draw) -> Case:
    return Case((), {}, (tensor(draw, *lead(draw)),))


# Convolution and pooling


def spatial(draw: Draw, n: int, least: int = 0, most: int = 8) -> tuple[int, ...]:
    return tuple(draw(st.lists(sizes(least, most), min_size=n, max_size=n)))


def each(draw: Draw, n: int, least: int, most: int) -> object:
    """One number, or one for each axis."""
    return draw(st.one_of(sizes(least, most), st.tuples(*[sizes(least, most)] * n)))


def image(
    draw: Draw, n: int, channels: int, most: int = 8, least: int = 1, dtype: torch.dtype = torch.float32
) -> torch.Tensor:
    batch = draw(st.one_of(st.just(()), st.tuples(sizes(1, 3))))
    wrong = draw(rarely(0, st.integers(-1, 1)))
    return tensor(draw, *batch, channels, *spatial(draw, max(n + wrong, 0), least, most), dtype=dtype)


def dims_of(name: str) -> int:
    return int(name[-2])


@case(*[f"{lazy}Conv{n}d" for n in (1, 2, 3) for lazy in ("", "Lazy")])
def _conv(draw: Draw, name: str) -> Case:
    n, lazy = dims_of(name), name.startswith("Lazy")
    groups = draw(st.sampled_from((1, 1, 1, 2, 3)))
    inner, outer = (
        draw(sizes(1, 3)) * max(1, off(draw, groups)),
        draw(sizes(1, 3)) * max(1, off(draw, groups)),
    )
    kwargs = {
        "stride": each(draw, n, 1, 3),
        "padding": draw(rarely(each(draw, n, 0, 2), st.sampled_from(("same", "valid", "other")))),
        "dilation": each(draw, n, 1, 2),
        "groups": groups,
        "bias": draw(st.booleans()),
        "padding_mode": draw(rarely("zeros", st.sampled_from(("circular", "reflect", "replicate", "odd")))),
    }
    x = image(draw, n, max(1, off(draw, inner)), dtype=floats(draw))
    args = (outer, each(draw, n, 1, 3)) if lazy else (inner, outer, each(draw, n, 1, 3))
    return Case(args, kwargs, (x,))


@case(*[f"{lazy}ConvTranspose{n}d" for n in (1, 2, 3) for lazy in ("", "Lazy")])
def _transposed(draw: Draw, name: str) -> Case:
    n, lazy = dims_of(name), name.startswith("Lazy")
    groups = draw(st.sampled_from((1, 1, 1, 2)))
    inner, outer = draw(sizes(1, 3)) * groups, draw(sizes(1, 3)) * groups
    kwargs = {
        "stride": each(draw, n, 1, 3),
        "padding": each(draw, n, 0, 1),
        "output_padding": draw(rarely(0, sizes(0, 2))),
        "dilation": each(draw, n, 1, 2),
        "groups": groups,
        "bias": draw(st.booleans()),
    }
    x = image(draw, n, max(1, off(draw, inner)), most=4)
    args = (outer, each(draw, n, 1, 3)) if lazy else (inner, outer, each(draw, n, 1, 3))
    return Case(args, kwargs, (x,))


@case(*[f"MaxPool{n}d" for n in (1, 2, 3)])
def _max_pool(draw: Draw, name: str) -> Case:
    n = dims_of(name)
    kwargs = {
        "kernel_size": each(draw, n, 1, 4),
        "stride": draw(st.one_of(st.none(), st.just(0).map(lambda _: each(draw, n, 1, 3)))),
        "padding": draw(rarely(0, sizes(0, 2))),
        "dilation": each(draw, n, 1, 2),
        "return_indices": draw(st.booleans()),
        "ceil_mode": draw(st.booleans()),
    }
    return Case((), kwargs, (image(draw, n, draw(sizes(1, 3))),))


@case(*[f"AvgPool{n}d" for n in (1, 2, 3)])
def _average_pool(draw: Draw, name: str) -> Case:
    n = dims_of(name)
    kwargs = {
        "kernel_size": each(draw, n, 1, 4),
        "stride": draw(st.one_of(st.none(), st.just(0).map(lambda _: each(draw, n, 1, 3)))),
        "padding": draw(rarely(0, sizes(0, 2))),
        "ceil_mode": draw(st.booleans()),
    }
    return Case((), kwargs, (image(draw, n, draw(sizes(1, 3))),))


@case(*[f"LPPool{n}d" for n in (1, 2, 3)])
def _power_pool(draw: Draw, name: str) -> Case:
    n = dims_of(name)
    kwargs = {
        "kernel_size": each(draw, n, 1, 4) if n > 1 else draw(sizes(1, 4)),
        "ceil_mode": draw(st.booleans()),
    }
    return Case((2.0,), kwargs, (image(draw, n, draw(sizes(1, 3))),))


@case(*[f"Adaptive{kind}Pool{n}d" for n in (1, 2, 3) for kind in ("Max", "Avg")])
def _adaptive(draw: Draw, name: str) -> Case:
    n = dims_of(name)
    one = st.one_of(sizes(1, 4), st.none()) if "Avg" in name or n > 1 else sizes(1, 4)
    wanted = draw(st.one_of(sizes(1, 4), st.tuples(*[one] * n)))
    kwargs = {"return_indices": draw(st.booleans())} if "Max" in name else {}
    return Case((wanted,), kwargs, (image(draw, n, draw(sizes(1, 3))),))


@case(*[f"FractionalMaxPool{n}d" for n in (2, 3)])
def _fractional(draw: Draw, name: str) -> Case:
    n = dims_of(name)
    kwargs = {"output_size": each(draw, n, 1, 2), "return_indices": draw(st.booleans())}
    return Case((2,), kwargs, (image(draw, n, draw(sizes(1, 3)), least=5),))


@case(*[f"MaxUnpool{n}d" for n in (1, 2, 3)])
def _unpool(draw: Draw, name: str) -> Case:
    n = dims_of(name)
    x = image(draw, n, 2, most=3)
    return Case(
        (each(draw, n, 1, 3),),
        {"stride": draw(st.one_of(st.none(), sizes(1, 3)))},
        (x, torch.zeros_like(x).long()),
    )


# Normalisation


@case(*[f"{lazy}BatchNorm{n}d" for n in (1, 2, 3) for lazy in ("", "Lazy")])
def _batch_norm(draw: Draw, name: str) -> Case:
    n, lazy, size = dims_of(name), name.startswith("Lazy"), draw(sizes(1, 4))
    kwargs = {"affine": draw(st.booleans()), "track_running_stats": draw(st.booleans())}
    shape = (draw(sizes(1, 3)), max(1, off(draw, size)), *spatial(draw, off(draw, n), 1, 3))
    if n == 1 and draw(st.booleans()):
        shape = shape[:2]
    x = tensor(draw, *shape, dtype=floats(draw))
    return Case(() if lazy else (size,), kwargs, (x,), train=draw(st.booleans()))


@case(*[f"{lazy}InstanceNorm{n}d" for n in (1, 2, 3) for lazy in ("", "Lazy")])
def _instance_norm(draw: Draw, name: str) -> Case:
    n, lazy, size = dims_of(name), name.startswith("Lazy"), draw(sizes(1, 4))
    kwargs = {"affine": draw(st.booleans()), "track_running_stats": draw(st.booleans())}
    x = image(draw, n, size if not kwargs["affine"] else max(1, off(draw, size)), least=2, most=3)
    return Case(() if lazy else (size,), kwargs, (x,), train=draw(st.booleans()))


@case("LayerNorm", "RMSNorm")
def _layer_norm(draw: Draw, name: str) -> Case:
    trailing = tuple(draw(st.lists(sizes(1, 4), min_size=1, max_size=2)))
    wanted = draw(st.sampled_from((trailing, trailing[-1])))
    kwargs = {"elementwise_affine": draw(st.booleans())}
    if name == "LayerNorm":
        kwargs["bias"] = draw(st.booleans())
    x = tensor(draw, *lead(draw), *[off(draw, s) for s in trailing], dtype=floats(draw))
    return Case((wanted,), kwargs, (x,))


@case("GroupNorm")
def _group_norm(draw: Draw) -> Case:
    groups = draw(sizes(1, 3))
    channels = off(draw, groups * draw(sizes(1, 2)))
    x = tensor(
        draw,
        draw(sizes(1, 3)),
        off(draw, channels),
        *spatial(draw, draw(sizes(0, 3)), 1, 3),
        dtype=floats(draw),
    )
    return Case((groups, channels), {"affine": draw(st.booleans())}, (x,))


@case("LocalResponseNorm")
def _response_norm(draw: Draw) -> Case:
    return Case((draw(sizes(1, 3)),), {}, (image(draw, 2, 3, 4),))


@case("CrossMapLRN2d")
def _cross_map(draw: Draw) -> Case:
    return Case((draw(sizes(1, 3)),), {}, (tensor(draw, 2, 3, 4, 4),))


# Activations


PLAIN = (
    "ReLU ReLU6 Hardtanh Hardsigmoid Hardswish ELU CELU SELU SiLU Mish GELU LeakyReLU Sigmoid Tanh "
    "LogSigmoid Softplus Softsign "
    "Tanhshrink Softshrink Hardshrink RReLU"
)
INPLACE = "ReLU ReLU6 Hardtanh Hardsigmoid Hardswish ELU CELU SELU SiLU Mish LeakyReLU RReLU"


@case(*PLAIN.split())
def _activation(draw: Draw, name: str) -> Case:
    kwargs = {"inplace": draw(st.booleans())} if name in INPLACE.split() else {}
    return Case((), kwargs, (tensor(draw, *lead(draw, 4)),))


@case("Threshold")
def _threshold(draw: Draw) -> Case:
    return Case((0.1, 2.0), {"inplace": draw(st.booleans())}, (tensor(draw, *lead(draw, 4)),))


@case("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout")
def _dropout(draw: Draw, name: str) -> Case:
    p = draw(st.sampled_from((0.0, 0.5, 1.0, 1.5)))
    rank = int(name[-2]) + 1 if name[-1] == "d" else 2
    x = tensor(draw, *draw(st.lists(sizes(0, 3), min_size=rank, max_size=rank + 1)))
    return Case((p,), {"inplace": draw(st.booleans())}, (x,), train=draw(st.booleans()))


@case("Softmax", "LogSoftmax", "Softmin")
def _softmax(draw: Draw) -> Case:
    shape = draw(st.lists(sizes(1, 3), max_size=4))
    return Case((draw(st.integers(-3, 2)),), {}, (tensor(draw, *shape, dtype=floats(draw)),))


@case("Softmax2d")
def _softmax_2d(draw: Draw) -> Case:
    return Case((), {}, (tensor(draw, *spatial(draw, draw(st.sampled_from((3, 4))), 1, 3)),))


@case("GLU")
def _glu(draw: Draw) -> Case:
    return Case((draw(st.integers(-2, 1)),), {}, (tensor(draw, *lead(draw), draw(sizes(1, 4))),))


@case("PReLU")
def _prelu(draw: Draw) -> Case:
    size = draw(st.sampled_from((1, 3)))
    return Case((size,), {}, (tensor(draw, draw(sizes()), off(draw, 3), *lead(draw, 2)),))


# Moving elements


@case("Flatten")
def _flatten(draw: Draw) -> Case:
    return Case((draw(st.integers(-3, 2)), draw(st.integers(-3, 2))), {}, (tensor(draw, *lead(draw, 4)),))


@case("Unflatten")
def _unflatten(draw: Draw) -> Case:
    a, b = draw(sizes(1, 3)), draw(sizes(1, 3))
    x = tensor(draw, draw(sizes()), off(draw, a * b), draw(sizes()))
    return Case((1, (a, draw(st.sampled_from((b, -1))))), {}, (x,))


@case(
    *[
        f"{kind}Pad{n}d"
        for n in (1, 2, 3)
        for kind in ("Zero", "Constant", "Reflection", "Replication", "Circular")
    ]
)
def _pad(draw: Draw, name: str) -> Case:
    n = dims_of(name)
    amount = draw(st.one_of(sizes(0, 2), st.tuples(*[sizes(0, 2)] * (2 * n))))
    args = (amount, 1.0) if name.startswith("Constant") else (amount,)
    return Case(args, {}, (image(draw, n, 2, 4),))


@case("Upsample")
def _upsample(draw: Draw) -> Case:
    x = image(draw, 2, 2, 4, least=2)
    kwargs = (
        {"size": each(draw, 2, 1, 5)}
        if draw(st.booleans())
        else {"scale_factor": draw(st.sampled_from((2, 2.0, 0.5, 3)))}
    )
    return Case((), {**kwargs, "mode": draw(st.sampled_from(("nearest", "bilinear")))}, (x,))


@case("UpsamplingNearest2d", "UpsamplingBilinear2d")
def _upsampling(draw: Draw) -> Case:
    return Case((), {"scale_factor": 2}, (image(draw, 2, 2, 4),))


@case("PixelShuffle")
def _pixel_shuffle(draw: Draw) -> Case:
    r = draw(sizes(1, 3))
    return Case(
        (r,), {}, (tensor(draw, *lead(draw), off(draw, r * r * 2), draw(sizes(1, 3)), draw(sizes(1, 3))),)
    )


@case("PixelUnshuffle")
def _pixel_unshuffle(draw: Draw) -> Case:
    r = draw(sizes(1, 3))
    batch = draw(st.lists(sizes(1, 3), max_size=2))
    return Case((r,), {}, (tensor(draw, *batch, 2, off(draw, r * 2), off(draw, r * 3)),))


@case("ChannelShuffle")
def _channel_shuffle(draw: Draw) -> Case:
    return Case((2,), {}, (tensor(draw, draw(sizes()), off(draw, 4), draw(sizes(1, 3)), draw(sizes(1, 3))),))


@case("Unfold")
def _unfold(draw: Draw) -> Case:
    kwargs = {"stride": each(draw, 2, 1, 2), "padding": each(draw, 2, 0, 1), "dilation": each(draw, 2, 1, 2)}
    return Case((each(draw, 2, 1, 3),), kwargs, (image(draw, 2, draw(sizes(1, 2)), 5),))


@case("Fold")
def _fold(draw: Draw) -> Case:
    x = tensor(draw, *draw(st.sampled_from(((), (2,)))), 8, off(draw, 9))
    return Case(((4, 4), 2), {"stride": draw(st.sampled_from((1, 2)))}, (x,))


@case("CosineSimilarity")
def _cosine(draw: Draw) -> Case:
    batch = lead(draw, 3)
    return Case(
        (draw(st.integers(-2, 2)),), {}, (tensor(draw, *batch, 3), tensor(draw, *batch, off(draw, 3)))
    )


@case("PairwiseDistance")
def _pairwise(draw: Draw) -> Case:
    batch = lead(draw)
    return Case(
        (), {"keepdim": draw(st.booleans())}, (tensor(draw, *batch, 3), tensor(draw, *batch, off(draw, 3)))
    )
