"""Layers that only move elements: flatten, pad, upsample, shuffle, fold; and distances between rows."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import ANY, NONE, Const, Items, Num, Shape, Tensor, Value
from torchwise.ops.agreement import autocast, axis, rank
from torchwise.ops.layers import as_items, by, layer, spread, spread_value
from torchwise.ops.layout import dense
from torchwise.ops.operands import together
from torchwise.ops.spec import Broken, Given, Outcome, Returns, op

F = "torch.nn.functional."
ONE = Dim.of(1)

layer(
    "torch.nn.Flatten",
    "start_dim=1 end_dim=-1",
    home="flatten",
    call=by("torch.flatten", "start_dim end_dim"),
    does="flatten",
)
layer(
    "torch.nn.Unflatten",
    "dim unflattened_size",
    home="flatten",
    call=by("torch.unflatten", "dim sizes:unflattened_size"),
    does="unflatten",
    view="input",
)

# Padding: all sides alike, or a pair for each axis, the last axis first

PADS = (
    ("ConstantPad", "constant", "padding value"),
    ("ZeroPad", "constant", "padding"),
    ("ReflectionPad", "reflect", "padding"),
    ("ReplicationPad", "replicate", "padding"),
    ("CircularPad", "circular", "padding"),
)


def _sides(n: int) -> object:
    def holds(given: Given) -> dict[str, Value]:
        return {"padding": as_items(spread(given, "padding", 2 * n))}

    return holds


def _padded(n: int, mode: str) -> Returns:
    """Constant padding takes any rank that has the axes; the others n + 1 or n + 2."""
    inner = by(F + "pad", "pad:padding value", mode=Const(mode))

    def call(given: Given) -> Value | Outcome:
        x = given.tensor("input")
        if mode != "constant" and x is not None and x.shape is not None:
            broken = rank("input", x, n + 1, n + 2) or _too_wide(given, x.shape, n, mode)
            if broken:
                return Outcome(Tensor(), broken)
        done = inner(given)
        return done if isinstance(done, Value | Outcome) else ANY

    return call


def _too_wide(given: Given, shape: Shape, n: int, mode: str) -> tuple[Broken, ...]:
    """A reflection needs more elements than it adds on a side, and going round as many."""
    for i, side in enumerate(spread_value(given, given.attr("padding"), 2 * n)):
        size = shape[-1 - i // 2]
        most = {"reflect": size - 1, "circular": size}.get(mode)
        if side is not None and most is not None and most.less_than(side).holds:
            return (Broken("argument", "padding", str(-1 - i // 2), wanted=most, got=side),)
    return ()


for _cls, _mode, _arguments in PADS:
    for _n in (1, 2, 3):
        layer(
            f"torch.nn.{_cls}{_n}d",
            _arguments,
            home="padding",
            holds=_sides(_n),  # type: ignore[arg-type]
            call=_padded(_n, _mode),
            does="pad",
            saves="input" if _mode in ("reflect", "replicate") else "",
            bases=f"torch.nn.ConstantPad{_n}d" if _cls == "ZeroPad" else "",
        )

# Upsampling, folding

layer(
    "torch.nn.Upsample",
    "size=None scale_factor=None mode='nearest' align_corners=None recompute_scale_factor=None",
    home="upsampling",
    call=by(F + "interpolate", "size scale_factor mode align_corners recompute_scale_factor"),
    does="interpolate",
)
for _cls, _mode in (("UpsamplingNearest2d", "nearest"), ("UpsamplingBilinear2d", "bilinear")):
    layer(
        f"torch.nn.{_cls}",
        "size=None scale_factor=None",
        home="upsampling",
        call=by(F + "interpolate", "size scale_factor", mode=Const(_mode)),
        does="interpolate",
        bases="torch.nn.Upsample",
    )
layer(
    "torch.nn.Fold",
    "output_size kernel_size dilation=1 padding=0 stride=1",
    home="fold",
    call=by(F + "fold", "output_size kernel_size dilation padding stride"),
    does="fold",
)
layer(
    "torch.nn.Unfold",
    "kernel_size dilation=1 padding=0 stride=1",
    home="fold",
    call=by(F + "unfold", "kernel_size dilation padding stride"),
    does="unfold",
)


# Pixel and channel shuffling


def _factor(given: Given, name: str) -> Dim | None:
    return given.dim(name)


def pixel_shuffle(given: Given) -> Outcome:
    """(*batch, C*r*r, H, W) -> (*batch, C, H*r, W*r)"""
    x, r = given.tensor("input"), _factor(given, "upscale_factor")
    if x is None or x.shape is None:
        return Outcome(Tensor(None, None, x.dtype if x else None, x.device if x else None))
    if len(x.shape) < 3:
        fault = Broken("rank", "input", wanted="at least 3-d", got=f"{len(x.shape)}-d", because=x)
        return Outcome(Tensor(), (fault,))
    *batch, channels, height, width = x.shape
    if r is None or r.number == 0:
        shape: Shape = (*batch, given.fresh("channels"), given.fresh("height"), given.fresh("width"))
        return Outcome(Tensor(shape, contiguous_strides(shape), x.dtype, x.device))
    broken: tuple[Broken, ...] = ()
    if (r * r).divides(channels).fails:
        broken = (Broken("axis", "input", "channels", wanted=r * r, got=channels, because=x),)
    shape = (*batch, channels // (r * r), height * r, width * r)
    return Outcome(Tensor(shape, contiguous_strides(shape) if dense(x) else None, x.dtype, x.device), broken)


def pixel_unshuffle(given: Given) -> Outcome:
    """(*batch, C, H*r, W*r) -> (*batch, C*r*r, H, W)"""
    x, r = given.tensor("input"), _factor(given, "downscale_factor")
    if x is None or x.shape is None:
        return Outcome(Tensor(None, None, x.dtype if x else None, x.device if x else None))
    if len(x.shape) < 3:
        fault = Broken("rank", "input", wanted="at least 3-d", got=f"{len(x.shape)}-d", because=x)
        return Outcome(Tensor(), (fault,))
    *batch, channels, height, width = x.shape
    if r is None or r.number == 0:
        shape: Shape = (*batch, given.fresh("channels"), given.fresh("height"), given.fresh("width"))
        return Outcome(Tensor(shape, contiguous_strides(shape), x.dtype, x.device))
    broken: tuple[Broken, ...] = ()
    for name, size in (("height", height), ("width", width)):
        if r.divides(size).fails:
            broken += (Broken("axis", "input", name, wanted=r, got=size, because=x),)
    shape = (*batch, channels * r * r, height // r, width // r)
    return Outcome(Tensor(shape, contiguous_strides(shape) if dense(x) else None, x.dtype, x.device), broken)


def channel_shuffle(given: Given) -> Outcome:
    """The same shape; the groups must divide the channels."""
    x, groups = given.tensor("input"), given.dim("groups")
    if x is None or x.shape is None:
        return Outcome(Tensor())
    if len(x.shape) < 3:
        fault = Broken("rank", "input", wanted="at least 3-d", got=f"{len(x.shape)}-d", because=x)
        return Outcome(Tensor(), (fault,))
    broken: tuple[Broken, ...] = ()
    if groups is not None and groups.number != 0 and groups.divides(x.shape[1]).fails:
        broken = (Broken("argument", "groups", "channels", wanted=x.shape[1], got=groups),)
    strides = contiguous_strides(x.shape) if dense(x) else None
    return Outcome(Tensor(x.shape, strides, x.dtype, x.device), broken)


# Distances


def cosine_similarity(given: Given) -> Outcome:
    """Broadcasts both, and takes the axis `dim` away."""
    both = together(given, ("x1", "x2"))
    at = given.int("dim", 1)
    dtype = both.dtype if both.dtype is not None and both.dtype.startswith(("float", "bfloat")) else None
    if both.shape is None or at is None:
        return Outcome(Tensor(None, None, dtype, both.device), both.broken)
    if not -len(both.shape) <= at < len(both.shape):
        fault = Broken("dim-range", "dim", wanted=Dim.of(len(both.shape)), got=Dim.of(at))
        return Outcome(Tensor(None, None, dtype, both.device), (*both.broken, fault))
    at %= len(both.shape)
    shape = (*both.shape[:at], *both.shape[at + 1 :])
    contiguous = both.strides == contiguous_strides(both.shape) and at == len(both.shape) - 1
    strides = contiguous_strides(shape) if contiguous or len(shape) < 2 else None
    return Outcome(
        Tensor(shape, strides, dtype if autocast(given) is None else None, both.device), both.broken
    )


def pairwise_distance(given: Given) -> Outcome:
    """Along the last axis, which `keepdim` keeps with a length of 1."""
    both = together(given, ("x1", "x2"))
    keep = given.const("keepdim", False)
    dtype = both.dtype if both.dtype is not None and both.dtype.startswith(("float", "bfloat")) else None
    if not both.shape or keep is ...:
        return Outcome(Tensor(None, None, dtype, both.device), both.broken)
    shape: Shape = (*both.shape[:-1], ONE) if keep else both.shape[:-1]
    strides = (
        contiguous_strides(shape)
        if both.strides == contiguous_strides(both.shape) or len(shape) < 2
        else None
    )
    return Outcome(
        Tensor(shape, strides, dtype if autocast(given) is None else None, both.device), both.broken
    )


for _function, _params, _also, _saves in (
    (pixel_shuffle, "input upscale_factor", "torch.pixel_shuffle", ""),
    (pixel_unshuffle, "input downscale_factor", "torch.pixel_unshuffle", ""),
    (channel_shuffle, "input groups", "torch.channel_shuffle torch.native_channel_shuffle", ""),
    (cosine_similarity, "x1 x2 dim eps", "torch.cosine_similarity", "x1<x1,x2 x2<x1,x2"),
    (pairwise_distance, "x1 x2 p eps keepdim", "torch.pairwise_distance", "result"),
):
    _path = F + _function.__name__
    op(
        _path,
        *_also.split(),
        params=_params,
        returns=_function,
        saves=_saves,
        source=f"generated/{_path}.html",
    )
layer(
    "torch.nn.PixelShuffle",
    "upscale_factor",
    home="pixelshuffle",
    call=by(pixel_shuffle, "upscale_factor"),
    does="pixel_shuffle",
)
layer(
    "torch.nn.PixelUnshuffle",
    "downscale_factor",
    home="pixelshuffle",
    call=by(pixel_unshuffle, "downscale_factor"),
    does="pixel_unshuffle",
)
layer(
    "torch.nn.ChannelShuffle",
    "groups",
    home="channelshuffle",
    call=by(channel_shuffle, "groups"),
    does="channel_shuffle",
)
layer(
    "torch.nn.CosineSimilarity",
    "dim=1 eps=1e-8",
    home="distance",
    call=by(cosine_similarity, "dim"),
    does="cosine_similarity",
    params="x1 x2",
    saves="x1<x1,x2 x2<x1,x2",
)
layer(
    "torch.nn.PairwiseDistance",
    "p=2.0 eps=1e-6 keepdim=False",
    home="distance",
    call=by(pairwise_distance, "keepdim"),
    does="pairwise_distance",
    params="x1 x2",
    saves="result",
)


# Sampling at positions of a grid


def grid_sample(given: Given) -> Outcome:
    """(N, C, H, W) at (N, h, w, 2) -> (N, C, h, w), and the same with one axis more."""
    x, grid = given.tensor("input"), given.tensor("grid")
    if x is None or grid is None or x.shape is None or grid.shape is None:
        return Outcome(Tensor())
    broken = rank("input", x, 4, 5)
    if broken or len(grid.shape) != len(x.shape):
        return Outcome(Tensor(), broken or rank("grid", grid, len(x.shape)))
    broken = axis("grid", "batch", x.shape[0], grid.shape[0], x)
    broken += axis("grid", "coordinates", Dim.of(len(x.shape) - 2), grid.shape[-1], x)
    shape: Shape = (*x.shape[:2], *grid.shape[1:-1])
    strides = contiguous_strides(shape) if dense(x) else None
    return Outcome(Tensor(shape, strides, x.dtype if autocast(given) is None else None, x.device), broken)


def affine_grid(given: Given) -> Outcome:
    """theta (N, 2, 3) and a size (N, C, H, W) -> (N, H, W, 2)"""
    theta, size = given.tensor("theta"), given.dims("size")
    if theta is None or size is None or len(size) not in (4, 5):
        return Outcome(Tensor())
    known = tuple(given.fresh(f"grid{i}") if d is None else d for i, d in enumerate(size))
    shape = (known[0], *known[2:], Dim.of(len(size) - 2))
    return Outcome(Tensor(shape, None, theta.dtype if autocast(given) is None else None, theta.device))


op(
    F + "grid_sample",
    params="input grid mode padding_mode align_corners",
    returns=grid_sample,
    saves="input<input,grid grid<input,grid",
    source=f"generated/{F}grid_sample.html",
)
op(
    F + "affine_grid",
    params="theta size align_corners",
    returns=affine_grid,
    source=f"generated/{F}affine_grid.html",
)
_ = Items, NONE, Num
