"""Convolutions, transposed ones, and their lazy forms. Sizes are exact: `(H + 2*p - d*(k - 1) - 1)//s + 1`.

A result is contiguous unless input or weight is channels-last; Conv1d makes its input contiguous first.
"""

from __future__ import annotations

from collections.abc import Callable

from torchwise.domain.dim import Dim
from torchwise.domain.shape import contiguous_strides, is_contiguous
from torchwise.domain.value import ANY, NONE, Const, Num, Shape, Tensor, Value
from torchwise.ops.agreement import axis, layer_device, layer_dtype, learned, rank
from torchwise.ops.layers import (
    Sizes,
    as_items,
    at_least,
    by,
    flag,
    layer,
    lazy,
    lazy_parts,
    optional,
    parameter,
    spread,
    spread_value,
)
from torchwise.ops.layout import kept_layout, layout_of
from torchwise.ops.spec import Broken, Given, Outcome, Returns, op

ZERO, ONE = Dim.of(0), Dim.of(1)


def convolution(n: int, transposed: bool) -> Returns:
    def conv(given: Given) -> Outcome:
        x, weight = given["input"], given.tensor("weight")
        if not isinstance(x, Tensor):
            return Outcome(Tensor() if x is ANY else ANY)
        dtype, clash = layer_dtype(given, x, weight, lowered=True)
        device, apart = layer_device(x, weight)
        broken = clash + apart + rank("input", x, n + 1, n + 2)
        sizes = None if weight is None else weight.shape
        if x.shape is None or sizes is None or len(sizes) != n + 2 or len(x.shape) not in (n + 1, n + 2):
            return Outcome(Tensor(None, None, dtype, device), broken)
        groups = given.dim("groups", 1)
        inner, outer = _channels(sizes, groups, transposed)
        broken += axis("input", "in_channels", inner, x.shape[-n - 1], weight)
        measured, faults = _sizes(given, x.shape[-n:], sizes[2:], n, transposed)
        faults = faults or _too_wide(given, x.shape[-n:], n)
        broken += faults + _whole_groups(sizes, groups, transposed)
        out = tuple(given.fresh(f"out{i}") if d is None else d for i, d in enumerate((outer, *measured)))
        shape: Shape = (*x.shape[: -n - 1], *out)
        strides = _strides(given, x, weight, shape, n, dtype)
        return Outcome(
            Tensor(shape, strides, dtype, device), broken, () if broken else learned(x, -n - 1, inner)
        )

    return conv


def _channels(weight: Shape, groups: Dim | None, transposed: bool) -> tuple[Dim | None, Dim | None]:
    """What goes in and what comes out, by a weight (out, in/groups, ...), or (in, out/groups, ...) when
    transposed."""
    scaled = None if groups is None else weight[1] * groups
    return (weight[0], scaled) if transposed else (scaled, weight[0])


def _whole_groups(weight: Shape, groups: Dim | None, transposed: bool) -> tuple[Broken, ...]:
    """The first axis of the weight is divided among the groups."""
    if groups is None or not groups.divides(weight[0]).fails:
        return ()
    return (
        Broken(
            "argument",
            "groups",
            "in_channels" if transposed else "out_channels",
            wanted=weight[0],
            got=groups,
        ),
    )


def _sizes(
    given: Given, sizes: Shape, kernel: Shape, n: int, transposed: bool
) -> tuple[Sizes, tuple[Broken, ...]]:
    stride, dilation = spread_or(given, "stride", n, ONE), spread_or(given, "dilation", n, ONE)
    padding = _padding(given, n, sizes, kernel)
    if padding is None:
        return sizes, ()
    if transposed:
        extra = spread_or(given, "output_padding", n, ZERO)
        rows = list(zip(sizes, kernel, stride, padding, dilation, extra))
        grown = _asked(given, tuple(_grown(*r) for r in rows), n)
        return grown, _too_small(grown) or _extra_fault(stride, dilation, extra)
    measured: list[Dim | None] = []
    broken: list[Broken] = []
    for size, k, s, p, d in zip(sizes, kernel, stride, padding, dilation):
        if p is None or d is None:
            measured.append(None)
            continue
        reach, padded = d * (k - 1) + 1, size + p * 2
        if padded.less_than(reach).holds:
            broken.append(Broken("kernel", "input", "kernel_size", wanted=reach, got=padded))
        measured.append(None if s is None or s.number == 0 else (padded - reach) // s + 1)
    return tuple(measured), tuple(broken)


def _too_wide(given: Given, sizes: Shape, n: int) -> tuple[Broken, ...]:
    """Padding that repeats the input cannot be wider than it; a reflection not even as wide."""
    match given.get("padding_mode"):
        case Const("circular"):
            spare = 0
        case Const("reflect"):
            spare = 1
        case _:
            return ()
    for size, p in zip(sizes, spread_or(given, "padding", n, ZERO)):
        if p is not None and (size - spare).less_than(p).holds:
            return (Broken("argument", "padding", "padding_mode", wanted=size - spare, got=p),)
    return ()


def _grown(size: Dim, k: Dim, s: Dim | None, p: Dim | None, d: Dim | None, extra: Dim | None) -> Dim | None:
    if s is None or p is None or d is None or extra is None:
        return None
    return (size - 1) * s - p * 2 + d * (k - 1) + extra + 1


def _too_small(sizes: Sizes) -> tuple[Broken, ...]:
    for size in sizes:  # one of length 0 is refused by some of torch's kernels only
        if size is not None and size.less_than(ZERO).holds:
            return (Broken("kernel", "input", "output_size", wanted="at least 1", got=size),)
    return ()


def _extra_fault(stride: Sizes, dilation: Sizes, extra: Sizes) -> tuple[Broken, ...]:
    """The output padding is smaller than the stride or the dilation of its axis."""
    for s, d, e in zip(stride, dilation, extra):
        if None in (s, d, e):
            continue
        if e.less_than(s).fails and e.less_than(d).fails:  # type: ignore[union-attr, arg-type]
            return (Broken("argument", "output_padding", "stride", wanted=s, got=e),)
    return ()


def _asked(given: Given, measured: Sizes, n: int) -> Sizes:
    """A transposed layer may be told how large its result has to be."""
    wanted = given.get("output_size", NONE)
    if wanted == NONE:
        return measured
    dims = given.sizes_of(wanted)
    return (None,) * n if dims is None or len(dims) < n else dims[-n:]


def _padding(given: Given, n: int, sizes: Shape, kernel: Shape) -> Sizes | None:
    """Zeros on each side of an axis; None where the size stays the same."""
    match given.get("padding", Num(ZERO)):
        case Const("same"):
            return None
        case Const("valid"):
            return (ZERO,) * n
        case value:
            return spread_value(given, value, n)


def _strides(
    given: Given, x: Tensor, weight: Tensor | None, shape: Shape, n: int, dtype: str | None
) -> Shape | None:
    if n == 1:
        return contiguous_strides(shape) if _unambiguous(x) else None
    batched = len(shape) == n + 2
    layouts = {layout_of(x) if batched else "contiguous", layout_of(weight)}
    if layouts == {"contiguous"}:
        return contiguous_strides(shape)
    plain = given.get("padding_mode", Const("zeros")) == Const("zeros")
    if "channels-last" not in layouts or dtype in (None, "float64") or not batched or not plain or n == 3:
        return None  # over three axes the kernel decides, which torch chooses by the number of threads too
    return kept_layout("channels-last", shape)


def _unambiguous(x: Tensor) -> bool:
    """A 1-d input is made contiguous, and then taken for an image of height 1; with an axis of length 1
    that is
    channels-last too if its strides say so."""
    assert x.shape is not None
    if x.strides == contiguous_strides(x.shape) or all(d.number != 1 for d in x.shape[-2:]):
        return True
    return is_contiguous(x.shape, x.strides).fails


def spread_or(given: Given, name: str, count: int, default: Dim) -> Sizes:
    return spread(given, name, count) if name in given else (default,) * count


# What the constructor asks for, and what an instance holds


def _conv_needs(given: Given) -> tuple[Broken, ...]:
    inner, outer, groups = given.dim("in_channels"), given.dim("out_channels"), given.dim("groups")
    broken = at_least(given, 1, "groups") + at_least(given, 0, "in_channels", "out_channels", "kernel_size")
    if groups is not None and not broken:
        for name, channels in (("in_channels", inner), ("out_channels", outer)):
            if channels is not None and groups.divides(channels).fails:
                broken += (Broken("argument", "groups", name, wanted=channels, got=groups),)
    return broken + _lazy_needs(given)


def _lazy_needs(given: Given) -> tuple[Broken, ...]:
    """What does not depend on the number of channels."""
    broken: tuple[Broken, ...] = ()
    match given.get("padding"):
        case Const("same"):
            if any(s is not None and s.same_as(ONE).fails for s in given.dims("stride") or ()):
                broken += (Broken("argument", "padding", "stride", wanted=ONE, got="same"),)
        case Const(str(other)) if other != "valid":
            broken += (Broken("argument", "padding", wanted='"same" or "valid"', got=other),)
    match given.get("padding_mode"):
        case Const(str(mode)) if mode not in ("zeros", "reflect", "replicate", "circular"):
            broken += (
                Broken("argument", "padding_mode", wanted="zeros, reflect, replicate or circular", got=mode),
            )
    return broken


def _transposed_needs(given: Given) -> tuple[Broken, ...]:
    broken = _conv_needs(given)
    match given.get("padding_mode"):
        case Const(str(mode)) if mode != "zeros":
            broken += (Broken("argument", "padding_mode", wanted="zeros", got=mode),)
    return broken


def _conv_parts(n: int, transposed: bool) -> Callable[[Given], dict[str, Value]]:
    def holds(given: Given) -> dict[str, Value]:
        inner, outer, groups = given.dim("in_channels"), given.dim("out_channels"), given.dim("groups")
        first, second = (inner, outer) if transposed else (outer, inner)
        second = None if second is None or groups is None or groups.number == 0 else second // groups
        kernel = spread(given, "kernel_size", n)
        return {
            "weight": parameter(given, first, second, *kernel),
            "bias": optional(given, flag(given, "bias"), outer),
            **_settings(given, n),
        }

    return holds


def _unborn(n: int) -> Callable[[Given], dict[str, Value]]:
    """What a lazy layer holds before its first call."""
    parts = lazy_parts("in_channels")
    return lambda given: {**_settings(given, n), **parts(given)}


def _settings(given: Given, n: int) -> dict[str, Value]:
    """Ints become tuples, as on torch's own instance; a padding in words stays."""
    names = ("kernel_size", "stride", "padding", "dilation", "output_padding")
    asked = ((name, given.get(name, Num(ZERO))) for name in names)
    return {name: v if isinstance(v, Const) else as_items(spread_value(given, v, n)) for name, v in asked}


FORWARD = "in_channels out_channels kernel_size stride=1 padding=0 dilation=1 groups=1 bias=True "
TRANSPOSED = (
    "in_channels out_channels kernel_size stride=1 padding=0 output_padding=0 groups=1 bias=True dilation=1 "
)
TAIL = "padding_mode='zeros' device=None dtype=None"
SETTINGS = "weight bias stride padding dilation groups padding_mode"


def _without_input(arguments: str) -> str:
    return arguments.partition(" ")[2]


def _batched_channels(n: int) -> Callable[[Tensor], int]:
    return lambda x: 0 if x.shape is not None and len(x.shape) == n + 1 else 1


for _n in (1, 2, 3):
    for _transposed in (False, True):
        _kind = "_transpose" if _transposed else ""
        _name = f"conv{_kind}{_n}d"
        _class = f"Conv{'Transpose' if _transposed else ''}{_n}d"
        _bases = "torch.nn.modules.conv._ConvNd"
        _conv = convolution(_n, _transposed)
        op(
            f"torch.nn.functional.{_name}",
            f"torch.{_name}",
            params="input weight bias stride padding output_padding groups dilation"
            if _transposed
            else "input weight bias stride padding dilation groups",
            returns=_conv,
            saves="input<weight weight<input",
            source=f"generated/torch.nn.functional.{_name}.html",
        )
        _arguments = (TRANSPOSED if _transposed else FORWARD) + TAIL
        _call = by(_conv, SETTINGS + (" output_padding" if _transposed else ""))
        _holds = _conv_parts(_n, _transposed)
        _needs = _transposed_needs if _transposed else _conv_needs
        _lazy = lazy(_call, "in_channels", _batched_channels(_n), _holds, _needs)
        for _path, _takes, _keeps, _asks, _called, _more in (
            (_class, _arguments, _holds, _needs, _call, _bases),
            (
                f"Lazy{_class}",
                _without_input(_arguments),
                _unborn(_n),
                _lazy_needs,
                _lazy,
                f"torch.nn.{_class} {_bases}",
            ),
        ):
            layer(
                f"torch.nn.{_path}",
                _takes,
                home="conv",
                holds=_keeps,
                needs=_asks,
                call=_called,
                does=_name,
                params="input output_size" if _transposed else "input",
                bases=_more,
                saves="input<weight weight<input",
            )
