"""Numbers for the turns of loops: one says the turn of the innermost loop and of all loops around it."""

from __future__ import annotations

MAX_UNROLLED = 16  # turns of a loop over values that are all known
FEW = 2  # turns that any loop has
_BASE = MAX_UNROLLED + 2


def inside(outer: int, number: int) -> int:
    """The turn `number`, from 1, of a loop that runs in the turn `outer`; 0 is outside of all loops."""
    return outer * _BASE + number


def around(turn: int) -> set[int]:
    """A turn, and the turns of the outer loops that it is a part of."""
    found = {turn}
    while turn:
        turn //= _BASE
        found.add(turn)
    return found
