"""torch.fft, and the short-time transform: real and complex spectra along axes."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.dtype import category, complex_of, real_part
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import Shape, Tensor
from torchwise.ops.axis_arguments import axes_of, axis_of, dtype_argument, flag, is_none
from torchwise.ops.creation import OPTIONS, made
from torchwise.ops.joining import flat
from torchwise.ops.operands import default_dtype
from torchwise.ops.rows import Answer, both, function
from torchwise.ops.spec import Broken, Given, Outcome, Returns
from torchwise.ops.views import laid_out, of_tensor, refused

# name; what comes in; what comes out. A half spectrum of n numbers has n//2 + 1.
ONE_AXIS = (
    ("fft", "any", "full"),
    ("ifft", "any", "full"),
    ("rfft", "real", "half"),
    ("irfft", "any", "whole"),
    ("hfft", "any", "whole"),
    ("ihfft", "real", "half"),
)


def spectrum_dtype(given: Given, x: Tensor, out: str) -> str | None:
    """Integers are taken as the default float; results are complex, but for those made whole again."""
    if x.dtype is None:
        return None
    dtype = default_dtype(given) if category(x.dtype) < 2 else x.dtype
    return real_part(dtype) if out == "whole" else complex_of(dtype)


def length_of(given: Given, size: Dim, n: Dim | None, out: str) -> Dim:
    if out == "whole":
        return (size - 1) * 2 if n is None else n
    whole = size if n is None else n
    return whole // 2 + 1 if out == "half" else whole


def one_axis(takes: str, out: str) -> Returns:
    def change(given: Given, x: Tensor, shape: Shape) -> Answer:
        axis = axis_of(given, "dim", len(shape), -1)
        if isinstance(axis, Broken):
            return refused(axis)
        if not shape:
            return refused(Broken("rank", "input", wanted="1-d or more", got="0-d", because=x))
        if takes == "real" and x.dtype is not None and category(x.dtype) == 3:
            return refused(Broken("dtype", "input", wanted="real", got=x.dtype, because=x))
        n = None if is_none(given, "n") else given.dim("n") or given.fresh("n")
        dtype = spectrum_dtype(given, x, out)
        if axis is None:
            return Tensor(None, None, dtype, x.device)
        sizes = (*shape[:axis], length_of(given, shape[axis], n, out), *shape[axis + 1 :])
        return Tensor(sizes, None, dtype, x.device)

    return of_tensor(change)


for _name, _takes, _out in ONE_AXIS:
    function(f"torch.fft.{_name}", "input n dim norm", one_axis(_takes, _out))


def several_axes(count: int | None, takes: str, out: str) -> Returns:
    """fft2 has two axes, fftn all of them, unless they are named."""

    def change(given: Given, x: Tensor, shape: Shape) -> Answer:
        rank, dtype = len(shape), spectrum_dtype(given, x, out)
        if takes == "real" and x.dtype is not None and category(x.dtype) == 3:
            return refused(Broken("dtype", "input", wanted="real", got=x.dtype, because=x))
        axes = tuple(range(rank)) if count is None else tuple(range(rank - count, rank))
        if not is_none(given, "dim"):
            found = axes_of(given, "dim", rank)
            if isinstance(found, Broken):
                return refused(found)
            if found is None:
                return Tensor(None, None, dtype, x.device)
            axes = found
        if any(axis < 0 for axis in axes):
            return refused(Broken("rank", "input", wanted=f"{count}-d or more", got=f"{rank}-d", because=x))
        if not is_none(given, "s") or not axes:
            return Tensor(None, None, dtype, x.device)
        sizes = list(shape)
        sizes[axes[-1]] = length_of(given, sizes[axes[-1]], None, out)
        return Tensor(tuple(sizes), None, dtype, x.device)

    return of_tensor(change)


for _name, _takes, _out in (
    ("fft", "any", "full"),
    ("ifft", "any", "full"),
    ("rfft", "real", "half"),
    ("irfft", "any", "whole"),
):
    function(f"torch.fft.{_name}2", "input s dim norm", several_axes(2, _takes, _out))
    function(f"torch.fft.{_name}n", "input s dim norm", several_axes(None, _takes, _out))
for _name in ("fftshift", "ifftshift"):
    function(f"torch.fft.{_name}", "input dim", of_tensor(lambda given, x, shape: flat(x)))


def _frequencies(half: bool) -> Returns:
    def returns(given: Given) -> Answer:
        n = given.dim("n")
        size = given.fresh("n") if n is None else n // 2 + 1 if half else n
        asked = dtype_argument(given)
        return made(given, (size,), default_dtype(given) if asked == "" else asked)

    return returns


function("torch.fft.fftfreq", f"n d {OPTIONS}", _frequencies(False), grad="leaf")
function("torch.fft.rfftfreq", f"n d {OPTIONS}", _frequencies(True), grad="leaf")


def _stft(given: Given) -> Answer:
    """(samples) or (batch, samples) -> (..., n_fft//2 + 1, frames), complex."""
    x, width = given["input"], given.dim("n_fft")
    if not isinstance(x, Tensor) or x.shape is None:
        return Tensor()
    if len(x.shape) not in (1, 2):
        return refused(Broken("rank", "input", wanted="1-d or 2-d", got=f"{len(x.shape)}-d", because=x))
    if (
        width is None
        or flag(given, "return_complex") is not True
        or x.dtype is None
        or category(x.dtype) != 2
    ):
        return Tensor()
    hop = width // 4 if is_none(given, "hop_length") else given.dim("hop_length")
    bins = {True: width // 2 + 1, False: width}.get(flag(given, "onesided", True))  # type: ignore[arg-type]
    centred = flag(given, "center", True)
    frames = given.fresh("frames")
    if hop is not None and centred is not None:
        samples = x.shape[-1] + (width // 2) * 2 if centred else x.shape[-1]
        frames = (samples - width) // hop + 1
    shape = (*x.shape[:-1], given.fresh("bins") if bins is None else bins, frames)
    return Outcome(Tensor(shape, None, complex_of(x.dtype), x.device))


WINDOWS = "input n_fft hop_length win_length window center pad_mode normalized onesided return_complex"
both("stft", WINDOWS, _stft)


def _as_pairs(given: Given, x: Tensor, shape: Shape) -> Answer:
    """A complex tensor seen as pairs of real numbers, along a last axis."""
    if x.dtype is not None and category(x.dtype) != 3:
        return refused(Broken("dtype", "input", wanted="complex", got=x.dtype, because=x))
    strides = None if x.strides is None else (*[step * 2 for step in x.strides], Dim.of(1))
    found = laid_out(x, (*shape, Dim.of(2)), strides)
    return Tensor(found.shape, found.strides, None if x.dtype is None else real_part(x.dtype), x.device)


def _as_complex(given: Given, x: Tensor, shape: Shape) -> Answer:
    """Pairs of real numbers along the last axis, seen as complex ones."""
    if not shape or shape[-1].same_as(2).fails:
        got = shape[-1] if shape else "0-d"
        return refused(Broken("axis", "input", "-1", Dim.of(2), got, x))
    if x.dtype is not None and category(x.dtype) != 2:
        return refused(Broken("dtype", "input", wanted="floating point", got=x.dtype, because=x))
    flat_strides = x.strides == contiguous_strides(shape)
    strides = contiguous_strides(shape[:-1]) if flat_strides else None
    return Tensor(shape[:-1], strides, None if x.dtype is None else complex_of(x.dtype), x.device)


function("torch.view_as_real", "input", of_tensor(_as_pairs), view="input")
function("torch.view_as_complex", "input", of_tensor(_as_complex), view="input")
