"""What a call does to the world besides returning: the verbs that ops declare and the interpreter carries
out.
"""

from __future__ import annotations

from torchwise.domain.value import Region, Shape, Value
from torchwise.record import record


@record
class Effect:
    """Base of all effects."""


@record
class Write(Effect):
    """The storage of a tensor is changed in place: its version goes up."""

    target: Value


@record
class Update(Effect):
    """The tensor itself becomes another value under all its names: `requires_grad_`, `t_`, `resize_`,
    `x.data = y`.
    """

    target: Value
    becomes: Value


@record
class Learn(Effect):
    """The call could not have worked unless the tensor had this shape (symbols for unknown sizes)."""

    target: Value
    shape: Shape


@record
class Backward(Effect):
    """Gradients flow from `root` to its leaves; unless `keep`, the graph is freed.

    `stores`: not for autograd.grad, which returns them. `into`: the only leaves that receive, None for all.
    """

    root: Value
    keep: bool = False
    stores: bool = True
    into: Value | None = None


@record
class ClearGrads(Effect):
    """`zero_grad` of an optimizer, module or tensor; None is the gradients of everything. `zeros`: they may
    be set to zeros, and not taken away.
    """

    target: Value
    zeros: bool = False


@record
class Step(Effect):
    """An optimizer uses the gradients of its parameters and writes to the parameters. `unscales`: divides
    them by the scale of their loss before.
    """

    optimizer: Value
    unscales: bool = False


@record
class Clip(Effect):
    """The gradients of the parameters are made smaller."""

    parameters: Value


@record
class Unscale(Effect):
    """The gradients that an optimizer is to use are divided by the scale of their loss."""

    optimizer: Value


@record
class SetGrad(Effect):
    """A gradient that was worked out by hand: nothing is known of it."""

    target: Value


@record
class SetMark(Effect):
    """Typestate of an object; `deep` goes to every module inside it too (train, eval)."""

    target: Value
    name: str
    value: object
    deep: bool = False


@record
class SetAttrOf(Effect):
    target: Value
    name: str
    value: Value


@record
class SetItems(Effect):
    """A container's elements: `items` None where they are unknown from now on (`each` covers them)."""

    target: Value
    items: tuple[Value, ...] | None
    each: Value | None = None


@record
class ReplaceTensors(Effect):
    """Every parameter and buffer of a module changes: `.to(device)`, `.half()`, `.requires_grad_(False)`.

    Fields left None stay as they are.
    """

    target: Value
    dtype: str | None = None
    device: str | None = None
    requires_grad: bool | None = None
    memory_format: str | None = None


@record
class EnterRegion(Effect):
    """From here on, or for a with block, code runs under the region."""

    region: Region


@record
class Escape(Effect):
    """The value is handed to code that nothing is known of: its typestate is unknown from here on."""

    target: Value


@record
class Invoke(Effect):
    """The call calls a function in its turn: `optimizer.step(closure)`, hooks, `checkpoint(fn, x)`."""

    func: Value
    args: tuple[Value, ...] = ()
    again: bool = False  # what it makes is not what the first call made
    hands_on: bool = True  # what it returns is what the call returns, where that is not known
    uses: bool = False  # what it returns is used, so that None would not do
    named: tuple[tuple[str, Value], ...] = ()


@record
class LookInto(Effect):
    """The call registers a hook that is called later, with what nobody knows. `how`: the method that does."""

    func: Value
    how: str


@record
class Keep(Effect):
    """The result keeps those parameters for which a function says so, as with `filter`."""

    func: Value
    iterable: Value


@record
class Each(Effect):
    """A function is called once for each row of arguments, as `map` does; the results are the call's.

    `whole`: the rows are all there are, in order; otherwise one row covers each of them.
    """

    func: Value
    rows: tuple[tuple[Value, ...], ...]
    whole: bool
