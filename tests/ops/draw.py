"""Arguments drawn at random: shapes, tensors in any layout, dtypes, axes."""

from __future__ import annotations

import random

import torch

from tests.ops.judge import Drawn, tensor

DTYPES = (
    torch.float32,
    torch.float64,
    torch.int64,
    torch.int32,
    torch.uint8,
    torch.bool,
    torch.complex64,
    torch.bfloat16,
)
USUAL = (torch.float32,) * 5 + (torch.int64, torch.bool, torch.float64)


class Draw(random.Random):
    """A source of arguments; equal seeds give equal arguments."""

    def maybe(self, chance: float) -> bool:
        return self.random() < chance

    def size(self) -> int:
        return self.choice((2, 3, 5, 2, 3, 5, 1, 7, 0 if self.maybe(0.3) else 4))

    def shape(self, least: int = 0, most: int = 4) -> tuple[int, ...]:
        return tuple(self.size() for _ in range(self.randint(least, most)))

    def dtype(self) -> torch.dtype:
        return self.choice(USUAL) if self.maybe(0.8) else self.choice(DTYPES)

    def tensor(
        self, shape: tuple[int, ...] | None = None, dtype: torch.dtype | None = torch.float32, high: int = 2
    ) -> Drawn:
        return tensor(self.shape() if shape is None else shape, dtype or self.dtype(), self, high)

    def index(self, shape: tuple[int, ...], high: int) -> Drawn:
        """Indices from 0 up to high."""
        return tensor(shape, torch.int64, self, max(high, 1))

    def axis(self, rank: int) -> int:
        """An axis, rarely one that is not there."""
        count = max(rank, 1) + (1 if self.maybe(0.08) else 0)
        return self.randrange(-count, count)

    def axes(self, rank: int, most: int = 4) -> tuple[int, ...]:
        """Some axes, rarely one twice or one that is not there."""
        if self.maybe(0.1):
            return tuple(self.axis(rank) for _ in range(self.randint(0, 2)))
        chosen = self.sample(range(rank), self.randint(0, min(rank, most)))
        return tuple(axis - rank if self.maybe(0.4) else axis for axis in chosen)

    def stretched(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape that is broadcast with this one, mostly."""
        cut = shape[self.randint(0, len(shape)) :] if self.maybe(0.3) else shape
        out = [1 if self.maybe(0.2) else size for size in cut]
        if out and self.maybe(0.06):
            out[self.randrange(len(out))] += 2
        return tuple(out)
