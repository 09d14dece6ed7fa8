"""Axes written down: `"*b n k, *b k m -> *b n m"` says what two operands must agree on, and what comes out.

A name is one axis, `*name` any number of them, which are broadcast together; a number is a length. A name
that is used twice must have one length: where that is refuted, the axis with that name is broken.
"""

from __future__ import annotations

from dataclasses import dataclass

from torchwise.domain.device import clashing, same_device
from torchwise.domain.dim import Dim
from torchwise.domain.shape import broadcast, contiguous_strides, differ
from torchwise.domain.value import Shape, Tensor
from torchwise.ops.rows import Answer
from torchwise.ops.spec import Broken, Given, Outcome, Returns
from torchwise.record import record


@record
class Pattern:
    """The axes of one tensor: those before and behind the one that stands for any number, and its name."""

    before: tuple[str, ...]
    star: str | None = None
    behind: tuple[str, ...] = ()

    @property
    def least(self) -> int:
        return len(self.before) + len(self.behind)


@dataclass(slots=True)
class Lengths:
    """What the names were found to be. Filled while one call is worked out."""

    names: dict[str, Dim]
    stars: dict[str, Shape | None]
    broken: tuple[Broken, ...] = ()


def pattern(text: str) -> Pattern:
    names = text.split()
    at = next((i for i, name in enumerate(names) if name[0] == "*"), None)
    if at is None:
        return Pattern(tuple(names))
    return Pattern(tuple(names[:at]), names[at][1:], tuple(names[at + 1 :]))


def by_axes(axes: str, names: tuple[str, ...]) -> Returns:
    """A function of the call for axes in this notation; the inputs are the first parameters in order."""
    left, _, right = axes.partition("->")
    inputs = tuple(zip(names, map(pattern, left.split(","))))
    output = pattern(right)

    def returns(given: Given) -> Answer:
        found = Lengths({}, {})
        tensors: list[Tensor] = []
        for name, wanted in inputs:
            tensor = given.tensor(name)
            if tensor is not None:
                tensors.append(tensor)
                _match(given, name, tensor, wanted, found)
        if len(tensors) < len(inputs):
            return Outcome(Tensor(), found.broken)
        shape = None if found.broken else _filled(given, output, found)
        dtype, device, clash = agreed(given, [(n, given.tensor(n)) for n, _ in inputs])
        strides = None if shape is None else contiguous_strides(shape)
        return Outcome(Tensor(shape, strides, dtype, device), found.broken + clash)

    return returns


def agreed(
    given: Given, tensors: list[tuple[str, Tensor | None]]
) -> tuple[str | None, str | None, tuple[Broken, ...]]:
    """One dtype and one device of operands that are not promoted, and the clash where they differ."""
    first = tensors[0][1]
    if first is None:
        return None, None, ()
    dtype, device = first.dtype, first.device
    broken: tuple[Broken, ...] = ()
    for name, tensor in tensors[1:]:
        if tensor is None:
            continue
        if dtype is not None and tensor.dtype is not None and tensor.dtype != dtype and not given.regions:
            broken = (*broken, Broken("dtype", name, wanted=dtype, got=tensor.dtype, because=first))
        if clashing(device, tensor.device):
            broken = (*broken, Broken("device", name, wanted=device, got=tensor.device, because=first))
        dtype = dtype if tensor.dtype == dtype else None
        device = device or tensor.device if same_device(device, tensor.device) is not False else None
    return (None if given.regions else dtype), device, broken


def _match(given: Given, param: str, tensor: Tensor, wanted: Pattern, found: Lengths) -> None:
    shape = tensor.shape
    if shape is None:
        if wanted.star is not None:
            found.stars[wanted.star] = None
        return
    if len(shape) < wanted.least or (wanted.star is None and len(shape) > wanted.least):
        text = f"{wanted.least}-d" + (" or more" if wanted.star is not None else "")
        found.broken += (Broken("rank", param, wanted=text, got=f"{len(shape)}-d", because=tensor),)
        return
    behind = len(shape) - len(wanted.behind)
    for name, size in (*zip(wanted.before, shape), *zip(wanted.behind, shape[behind:])):
        _same(param, name, size, tensor, found)
    if wanted.star is not None:
        _together(param, wanted.star, shape[len(wanted.before) : behind], tensor, found)


def _same(param: str, name: str, size: Dim, tensor: Tensor, found: Lengths) -> None:
    known = Dim.of(int(name)) if name.isdigit() else found.names.get(name)
    if known is None or known == size:
        found.names.setdefault(name, size)
    elif differ(known, size):
        found.broken += (Broken("axis", param, name, known, size, tensor),)
    elif known.number is None and (size.number is not None or known.hidden):
        found.names[name] = size


def _together(param: str, star: str, sizes: Shape, tensor: Tensor, found: Lengths) -> None:
    if star not in found.stars:
        found.stars[star] = sizes
        return
    known = found.stars[star]
    if known is None or known == sizes:
        return
    both, clash = broadcast((known, sizes))
    if clash is not None:
        axis, wanted, got = clash
        found.broken += (Broken("broadcast", param, str(axis), wanted, got, tensor),)
    found.stars[star] = None if clash else both


def _lengths(given: Given, names: tuple[str, ...], found: Lengths) -> Shape:
    known = found.names
    return tuple(known[n] if n in known else Dim.of(int(n)) if n.isdigit() else given.fresh(n) for n in names)


def _filled(given: Given, output: Pattern, found: Lengths) -> Shape | None:
    """The result's shape, with fresh symbols for axes that no input told."""
    star = () if output.star is None else found.stars.get(output.star)
    if star is None:
        return None
    before, behind = (_lengths(given, names, found) for names in (output.before, output.behind))
    return before + star + behind
