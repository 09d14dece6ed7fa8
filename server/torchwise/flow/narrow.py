"""What is certain where not every path comes, and of a module that nobody is seen to make.

A function that is called with known values runs through tests that we cannot decide. Sizes and kinds that its
caller hands over may go with the outcome of such a test, so what they break behind it proves nothing.
`State.narrow` counts the tests that stand between the start and a path.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from torchwise.domain.dtype import FLOATS
from torchwise.domain.value import Pointer, Tensor, Value
from torchwise.flow.reach import reach
from torchwise.ir import nodes as ir
from torchwise.ops.spec import Broken

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

OF_WHAT_IS_HANDED_OVER = frozenset(
    ("argument", "axis", "batch", "broadcast", "device", "dim-range", "dtype", "einops", "einsum")
    + (
        "index-range",
        "kernel",
        "length",
        "one-class",
        "one-element",
        "option",
        "rank",
        "slice-step",
        "view",
        "view-size",
    )
)


def proven(
    run: Run, state: State, broken: tuple[Broken, ...], values: Mapping[str, Value]
) -> tuple[Broken, ...]:
    """What is broken for certain."""
    if broken[0].kind == "non-leaf" and _copies_itself(run, state, values):
        return ()
    if run.variant.args is None:
        return tuple([b for b in broken if not _up_to_its_user(run, b, values)])
    if not run.variant.args or not state.narrow:
        return broken
    return tuple([b for b in broken if b.kind not in OF_WHAT_IS_HANDED_OVER])


def _copies_itself(run: Run, state: State, values: Mapping[str, Value]) -> bool:
    """Whether the class of something inside says itself what of it is copied."""
    classes = {obj.cls for obj in reach(values.values(), state.heap).values() if "::" in obj.cls}
    found = [run.lookup.class_facts(cls) for cls in classes]
    keys = {key for facts in found if facts is not None for key in facts.order if "::" in key}
    own = [facts for key in keys if (facts := run.lookup.class_facts(key)) is not None]
    return any(not COPYING.isdisjoint(facts.names) for facts in own)


COPYING = frozenset(("__deepcopy__", "__getstate__", "__reduce__", "__reduce_ex__"))


def _up_to_its_user(run: Run, broken: Broken, values: Mapping[str, Value]) -> bool:
    """Between a float and a module's own: whoever makes the module may cast it, and is not seen here."""
    if broken.kind != "dtype" or run.variant.owner is None:
        return False
    if broken.got not in FLOATS or broken.wanted not in FLOATS:
        return False
    own = run.lookup.instance(run.variant.owner).heap
    if any(isinstance(v, Pointer) and v.to in own for v in values.values()):
        return True
    learned = {
        v.storage for v in values.values() if isinstance(v, Tensor) and v.kind in ("parameter", "buffer")
    }
    return any(isinstance(a, Tensor) and a.storage in learned for o in own.values() for a in o.attrs.values())


def widen(it: ir.If, sides: list[list[State]]) -> None:
    """What comes after the test is reached by both sides, but where one has returned or gone on to the next
    turn. A side that raises only checks what it was given.
    """
    for number, side in enumerate(sides):
        others = (it.other, it.then)[number]
        checks = bool(others) and isinstance(others[-1], ir.Leave) and others[-1].kind == "raise"
        if len(sides) == 1 or sides[1 - number] or checks:
            for state in side:
                state.narrow -= 1
