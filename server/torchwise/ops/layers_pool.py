"""Pooling: max, average, power-average, adaptive, fractional, and the inverse of max pooling.

Sizes are exact, `(H + 2*p - d*(k - 1) - 1)//s + 1`; with `ceil_mode` a last window that would start in the
padding is dropped. Results keep the layout of their input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from torchwise.domain.dim import Dim
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import ANY, NONE, Items, Num, Shape, Tensor, Value
from torchwise.domain.verdict import UNKNOWN
from torchwise.ops.agreement import rank
from torchwise.ops.layers import Sizes, by, flag, layer, spread
from torchwise.ops.layout import kept_layout, layout_of
from torchwise.ops.spec import Broken, Given, Outcome, Returns, op

ZERO, ONE = Dim.of(0), Dim.of(1)


def pooling(n: int, *, indices: bool) -> Returns:
    """Only max pooling keeps a channels-last layout over three axes."""

    def pool(given: Given) -> Outcome:
        x = given["input"]
        if not isinstance(x, Tensor):
            return Outcome(_results(given, Tensor(), indices))
        broken = rank("input", x, n + 1, n + 2)
        if x.shape is None or broken:
            return Outcome(_results(given, Tensor(None, None, x.dtype, x.device), indices), broken)
        measured, broken = _sizes(given, x.shape[-n:], n)
        broken = broken or empty(x, n) or (_smaller(given, x.shape[-n:]) if n == 3 and not indices else ())
        out = tuple(given.fresh(f"out{i}") if d is None else d for i, d in enumerate(measured))
        made = pooled(x, (*x.shape[:-n], *out), n)
        if n == 3 and not indices and x.strides is not None:
            made = replace(made, strides=contiguous_strides(made.shape or ()))
        return Outcome(_results(given, made, indices), broken)

    return pool


def _smaller(given: Given, sizes: Shape) -> tuple[Broken, ...]:
    """An average over three axes needs an input as large as the window, whatever the padding."""
    for size, k in zip(sizes, spread(given, "kernel_size", 3)):
        if k is not None and size.less_than(k).holds:
            return (Broken("kernel", "input", "kernel_size", wanted=k, got=size),)
    return ()


def empty(x: Tensor, n: int) -> tuple[Broken, ...]:
    """Only the batch may be empty."""
    shape = x.shape or ()
    for i, size in enumerate(shape[len(shape) - n - 1 :]):
        if size.number == 0:
            return (Broken("axis", "input", str(i - n - 1), wanted="at least 1", got=size, because=x),)
    return ()


def pooled(x: Tensor, shape: Shape, n: int) -> Tensor:
    """A fresh result in the layout of the input; one axis is pooled as an image of height 1."""
    if n == 1 or len(shape) == n + 1:
        known = x.shape is not None and x.strides == contiguous_strides(x.shape)
        strides = contiguous_strides(shape) if known else None
    else:
        strides = kept_layout(layout_of(x), shape)
    return Tensor(shape, strides, x.dtype, x.device)


def _results(given: Given, out: Tensor, indices: bool) -> Value:
    asked = flag(given, "return_indices") if indices else False
    if asked is None:
        return ANY
    return Items((out, Tensor(out.shape, out.strides, "int64", out.device))) if asked else out


def _sizes(given: Given, sizes: Shape, n: int) -> tuple[Sizes, tuple[Broken, ...]]:
    kernel = spread(given, "kernel_size", n)
    stride = kernel if given.get("stride", NONE) in (NONE, Items(())) else spread(given, "stride", n)
    padding = spread(given, "padding", n) if "padding" in given else (ZERO,) * n
    dilation = spread(given, "dilation", n) if "dilation" in given else (ONE,) * n
    ceil = flag(given, "ceil_mode")
    measured: list[Dim | None] = []
    broken: tuple[Broken, ...] = ()
    for size, k, s, p, d in zip(sizes, kernel, stride, padding, dilation):
        if k is None or p is None or d is None:
            measured.append(None)
            continue
        count = None if s is None or s.number == 0 or ceil is None else windows(size, k, s, p, d, ceil)
        broken += _window(size, k, p, d, count, ceil) or _half_padded(k, p)
        measured.append(count)
    return tuple(measured), broken


def _window(size: Dim, k: Dim, p: Dim, d: Dim, count: Dim | None, ceil: bool | None) -> tuple[Broken, ...]:
    """A window fits into an axis."""
    reach, padded = d * (k - 1) + 1, size + p * 2
    empty = padded.less_than(reach) if ceil is False else UNKNOWN if count is None else count.less_than(ONE)
    return (Broken("kernel", "input", "kernel_size", wanted=reach, got=padded),) if empty.holds else ()


def _half_padded(k: Dim, p: Dim) -> tuple[Broken, ...]:
    """A window is padded by at most half of it, not counting its dilation."""
    return (Broken("argument", "padding", wanted=k // 2, got=p),) if k.less_than(p * 2).holds else ()


def windows(size: Dim, k: Dim, s: Dim, p: Dim, d: Dim, ceil: bool) -> Dim | None:
    """How many windows fit on one axis; None where that depends on unknown sizes in a way that has no
    formula."""
    room = size + p * 2 - d * (k - 1) - 1
    if not ceil:
        return room // s + 1
    count = (room + s - 1) // s + 1
    starts_inside = ((count - 1) * s).less_than(size + p)
    return count if starts_inside.holds else count - 1 if starts_inside.fails else None


def adaptive(n: int, *, indices: bool) -> Returns:
    def pool(given: Given) -> Outcome:
        x = given["input"]
        if not isinstance(x, Tensor):
            return Outcome(_results(given, Tensor(), indices))
        whole = n > 1 and not indices and _one_each(given)
        broken = () if whole and len(x.shape or ()) >= n else rank("input", x, n + 1, n + 2)
        if x.shape is None or broken:
            return Outcome(_results(given, Tensor(None, None, x.dtype, x.device), indices), broken)
        if n == 1 and not indices and NONE in (given.list("output_size") or (given["output_size"],)):
            broken = (Broken("argument", "output_size", wanted="a size", got="None"),)
        wanted = _wanted(given, x.shape, n)
        out = tuple(given.fresh(f"out{i}") if d is None else d for i, d in enumerate(wanted))
        made = pooled(x, (*x.shape[:-n], *out), n)
        if (
            n == 3 and not whole and made.shape is not None
        ):  # only the mean over everything keeps channels-last
            made = replace(made, strides=contiguous_strides(made.shape) if x.strides is not None else None)
        return Outcome(_results(given, made, indices), broken)

    return pool


def _one_each(given: Given) -> bool:
    """Whether every axis is pooled to a length of 1."""
    return all(size is not None and size.number == 1 for size in given.dims("output_size") or (None,))


def _wanted(given: Given, shape: Shape, n: int) -> Sizes:
    """`output_size`: None keeps the size of an axis."""
    asked = given["output_size"]
    values = given.list("output_size")
    if values is None:
        values = (asked,) * n
    if len(values) == 1:
        values = values * n
    if len(values) != n:
        return (None,) * n
    return tuple(
        s if v == NONE else v.dim if isinstance(v, Num) else None for v, s in zip(values, shape[-n:])
    )


def unpooling(n: int) -> Returns:
    def unpool(given: Given) -> Outcome:
        x = given.tensor("input")
        if x is None or x.shape is None or len(x.shape) not in (n + 1, n + 2):
            return Outcome(Tensor(), rank("input", x, n + 1, n + 2))
        kernel = spread(given, "kernel_size", n)
        stride = kernel if given.get("stride", NONE) == NONE else spread(given, "stride", n)
        padding = spread(given, "padding", n) if "padding" in given else (ZERO,) * n
        sizes: Sizes = tuple(
            None if k is None or s is None or p is None else (size - 1) * s + k - p * 2
            for size, k, s, p in zip(x.shape[-n:], kernel, stride, padding)
        )
        asked = given.get("output_size", NONE)
        if asked != NONE:
            dims = given.sizes_of(asked) or ()
            sizes = dims[-n:] if len(dims) >= n else (None,) * n
        out = tuple(given.fresh(f"out{i}") if d is None else d for i, d in enumerate(sizes))
        return Outcome(Tensor((*x.shape[:-n], *out), None, x.dtype, x.device))

    return unpool


def fractional(n: int) -> Returns:
    def pool(given: Given) -> Outcome:
        x = given.tensor("input")
        if x is None or x.shape is None or len(x.shape) not in (n + 1, n + 2):
            return Outcome(_results(given, Tensor(), True), rank("input", x, n + 1, n + 2))
        sizes = (None,) * n if given.get("output_size", NONE) == NONE else spread(given, "output_size", n)
        out = tuple(given.fresh(f"out{i}") if d is None else d for i, d in enumerate(sizes))
        shape: Shape = (*x.shape[:-n], *out)
        made = Tensor(shape, contiguous_strides(shape), x.dtype, x.device)
        return Outcome(_results(given, made, True), _crowded(given, x.shape[-n:], out))

    return pool


def _crowded(given: Given, sizes: Shape, out: Shape) -> tuple[Broken, ...]:
    """As many windows as asked for must start at places of their own."""
    for size, k, count in zip(sizes, spread(given, "kernel_size", len(sizes)), out):
        if k is not None and size.less_than(k + count).holds:
            return (Broken("kernel", "input", "kernel_size", wanted=k + count, got=size),)
    return ()


MAX = "kernel_size stride=None padding=0 dilation=1 return_indices=False ceil_mode=False"
MAX_CALL = "kernel_size stride padding dilation ceil_mode return_indices"
AVERAGE_1 = "kernel_size stride=None padding=0 ceil_mode=False count_include_pad=True"
AVERAGE = AVERAGE_1 + " divisor_override=None"
AVERAGE_CALL = "kernel_size stride padding ceil_mode"
LP = "norm_type kernel_size stride=None ceil_mode=False"
UNPOOL = "kernel_size stride=None padding=0"
FRACTIONAL = "kernel_size output_size=None output_ratio=None return_indices=False _random_samples=None"


def _pool(
    name: str,
    cls: str,
    base: str,
    constructor: str,
    call: str,
    params: str,
    returns: Returns,
    saves: str,
    extra: str = "",
) -> None:
    """One functional form and its layer; its name without the number of axes."""
    name += cls[-2:]
    path = f"torch.nn.functional.{name}"
    op(
        path,
        *extra.split(),
        params=f"input {params}",
        returns=returns,
        saves=saves,
        source=f"generated/{path}.html",
    )
    layer(
        f"torch.nn.{cls}",
        constructor,
        home="pooling",
        call=by(returns, call),
        does=name,
        bases=f"torch.nn.modules.pooling.{base}",
        params="input indices output_size" if "Unpool" in cls else "input",
        holds=_as_torch_keeps(cls),
        saves=saves,
    )


def _as_torch_keeps(cls: str) -> Callable[[Given], dict[str, Value]]:
    """An instance without a stride has that of its kernel; some keep tuples."""
    n = int(cls[-2]) if cls == "AvgPool1d" or "Unpool" in cls or "Fractional" in cls else 0

    def holds(given: Given) -> dict[str, Value]:
        held: dict[str, Value] = {}
        if "stride" in given and not cls.startswith("LP"):
            held["stride"] = given["kernel_size"] if given["stride"] == NONE else given["stride"]
        for name in ("kernel_size", "stride", "padding", "output_size") if n else ():
            value = held.get(name, given.get(name, NONE))
            if name in given or name in held:
                held[name] = Items((value,) * n) if isinstance(value, Num) else value
        return held

    return holds


def _rows(n: int) -> None:
    """Class, base, arguments of the layer, what its call uses, parameters of the function, and so on."""
    average = AVERAGE_1 if n == 1 else AVERAGE
    plain, with_indices = pooling(n, indices=False), pooling(n, indices=True)
    also = f"torch.max_pool{n}d"
    lp = "kernel_size stride ceil_mode"
    pool = f"Pool{n}d"
    unpool = "indices kernel_size stride padding output_size"
    size, sized = "output_size return_indices=False", "output_size return_indices"
    only_1 = n == 1
    _pool("max_pool", "Max" + pool, "_MaxPoolNd", MAX, MAX_CALL, MAX_CALL, with_indices, "input", also)
    also = "torch.avg_pool1d" if only_1 else ""
    _pool(
        "avg_pool", "Avg" + pool, "_AvgPoolNd", average, AVERAGE_CALL, _names(average), plain, "input", also
    )
    _pool("lp_pool", "LP" + pool, "_LPPoolNd", LP, lp, _names(LP), plain, "input")
    whole, largest = adaptive(n, indices=False), adaptive(n, indices=True)
    _pool(
        "adaptive_max_pool", "AdaptiveMax" + pool, "_AdaptiveMaxPoolNd", size, sized, sized, largest, "input"
    )
    also = "torch.adaptive_avg_pool1d" if only_1 else ""
    out = "output_size"
    _pool("adaptive_avg_pool", "AdaptiveAvg" + pool, "_AdaptiveAvgPoolNd", out, out, out, whole, "", also)
    back = unpooling(n)
    _pool(
        "max_unpool", f"MaxUnpool{n}d", "_MaxUnpoolNd", UNPOOL, _names(UNPOOL), unpool, back, "indices<input"
    )


def _names(arguments: str) -> str:
    return " ".join(a.partition("=")[0] for a in arguments.split())


for _n in (1, 2, 3):
    _rows(_n)
for _n in (2, 3):
    _pool(
        "fractional_max_pool",
        f"FractionalMaxPool{_n}d",
        "",
        FRACTIONAL,
        "kernel_size output_size return_indices",
        "kernel_size output_size output_ratio return_indices _random_samples",
        fractional(_n),
        "input",
    )
