"""What several operands make together: one shape, layout, dtype and device, as torch's TensorIterator has it.

Python numbers take part in the dtype, and count as tensors without axes. An operand that nothing is known of
makes everything unknown.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchwise.domain.device import same_device
from torchwise.domain.dim import Dim
from torchwise.domain.dtype import of_python, result_type
from torchwise.domain.shape import broadcast
from torchwise.domain.strides import elementwise_strides, preserved_strides
from torchwise.domain.value import ANY, Const, Num, Shape, ShapeOf, Some, Tensor, Value
from torchwise.ops.spec import Broken, Given
from torchwise.record import record

NUMBERS = frozenset(("bool", "int", "float", "complex"))
_NONE: frozenset[str] = frozenset()


@record
class Together:
    shape: Shape | None
    strides: Shape | None
    dtype: str | None  # what the operands are promoted to
    device: str | None
    broken: tuple[Broken, ...] = ()

    def tensor(self, dtype: str | None) -> Tensor:
        return Tensor(self.shape, self.strides, dtype, self.device)


UNKNOWN = Together(None, None, None, None)


def number_kind(value: Value) -> str | None:
    """ "int" and the like, for a python number."""
    match value:
        case Num():
            return "int"
        case Const(constant):
            kind = type(constant).__name__
            return kind if kind in NUMBERS else None
        case Some(kind):
            return kind if kind in NUMBERS else None
    return None


def default_dtype(given: Given) -> str:
    return given.defaults.get("dtype", "float32")


def together(given: Given, names: Sequence[str]) -> Together:
    """All operands of these names; those left out or None are not counted."""
    tensors: list[tuple[str, Tensor]] = []
    kinds: list[str] = []
    unclear = False
    for name in names:
        value = given.values.get(name)
        if isinstance(value, Tensor):
            tensors.append((name, value))
        elif value is not None and value != Const(None):
            kind = number_kind(value)
            if kind is None:
                unclear = True
            else:
                kinds.append(kind)
    if unclear or not tensors:
        return UNKNOWN
    if len(tensors) == 1:
        return _alone(given, tensors[0][1], kinds)
    device, apart = _device(tensors)
    dtype = promoted([t for _, t in tensors], kinds, default_dtype(given))
    shapes = [t.shape for _, t in tensors if t.shape is not None]
    if len(shapes) < len(tensors):
        return Together(None, None, dtype, device, apart)
    shape, clash = broadcast(shapes)
    if clash is not None:
        return Together(None, None, dtype, device, (*apart, _clash(tensors, clash)))
    layouts = [(t.shape or (), _strides(t, dtype, device)) for _, t in tensors]
    if kinds:
        layouts.append(((), ()))
    return Together(shape, elementwise_strides(shape, layouts), dtype, device, apart)


def _strides(tensor: Tensor, dtype: str | None, device: str | None) -> Shape | None:
    """On the CPU, operands of another dtype are converted first, which makes them dense."""
    if tensor.strides is None or tensor.shape is None or tensor.dtype == dtype or device != "cpu":
        return tensor.strides
    return preserved_strides(tensor.shape, tensor.strides)


def _alone(given: Given, tensor: Tensor, kinds: list[str]) -> Together:
    shape, strides = tensor.shape, tensor.strides
    if shape is not None:
        layouts = ((shape, strides), ((), ())) if kinds else ((shape, strides),)
        strides = elementwise_strides(shape, layouts)
    dtype = promoted([tensor], kinds, default_dtype(given)) if kinds else tensor.dtype
    return Together(shape, strides, dtype, tensor.device)


def promoted(tensors: Sequence[Tensor], kinds: Sequence[str], default: str) -> str | None:
    """The dtype that tensors and python numbers are promoted to; None where that is not known."""
    first = tensors[0].dtype
    if first is None:
        return None
    if not kinds and all(t.dtype == first for t in tensors):
        return first
    if any(t.dtype is None for t in tensors):
        return None
    numbers = frozenset([of_python(kind, default) for kind in kinds]) if kinds else _NONE
    with_axes = frozenset([t.dtype for t in tensors if t.shape])
    without = frozenset([t.dtype for t in tensors if t.shape == ()])
    unclear = [t.dtype for t in tensors if t.shape is None]
    if not unclear:
        return result_type(with_axes, without, numbers)
    either = {
        result_type(with_axes | set(unclear), without, numbers),
        result_type(with_axes, without | set(unclear), numbers),
    }
    if len(unclear) > 1:
        for dtype in unclear:
            either.add(result_type(with_axes | {dtype}, without | set(unclear), numbers))
    return either.pop() if len(either) == 1 else None


def _device(tensors: Sequence[tuple[str, Tensor]]) -> tuple[str | None, tuple[Broken, ...]]:
    """The device of all, and the clash of two. A CPU tensor without axes goes with any device."""
    first: tuple[str, Tensor] | None = None
    for name, tensor in tensors:
        if tensor.device is None:
            return None, ()
        if tensor.device == "cpu" and tensor.shape == ():
            continue
        if first is None:
            first = name, tensor
            continue
        same = same_device(first[1].device, tensor.device)
        if same is False and None not in (first[1].shape, tensor.shape):
            other = first[1].device
            return None, (Broken("device", name, wanted=other, got=tensor.device, because=first[1]),)
        if same is not True:
            return None, ()
    return tensors[0][1].device if first is None else first[1].device, ()


def _clash(tensors: Sequence[tuple[str, Tensor]], clash: tuple[int, Dim, Dim]) -> Broken:
    """The two operands that cannot be stretched to each other."""
    axis, wanted, got = clash
    for name, tensor in reversed(tensors):
        if tensor.shape is not None and len(tensor.shape) >= -axis and tensor.shape[axis] == got:
            other = next(
                (t for _, t in tensors if t.shape and len(t.shape) >= -axis and t.shape[axis] == wanted), None
            )
            return Broken("broadcast", name, str(axis), wanted, got, other)
    return Broken("broadcast", tensors[-1][0], str(axis), wanted, got, tensors[0][1])


def result_or_any(given: Given, names: Sequence[str]) -> Value:
    """What an operator gives for operands that it cannot work out: a tensor where one of them is one."""
    if any(isinstance(given.values.get(name), Tensor) for name in names):
        first = given.values.get(names[0])
        return ANY if first is ANY or isinstance(first, ShapeOf) else Tensor()
    return ANY
