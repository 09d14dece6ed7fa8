"""Functions on images and features: pad, interpolate, unfold and fold, one_hot, normalize."""

from __future__ import annotations

import math

from torchwise.domain.dim import Dim
from torchwise.domain.dtype import category
from torchwise.domain.shape import Shape, contiguous_strides
from torchwise.domain.value import Const, Num, Tensor, Value
from torchwise.ops.axis_arguments import axis_of, is_none
from torchwise.ops.joining import flat
from torchwise.ops.rows import Answer
from torchwise.ops.spec import Broken, Given, Outcome, op
from torchwise.ops.views import fresh, laid_out, of_tensor, refused

F = "torch.nn.functional."


def page(name: str) -> str:
    return f"generated/{F}{name}.html"


def _pad(given: Given, x: Tensor, shape: Shape) -> Answer:
    """Pairs of numbers, from the last axis backwards; negative ones cut."""
    pads = given.dims("pad")
    if pads is None:
        return laid_out(x, [given.fresh(f"axis{i}") for i in range(len(shape))], None)
    if len(pads) % 2 or len(pads) > 2 * len(shape):
        return refused(
            Broken(
                "argument",
                "pad",
                wanted=f"an even number, at most {2 * len(shape)}",
                got=len(pads),
                because=x,
            )
        )
    sizes = list(shape)
    for pair in range(len(pads) // 2):
        axis, before, behind = len(shape) - 1 - pair, pads[2 * pair], pads[2 * pair + 1]
        sizes[axis] = (
            given.fresh(f"pad{axis}") if before is None or behind is None else sizes[axis] + before + behind
        )
        if sizes[axis].less_than(0).holds:
            return refused(
                Broken("argument", "pad", str(axis), f"at most {shape[axis]} cut", pads[2 * pair], x)
            )
    if any(p is None or p.number is None or p.number < 0 for p in pads) or flat(x).strides is None:
        return laid_out(x, sizes, None)
    return fresh(x, sizes)


op(F + "pad", params="input pad mode value", returns=of_tensor(_pad), source=page("pad"))


def _interpolate(given: Given, x: Tensor, shape: Shape) -> Answer:
    """(N, C, *sizes): the sizes are given, or multiplied and rounded down."""
    space = len(shape) - 2
    if space not in (1, 2, 3):
        return refused(Broken("rank", "input", wanted="3-d, 4-d or 5-d", got=f"{len(shape)}-d", because=x))
    given_size, factor = not is_none(given, "size"), not is_none(given, "scale_factor")
    if given_size == factor:
        return refused(
            Broken("argument", "size", message="`interpolate` needs either `size` or `scale_factor`")
        )
    mode = given.const("mode", "nearest")
    modes = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}
    if isinstance(mode, str) and mode in modes and modes[mode] != space:
        return refused(
            Broken(
                "rank",
                "input",
                wanted=f"{modes[mode] + 2}-d for mode {mode}",
                got=f"{len(shape)}-d",
                because=x,
            )
        )
    sizes = _sizes(given, space) if given_size else _scaled(given, shape[2:])
    if sizes is None:
        return laid_out(x, (*shape[:2], *[given.fresh(f"size{i}") for i in range(space)]), None)
    if len(sizes) != space:
        return refused(Broken("argument", "size", wanted=f"{space} numbers", got=f"{len(sizes)}", because=x))
    whole = (*shape[:2], *sizes)
    return laid_out(x, whole, contiguous_strides(whole) if flat(x).strides is not None else None)


def _sizes(given: Given, space: int) -> Shape | None:
    value = given["size"]
    if isinstance(value, Num):
        return (value.dim,) * space
    sizes = given.dims("size")
    return (
        None
        if sizes is None
        else tuple(given.fresh(f"size{i}") if d is None else d for i, d in enumerate(sizes))
    )


def _scaled(given: Given, sizes: Shape) -> Shape | None:
    value = given["scale_factor"]
    factors = [value] * len(sizes)
    items = given.list("scale_factor")
    if items is not None:
        factors = list(items)
    if len(factors) != len(sizes):
        return None
    out = []
    for i, (factor, size) in enumerate(zip(factors, sizes)):
        out.append(_times(given, i, factor, size))
    return tuple(out)


def _times(given: Given, axis: int, factor: Value, size: Dim) -> Dim:
    if isinstance(factor, Num):
        return size * factor.dim
    if isinstance(factor, Const) and isinstance(factor.value, float):
        if size.number is not None:
            return Dim.of(math.floor(size.number * factor.value))
        for part in (1, 2, 4, 8, 16, 32):
            times = factor.value * part
            if times == int(times) and times < 2**20:
                return size * int(times) // part
    return given.fresh(f"scaled{axis}")


op(
    *(F + "interpolate", F + "upsample"),
    params="input size scale_factor mode align_corners recompute_scale_factor antialias",
    returns=of_tensor(_interpolate),
    source=page("interpolate"),
)


def _pairs(given: Given, name: str, default: int) -> tuple[Dim, Dim] | None:
    sizes = given.dims(name) if name in given else (Dim.of(default),)
    if sizes is None or None in sizes or len(sizes) not in (1, 2):
        return None
    first = sizes[0]
    second = sizes[-1]
    assert first is not None and second is not None, "unknown entries are sorted out above"
    return first, second


def _windows(given: Given, sizes: tuple[Dim, Dim]) -> tuple[Dim, Dim, Dim, Dim] | None:
    """How many windows there are in both directions, and the two lengths of a window."""
    kernel, dilation = _pairs(given, "kernel_size", 1), _pairs(given, "dilation", 1)
    padding, stride = _pairs(given, "padding", 0), _pairs(given, "stride", 1)
    if kernel is None or dilation is None or padding is None or stride is None:
        return None
    counts = [
        (size + 2 * p - d * (k - 1) - 1) // s + 1
        for size, k, d, p, s in zip(sizes, kernel, dilation, padding, stride)
    ]
    return counts[0], counts[1], kernel[0], kernel[1]


def _unfold(given: Given, x: Tensor, shape: Shape) -> Answer:
    """(N, C, H, W) -> (N, C*k*k, windows)."""
    if len(shape) not in (3, 4):
        return refused(Broken("rank", "input", wanted="3-d or 4-d", got=f"{len(shape)}-d", because=x))
    found = _windows(given, (shape[-2], shape[-1]))
    if found is None:
        return laid_out(x, (*shape[:-3], given.fresh("columns"), given.fresh("windows")), None)
    down, across, height, width = found
    if down.less_than(1).holds or across.less_than(1).holds:
        return refused(
            Broken("argument", "kernel_size", wanted="no longer than the input", got=height, because=x)
        )
    return fresh(x, (*shape[:-3], shape[-3] * height * width, down * across))


op(
    F + "unfold",
    params="input kernel_size dilation padding stride",
    returns=of_tensor(_unfold),
    source=page("unfold"),
)


def _fold(given: Given, x: Tensor, shape: Shape) -> Answer:
    """(N, C*k*k, windows) -> (N, C, H, W)."""
    sizes = _pairs(given, "output_size", 1)
    if len(shape) not in (2, 3):
        return refused(Broken("rank", "input", wanted="2-d or 3-d", got=f"{len(shape)}-d", because=x))
    found = None if sizes is None else _windows(given, sizes)
    if found is None or sizes is None:
        return laid_out(x, (*shape[:-2], *[given.fresh(f"axis{i}") for i in range(3)]), None)
    down, across, height, width = found
    if (down * across).same_as(shape[-1]).fails:
        return refused(Broken("axis", "input", "-1", down * across, shape[-1], x))
    if (height * width).divides(shape[-2]).fails:
        return refused(Broken("axis", "input", "-2", f"a multiple of {height * width}", shape[-2], x))
    return fresh(x, (*shape[:-2], shape[-2] // (height * width), *sizes))


op(
    F + "fold",
    params="input output_size kernel_size dilation padding stride",
    returns=of_tensor(_fold),
    source=page("fold"),
)


def _one_hot(given: Given) -> Answer:
    """Integer classes get an axis as long as there are classes."""
    x, classes = given["input"], given.dim("num_classes", -1)
    if not isinstance(x, Tensor):
        return Tensor(dtype="int64")
    if classes is None or (classes.number or 0) < 0:
        classes = given.fresh("classes")
    broken: tuple[Broken, ...] = ()
    if x.dtype not in (None, "int64"):
        broken = (Broken("dtype", "input", wanted="int64", got=x.dtype, because=x),)
    shape = None if x.shape is None else (*x.shape, classes)
    return Outcome(
        Tensor(shape, None if shape is None else contiguous_strides(shape), "int64", x.device), broken
    )


op(F + "one_hot", params="input num_classes", returns=_one_hot, grad="cut", source=page("one_hot"))


def _normalize(given: Given, x: Tensor, shape: Shape) -> Answer:
    """Divides by the norm along an axis."""
    axis = axis_of(given, "dim", len(shape), 1)
    broken = (axis,) if isinstance(axis, Broken) else ()
    if x.dtype is not None and category(x.dtype) < 2:
        broken = (*broken, Broken("dtype", "input", wanted="floating point", got=x.dtype, because=x))
    return Outcome(flat(x), broken)


op(
    F + "normalize",
    params="input p dim eps out",
    returns=of_tensor(_normalize),
    saves="input",
    source=page("normalize"),
)


def _pdist(given: Given, x: Tensor, shape: Shape) -> Answer:
    """(n, d) -> one distance for each pair."""
    if len(shape) != 2:
        return refused(Broken("rank", "input", wanted="2-d", got=f"{len(shape)}-d", because=x))
    return fresh(x, (shape[0] * (shape[0] - 1) // 2,))


op(
    "torch.pdist",
    F + "pdist",
    params="input p",
    returns=of_tensor(_pdist),
    saves="input result",
    source=page("pdist"),
)
