"""Whether two tensors lie in one memory, and in it alike."""

from __future__ import annotations

from torchwise.domain.value import Tensor, Value


def in_one_memory(mine: Value, theirs: Value) -> bool:
    both = isinstance(mine, Tensor) and isinstance(theirs, Tensor)
    return both and mine.storage is not None and mine.storage == theirs.storage  # type: ignore[attr-defined]


def laid_alike(mine: Value, theirs: Value) -> bool:
    if not isinstance(mine, Tensor) or not isinstance(theirs, Tensor):
        return False
    known = mine.shape is not None and mine.strides is not None
    return known and mine.shape == theirs.shape and mine.strides == theirs.strides
