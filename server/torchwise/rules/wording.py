"""How a requirement that fails is told: the user's own names, with their shapes, and what would be needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.device import accelerator, is_choice
from torchwise.domain.dim import Dim
from torchwise.domain.join import show_size
from torchwise.domain.shape import cancelled
from torchwise.domain.value import Tensor, Value

if TYPE_CHECKING:
    from torchwise.ops import Broken
    from torchwise.rules.vocabulary import Call, Operand

LONGEST = 60  # of source that is quoted in a message


def tell(call: Call, broken: Broken) -> str:
    """One sentence for the requirement that a call does not meet."""
    if broken.message:
        return broken.message
    subject, other = culprit(call, broken), companion(call, broken)
    name = quoted(subject) if subject is not None else f"`{broken.param}`"
    tensor = subject.tensor if subject is not None else None
    needs = f" that {other}" if other else ""
    got, wanted = told_both(broken.got, broken.wanted)
    match broken.kind:
        case "axis" | "broadcast" if tensor is not None and tensor.shape is not None:
            where = f"axis {broken.axis} is {got}" if is_number(broken.axis) else f"{got}"
            role = "" if is_number(broken.axis) or not broken.axis else f" ({broken.axis})"
            return f"{name} is {shape_of(tensor)}: {where} where {wanted}{role} is needed{needs}"
        case "rank" | "kernel" if tensor is not None and tensor.shape is not None:
            return f"{name} is {shape_of(tensor)}: {got} where {wanted} is needed{needs}"
        case "dtype":
            return f"{name} is {got} where {wanted} is needed{needs}"
        case "device":
            return f"{name} is on {device_of(got)}, but {device_of(wanted)} is needed{needs}"
    return f"{name} is {got} where {wanted} is needed{needs}"


def device_of(name: object) -> str:
    """Of a choice, the one that is not the CPU."""
    return accelerator(str(name)) if is_choice(name) else str(name)


def culprit(call: Call, broken: Broken) -> Operand | None:
    return call[broken.param]


def companion(call: Call, broken: Broken) -> str:
    """What asks for it: the other operand with its shape, or the layer."""
    layer = call["self"]
    if layer is not None and layer.is_module:
        return f"`{short(layer.text)}` takes"
    other = next((o for o in call.operands if o.param != broken.param and _is(o, broken.because)), None)
    if other is None:
        return ""
    tensor = other.tensor
    if tensor is None or broken.kind in ("dtype", "device"):
        return f"goes with {quoted(other)}"
    return (
        f"goes with {quoted(other)} of shape {shape_of(tensor)}"
        if tensor.shape is not None
        else f"goes with {quoted(other)}"
    )


def _is(operand: Operand, value: Value | None) -> bool:
    return value is not None and any(v is value or v == value for v in operand.values)


def quoted(operand: Operand) -> str:
    return f"`{short(operand.text)}`"


def short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."


def shape_of(tensor: Tensor) -> str:
    """(32, 7, ?)"""
    shown = [show_size(d) for d in tensor.shape or ()]
    return f"({shown[0]},)" if len(shown) == 1 else f"({', '.join(shown)})"


def told(what: object) -> str:
    match what:
        case Dim():
            return show_size(what)
        case tuple():
            return shape_of(Tensor(what)) if all(isinstance(d, Dim) for d in what) else str(what)
        case None:
            return "nothing"
    return str(what)


def told_both(one: object, other: object) -> tuple[str, str]:
    """Lengths that nobody named are multiples of one `n`, where that is all that tells them apart."""
    if isinstance(one, Dim) and isinstance(other, Dim) and one.hidden and other.hidden:
        a, b = cancelled(one, other)
        if a.number is not None and b.number is not None:
            return ("n" if a.number == 1 else f"{a}*n"), ("n" if b.number == 1 else f"{b}*n")
    return told(one), told(other)


def is_number(axis: str) -> bool:
    return axis.lstrip("-").isdigit()
