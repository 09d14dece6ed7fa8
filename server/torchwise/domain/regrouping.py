"""Whether a reshape keeps the axes in their order, or only a permutation would explain the shape that was
asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from torchwise.domain.shape import Shape, numel

LARGEST = 4  # axes in a block; past that nothing is said


def moved_axes(source: Shape, target: Shape) -> tuple[Shape, Shape] | None:
    """The part of both shapes in which the axes of the source would have to change places; None where they
    need not.

    (B, heads, T, size) to (B, T, heads * size): "heads, T, size" to "T, heads * size".
    """
    for old, new in _blocks(source, target):
        if 2 <= len(new) <= len(old) <= LARGEST and _only_permuted(old, new):
            return old, new
    return None


def _blocks(source: Shape, target: Shape) -> Iterator[tuple[Shape, Shape]]:
    """The shortest runs of axes with equally many elements on both sides, without axes of length 1."""
    old, new = ([d for d in shape if d.number != 1] for shape in (source, target))
    i = j = 0
    while i < len(old) and j < len(new):
        found = next(
            (
                (a, b)
                for a in range(i + 1, len(old) + 1)
                for b in range(j + 1, len(new) + 1)
                if numel(old[i:a]) == numel(new[j:b])
            ),
            None,
        )
        if found is None:
            return
        yield tuple(old[i : found[0]]), tuple(new[j : found[1]])
        i, j = found


def _only_permuted(old: Shape, new: Shape) -> bool:
    """Whether each new axis is a product of whole old ones."""
    if any(d.hidden and len(d.symbols) > 1 for d in new):
        return False
    for groups in product(range(len(new)), repeat=len(old)):
        if all(
            numel(d for d, g in zip(old, groups, strict=True) if g == at) == size
            for at, size in enumerate(new)
        ):
            return True
    return False
