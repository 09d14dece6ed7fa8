"""What a version of torch offers: which names and arguments it has lost, and which it does not have yet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from torchwise.facts import TorchFacts, facts_for, release, versions

# Seen with torch 2.12 and 2.13, where stubs tell otherwise: these took the argument and do not any more.
TAKEN = {"2.12": {"torch.full": frozenset(("names",)), "torch.tensor": frozenset(("names",))}}
DIMENSION_NAME = re.compile(r"[Dd]im[Nn]ame|(^|_)names(_|$)")


@dataclass(frozen=True)
class Absence:
    """`other` is a version that has what the judged one lacks."""

    version: str
    other: str

    @property
    def told(self) -> str:
        if release(self.other) < release(self.version):
            return f"torch {self.version} has it no more"
        return f"torch {self.version} does not have it yet: it came with {self.other}"


def facts_of(torch: str | None) -> TorchFacts:
    """The facts of a version; None is the newest."""
    return facts_for(torch or versions()[-1])


def others(torch: str | None) -> list[tuple[TorchFacts, Absence]]:
    """The other versions, the nearest last, so that it is the one that is spoken of."""
    here = facts_of(torch)
    number = release(here.version)
    there = sorted(
        (release(v) for v in versions() if release(v) != number), key=lambda v: abs(v[1] - number[1])
    )
    names = [f"{major}.{minor}" for major, minor in reversed(there)]
    return [(facts_for(v), Absence(".".join(map(str, number)), v)) for v in names]


@cache
def absent(torch: str | None) -> Mapping[str, Absence]:
    """Public names that another version has and this one has not, as calls spell them: `Tensor.align_to`."""
    here = facts_of(torch)
    return MappingProxyType({
        f"{spelled(module)}.{name}": absence
        for facts, absence in others(torch)
        for module, names in facts.names.items()
        for name in names
        if name not in here.names.get(module, ())
    })  # fmt: skip


@cache
def refused(torch: str | None) -> Mapping[str, Mapping[str, Absence]]:
    """By name, the keyword arguments that another version takes and this one does not."""
    here = facts_of(torch)
    found: dict[str, dict[str, Absence]] = {}
    for facts, absence in others(torch):
        taken = TAKEN.get(absence.other, {})
        for module, names in facts.names.items():
            for name, theirs in names.items():
                path, mine = f"{spelled(module)}.{name}", here.names.get(module, {}).get(name, ())
                more = (
                    keywords(theirs) - keywords(mine) if mine and "**" not in "".join(mine) else frozenset()
                )
                for keyword in more | taken.get(path, frozenset()):
                    found.setdefault(path, {})[keyword] = absence
    return MappingProxyType(found)


@cache
def named_dimensions(torch: str | None) -> Mapping[str, Absence]:
    """Operators that take a dimension by its name in another version, and in this one by number alone."""
    here = {operator.partition(".")[0] for operator in facts_of(torch).composites if by_name(operator)}
    return MappingProxyType({
        name: absence
        for facts, absence in others(torch)
        for name in (operator.partition(".")[0] for operator in facts.composites if by_name(operator))
        if name not in here
    })  # fmt: skip


def by_name(operator: str) -> bool:
    """`sum.dim_DimnameList`: an overload for dimensions that have names."""
    return DIMENSION_NAME.search(operator.partition(".")[2]) is not None


def spelled(module: str) -> str:
    return module.removeprefix("torch.") if module == "torch.Tensor" else module


def keywords(overloads: tuple[str, ...]) -> frozenset[str]:
    """The parameters of all overloads: of `"size, *, names, out=None"` they are size, names and out."""
    plain = (part.strip() for text in overloads for part in re.sub(r"\([^()]*\)", "", text).split(","))
    return frozenset(part.partition("=")[0] for part in plain if part and not part.startswith("*"))
