"""What a call teaches of a tensor of unknown shape: it would not work unless the tensor had so many axes."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.effects import Effect, Learn
from torchwise.domain.value import Tensor
from torchwise.ops.spec import Given

Lesson = tuple[Tensor, tuple[Effect, ...]]


def of_rank(given: Given, name: str, x: Tensor, rank: int) -> Lesson:
    """The tensor with so many axes, of lengths that nobody named; as it is, where its shape is known."""
    return of_sizes(given, name, x, (None,) * rank)


def of_sizes(given: Given, name: str, x: Tensor, sizes: tuple[Dim | None, ...]) -> Lesson:
    """The same, where some lengths are known."""
    if x.shape is not None:
        return x, ()
    shape = tuple(given.fresh(f"{name}{i}") if size is None else size for i, size in enumerate(sizes))
    known = Tensor(shape, None, x.dtype, x.device, id=x.id, storage=x.storage)
    return known, () if x.id is None else (Learn(x, shape),)
