"""What breaks a graph, and what torch deprecates."""

from __future__ import annotations

import typing
from dataclasses import dataclass

from torchwise.domain.value import Region
from torchwise.facts import facts_for
from torchwise.rules import structure
from torchwise.rules.rule import ERROR

if typing.TYPE_CHECKING:
    from torchwise.rules.vocabulary.call import Call
    from torchwise.rules.vocabulary.happening import Happening
    from torchwise.rules.vocabulary.reading import Reading


@dataclass(frozen=True)
class Breaking:
    """A compiled region in which something breaks the graph. `whole`: it must be one graph, so that
    breaking fails.
    """

    @property
    def exports(self) -> bool:
        """Whether it is torch.export, which runs Python as it traces."""
        return self.region.kind == "export"

    region: Region
    whole: bool

    @property
    def more(self) -> dict[str, typing.Any]:
        """What a flag about it adds: the compiled entry as related place, and the level."""
        because = ((self.region.at, "compiled here"),) if self.region.at is not None else ()
        return {"because": because, "level": ERROR if self.whole else None}


def breaks_graph(what: Call | Happening) -> Breaking | None:
    """The compiled region that this is certainly part of; None where it is compiled nowhere, or disabled."""
    found = [r for r in what.regions if r.kind in ("compile", "export", "in-graph")]
    if not found or found[-1].mode == "disabled" or found[-1].kind == "in-graph":
        return None
    if any(r.kind == "guard" and r.mode in ("maybe", "compiling") for r in what.regions):
        return None  # not certain to run while it is traced
    return Breaking(found[-1], found[-1].mode == "fullgraph" or found[-1].kind == "export")


DRAWS = frozenset(
    f"random.{n}" for n in ("randint", "randrange", "uniform", "gauss", "random", "getrandbits")
)


def draws_in(reading: Reading, ref: int | None) -> Call | None:
    """A call of Python's `random` that an expression is made of."""
    inner = (reading.call_made(r) for r in structure.calls_within(reading.facts.scope, ref))
    return next((c for c in inner if c is not None and c.spelling in DRAWS), None)


def deprecations(removed: bool = False) -> dict[str, str | None]:
    """What this version of torch deprecates whatever the arguments are, or has removed: name, and what
    takes its place.
    """
    known = facts_for("2.13").deprecations
    return {d.name: d.replacement for d in known if d.when is None and (d.kind == "removed") is removed}
