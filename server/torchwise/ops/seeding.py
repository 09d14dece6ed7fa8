"""What a call that seeds a generator does: from there on the generator goes on from that value."""

from __future__ import annotations

from torchwise.domain.effects import EnterRegion
from torchwise.domain.value import ANY, NONE, Num, Region, Value
from torchwise.ops.spec import Given, Outcome, Returns


def seeds(generator: str, param: str = "seed") -> Returns:
    """generator: "torch", "numpy" or "random"; each is a region of its own, with the value as its mode."""

    def returns(given: Given) -> Outcome:
        region = Region(f"seed:{generator}", _shown(given.get(param, NONE)), given.site)
        return Outcome(ANY if generator == "torch" else NONE, (), (EnterRegion(region),))

    return returns


def _shown(value: Value) -> str:
    """ "?" where it is not known."""
    return str(value.dim) if isinstance(value, Num) and not value.dim.hidden else "?"
