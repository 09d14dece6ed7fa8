"""Patterns of einops: `"b (h w) c -> b h w c"` is taken apart once, and then put to shapes.

An axis that stands in brackets on the left is divided, one on the right is merged. `...` stands for the axes
that have no name. A number is an axis of that length; it is kept apart from others by a mark (`2#1`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from torchwise.domain.dim import Dim
from torchwise.domain.value import Shape
from torchwise.record import record

DOTS, MERGED_DOTS = "...", "(...)"  # alone, and in brackets
Group = tuple[str, ...]
Groups = tuple[Group, ...]


@record
class Pattern:
    left: Groups
    right: Groups
    wrong: str = ""

    def spread(self, rank: int) -> tuple[Groups, Groups] | None:
        """Both sides with a name for each axis under the dots; None where the rank does not fit."""
        named = len(self.left) - ((DOTS,) in self.left)
        if rank < named or (rank > named and (DOTS,) not in self.left):
            return None
        dots = tuple(f"{DOTS}{i}" for i in range(rank - named))
        return _spread(self.left, dots), _spread(self.right, dots)


def _spread(side: Groups, dots: Group) -> Groups:
    out: list[Group] = []
    for group in side:
        if group == (DOTS,):
            out += [(name,) for name in dots]
        else:
            out.append(tuple(name for part in group for name in (dots if part == MERGED_DOTS else (part,))))
    return tuple(out)


@lru_cache(512)
def parsed(text: str) -> Pattern:
    left, arrow, right = text.partition("->")
    if not arrow or "->" in right:
        return Pattern((), (), "a pattern has one `->`")
    one, other = groups(left), groups(right)
    if one is None or other is None:
        return Pattern((), (), "brackets do not match")
    for side in (one, other):
        names = [name for group in side for name in group]
        if len(set(names)) < len(names):
            return Pattern((), (), "a name stands twice on one side")
    dotted = [{name for group in side for name in group} & {DOTS, MERGED_DOTS} for side in (one, other)]
    if MERGED_DOTS in dotted[0]:
        return Pattern((), (), "`...` stands in brackets on the left")
    if dotted[1] and not dotted[0]:
        return Pattern((), (), "`...` stands on the right only")
    return Pattern(one, other)


def groups(text: str) -> Groups | None:
    """The axes of one side, each a group of names: `b (h w)` is b, and h with w. A 1 has no name."""
    out: list[Group] = []
    inside: list[str] | None = None
    for at, token in enumerate(text.replace("(", " ( ").replace(")", " ) ").replace("…", DOTS).split()):
        names = [] if token == "1" else [f"{token}#{at}" if token.isdigit() else token]
        if token == "(" and inside is None:
            inside = []
        elif token == ")" and inside is not None:
            out.append(tuple(inside))
            inside = None
        elif token in "()":
            return None
        elif inside is not None:
            inside += [MERGED_DOTS] if token == DOTS else names
        else:
            out.append(tuple(names))
    return None if inside is not None else tuple(out)


def number_of(name: str) -> Dim | None:
    """The length of an axis that is written as a number."""
    return Dim.of(int(name.partition("#")[0])) if name[0].isdigit() else None


@dataclass(slots=True)
class Misfit(Exception):
    """A shape that a pattern cannot be put to: the axis of the input, what it should be, and what it is."""

    axis: int
    wanted: object
    got: object


def lengths_of(left: Groups, shape: Shape, known: dict[str, Dim]) -> dict[str, Dim]:
    """The length of each name on the left, from the shape and from what was given by name."""
    found = dict(known)
    for axis, (group, size) in enumerate(zip(left, shape)):
        open_names = [name for name in group if name not in found and number_of(name) is None]
        whole = Dim.of(1)
        for name in group:
            if name not in open_names:
                whole = whole * (number_of(name) or found[name])
        if len(open_names) > 1:
            raise Misfit(axis, f"the length of `{open_names[0]}`", size)
        if not open_names and size.same_as(whole).fails:
            raise Misfit(axis, whole, size)
        if open_names:
            if whole.divides(size).fails:
                raise Misfit(axis, f"a multiple of {whole}", size)
            found[open_names[0]] = size // whole
    return found
