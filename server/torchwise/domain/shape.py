"""Shapes and strides as torch computes them, on lengths that may be symbols.

Strides are counted in elements. Where a question depends on symbols, they are taken as *generic*: a size is
neither 0 nor 1, and two sizes that nothing relates are not equal by chance. Code that works only for a batch
of one example is broken code. A length that nobody named (`Dim.hidden`) may be anything: it makes an answer
UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from torchwise.domain.dim import Dim
from torchwise.domain.verdict import FAILS, HOLDS, UNKNOWN, Verdict

Shape = tuple[Dim, ...]
Clash = tuple[int, Dim, Dim]  # the axis, counted from the last (-1), and the two lengths

ZERO, ONE = Dim.of(0), Dim.of(1)


def numel(shape: Iterable[Dim]) -> Dim:
    total = ONE
    for size in shape:
        total = total * size
    return total


@lru_cache(4096)
def contiguous_strides(shape: Shape) -> Shape:
    return strides_in_order(shape, range(len(shape) - 1, -1, -1))


@lru_cache(1024)
def channels_last(shape: Shape) -> Shape | None:
    """The strides of a 4-d or 5-d tensor whose channels (axis 1) lie next to each other."""
    if len(shape) not in (4, 5):
        return None
    return strides_in_order(shape, (1, *range(len(shape) - 1, 1, -1), 0))


def strides_in_order(shape: Shape, order: Iterable[int]) -> Shape:
    """Dense strides; `order` lists the axes from the fastest to the slowest."""
    strides, step = [ONE] * len(shape), ONE
    for axis in order:
        strides[axis] = step
        size = shape[axis]
        if size.number != 0:  # torch counts an empty axis as 1
            step = step * size
    return tuple(strides)


def same(a: Dim, b: Dim) -> Verdict:
    """Whether two lengths are the same for generic sizes."""
    if a == b:
        return HOLDS
    if (a.number is not None and b.number is not None) or a.same_as(b).fails:
        return FAILS
    return UNKNOWN if (a - b).hidden and not _related(a, b) else FAILS


def _related(a: Dim, b: Dim) -> bool:
    """Whether one is a real multiple of the other, as a size of `?*?` is of `?`."""
    return _is_multiple(a, b) or _is_multiple(b, a)


def _is_multiple(a: Dim, b: Dim) -> bool:
    """Whether a is b times something greater than 1, for generic sizes."""
    if b.number == 0 or a == b:
        return False
    ratio = a // b
    return ratio * b == a and (ratio.number is None or ratio.number > 1)


def less(a: Dim, b: Dim) -> Verdict:
    """Whether a < b for generic sizes: all where one is a multiple of the other."""
    if a.number is not None and b.number is not None:
        return Verdict.of(a.number < b.number)
    if a == b:
        return FAILS
    verdict = a.less_than(b)
    if verdict.unknown:
        return HOLDS if _is_multiple(b, a) else FAILS if _is_multiple(a, b) else UNKNOWN
    return verdict


def broadcast(shapes: Sequence[Shape]) -> tuple[Shape, Clash | None]:
    """The shape that all are stretched to, and the first axis, from the last, where they cannot be."""
    rank = max(map(len, shapes), default=0)
    sizes: list[Dim] = []
    clash: Clash | None = None
    for axis in range(-1, -rank - 1, -1):
        size = ONE
        for shape in shapes:
            if len(shape) < -axis:
                continue
            both = stretched(size, shape[axis])
            if both is None:
                clash = clash or (axis, size, shape[axis])
                both = size
            size = both
        sizes.append(size)
    return tuple(reversed(sizes)), clash


def stretched(a: Dim, b: Dim) -> Dim | None:
    """The length of two that are broadcast together; None where none can be."""
    if a == b or b.number == 1:
        return a
    if a.number == 1:
        return b
    if a.number is not None and b.number is not None:
        return None
    if differ(a, b) and a.same_as(1).fails and b.same_as(1).fails:
        return None
    if a.number is not None:  # the other is this or 1
        return a
    if b.number is not None:
        return b
    if a.hidden != b.hidden:
        return b if a.hidden else a
    return Dim.of("?" + "|".join(sorted((repr(a), repr(b)))))


def is_contiguous(shape: Shape | None, strides: Shape | None) -> Verdict:
    return UNKNOWN if shape is None or strides is None else _is_contiguous(shape, strides)


@lru_cache(4096)
def _is_contiguous(shape: Shape, strides: Shape) -> Verdict:
    if strides == contiguous_strides(shape) or any(size.number == 0 for size in shape):
        return HOLDS
    step, answer = ONE, HOLDS
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size.number == 1:
            continue
        verdict = same(stride, step)
        if verdict.fails:
            return FAILS
        if verdict.unknown:
            answer = UNKNOWN
        step = step * size
    return answer


def infer_minus_one(total: Dim, sizes: Sequence[Dim]) -> Shape:
    """Puts the length that is left over where a size is -1."""
    known = numel(size for size in sizes if size.number != -1)
    return tuple(total // known if size.number == -1 else size for size in sizes)


def same_numel(a: Dim, b: Dim) -> Verdict:
    """Whether two numbers of elements are the same, when none of the sizes that both have is 0."""
    if a == b:
        return HOLDS
    if a.number is None or b.number is None:
        a, b = cancelled(a, b)
    return a.same_as(b)


def differ(a: Dim, b: Dim) -> bool:
    """Whether two lengths are never the same but where both are 0: `3*H` and `4*H`."""
    return same_numel(a, b).fails


def cancelled(a: Dim, b: Dim) -> tuple[Dim, Dim]:
    """Both without the sizes that all their terms share: `B*768` and `B*512` are 768 and 512."""
    terms = a.terms + b.terms
    if not a.terms or not b.terms:
        return a, b
    shared = list(terms[0][0])
    for monomial, _ in terms[1:]:
        rest = list(monomial)
        for atom in tuple(shared):
            if atom in rest:
                rest.remove(atom)
            else:
                shared.remove(atom)
    for atom in shared:
        part = Dim((((atom,), 1),))
        a, b = a // part, b // part
    return a, b


def is_dense(shape: Shape, strides: Shape) -> Verdict:
    """Whether the elements fill one block of memory without holes and overlaps, in any order of axes."""
    if strides == contiguous_strides(shape):
        return HOLDS
    order = sort_axes(shape, strides)
    if order is None:
        return UNKNOWN
    return both_same(strides, strides_in_order(shape, order), shape)


def both_same(a: Shape, b: Shape, shape: Shape) -> Verdict:
    """Whether strides are the same, on the axes where they matter."""
    answer = HOLDS
    for one, other, size in zip(a, b, shape):
        if size.number != 1:
            verdict = same(one, other)
            if verdict.fails:
                return FAILS
            answer = UNKNOWN if verdict.unknown else answer
    return answer


def sort_axes(shape: Shape, strides: Shape) -> list[int] | None:
    """The axes from the fastest to the slowest; None where that depends on unknown sizes."""
    order: list[int] = []
    for axis in range(len(shape) - 1, -1, -1):
        if shape[axis].number == 1:
            continue
        at = len(order)
        while at > 0:
            verdict = less(strides[axis], strides[order[at - 1]])
            if verdict.unknown:
                return None
            if verdict.fails:
                break
            at -= 1
        order.insert(at, axis)
    return order
