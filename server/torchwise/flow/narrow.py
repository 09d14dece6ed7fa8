"""What is certain where not every path comes.

A function that is called with known values runs through tests that we cannot decide. Sizes and kinds that its
caller hands over may go with the outcome of such a test, so what they break behind it proves nothing.
`State.narrow` counts the tests that stand between the start and a path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.ir import nodes as ir
from torchwise.ops.spec import Broken

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

OF_WHAT_IS_HANDED_OVER = frozenset(
    ("argument", "axis", "batch", "broadcast", "device", "dim-range", "dtype", "einops", "einsum")
    + ("index-range", "kernel", "length", "one-element", "option", "rank", "slice-step", "view", "view-size")
)


def proven(run: Run, state: State, broken: tuple[Broken, ...]) -> tuple[Broken, ...]:
    """What is broken for certain."""
    if not run.variant.args or not state.narrow:
        return broken
    return tuple([b for b in broken if b.kind not in OF_WHAT_IS_HANDED_OVER])


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
