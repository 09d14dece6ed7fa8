"""What the operands of a layer must agree on: dtype, device, and the length of an axis."""

from __future__ import annotations

from torchwise.domain.device import clashing, is_choice, same_device
from torchwise.domain.dim import Dim
from torchwise.domain.effects import Effect, Learn
from torchwise.domain.shape import differ
from torchwise.domain.value import Tensor, Value
from torchwise.ops.spec import Broken, Given

HALVES = ("float16", "bfloat16")
FLOATS = ("float32", "float64", *HALVES)


def axis(
    param: str, name: str, wanted: Dim | None, got: Dim | None, because: Value | None = None
) -> tuple[Broken, ...]:
    """The requirement that an axis has a certain length, where it cannot be met."""
    if wanted is None or got is None or wanted is got or not differ(wanted, got):
        return ()
    return (Broken("axis", param, name, wanted, got, because),)


def learned(x: Tensor, at: int, wanted: Dim | None) -> tuple[Effect, ...]:
    """What a call that works teaches of an axis of its input: a size, or the name of one."""
    if wanted is None or x.shape is None or x.id is None or wanted.hidden:
        return ()
    got = x.shape[at]
    if got.number is not None or not (got.hidden or wanted.number is not None):
        return ()
    shape = list(x.shape)
    shape[at] = wanted
    return (Learn(x, tuple(shape)),)


def rank(param: str, tensor: Tensor | None, *ranks: int) -> tuple[Broken, ...]:
    """The requirement that a tensor has one of these ranks."""
    if tensor is None or tensor.shape is None or len(tensor.shape) in ranks:
        return ()
    wanted = " or ".join(f"{r}-d" for r in ranks)
    return (Broken("rank", param, wanted=wanted, got=f"{len(tensor.shape)}-d", because=tensor),)


def autocast(given: Given) -> str | None:
    """The dtype that autocast would compute in, "" where it is not known; None outside of autocast."""
    for kind, mode in reversed(given.regions):
        if kind == "autocast":
            return None if mode == "off" else mode
    return None


def on_accelerator(x: Tensor) -> bool:
    """Whether a tensor is certainly not on the CPU."""
    return x.device is not None and x.device != "cpu" and not is_choice(x.device)


def layer_dtype(
    given: Given, x: Tensor, weight: Tensor | None, lowered: bool
) -> tuple[str | None, tuple[Broken, ...]]:
    """The dtype of a result that needs input and weight in one dtype, and the clash where they are not.

    `lowered`: an op that autocast runs in half precision. On the CPU only its own autocast counts, which
    the region does not tell, so nothing is said there.
    """
    cast = autocast(given)
    if cast is not None:
        known = lowered and x.dtype in ("float32", *HALVES) and on_accelerator(x)
        return (cast or None) if known else None, ()
    wanted = None if weight is None else weight.dtype
    if wanted is None or x.dtype is None or wanted == x.dtype:
        return wanted or x.dtype, ()
    return wanted, (Broken("dtype", "input", wanted=wanted, got=x.dtype, because=x),)


def elsewhere(given: Given, x: Tensor, *names: str) -> tuple[Broken, ...]:
    """The first of these arguments that is on another device than the main one."""
    for name in names:
        for other in (given.tensor(name),) if given.tensor(name) is not None else given.list(name) or ():
            if isinstance(other, Tensor) and clashing(x.device, other.device):
                return (Broken("device", name, wanted=x.device, got=other.device, because=x),)
    return ()


def layer_device(
    x: Tensor, weight: Tensor | None, strict: bool = False
) -> tuple[str | None, tuple[Broken, ...]]:
    """The device of a result, and the clash. `strict`: of one that takes no "meta" tensor with others."""
    other = None if weight is None else weight.device
    if clashing(x.device, other) or (strict and same_device(x.device, other) is False):
        return None, (Broken("device", "input", wanted=other, got=x.device, because=x),)
    return (x.device or other) if same_device(x.device, other) is not False else None, ()
