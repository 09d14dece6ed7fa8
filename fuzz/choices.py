"""Where decisions come from: a string of bytes, or a test of Hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

Each = TypeVar("Each")


class Choices(Protocol):
    def number(self, least: int, most: int) -> int:
        """Both are included."""

    def text(self) -> str: ...


class Bytes:
    """Stateful: what is left of the bytes. Where nothing is left, every decision is the first one."""

    def __init__(self, given: bytes) -> None:
        self._given, self._at = given, 0

    def number(self, least: int, most: int) -> int:
        size = 1 if most - least < 256 else 2 if most - least < 65536 else 4
        taken = self._take(size)
        return least + int.from_bytes(taken, "little") % (most - least + 1)

    def text(self) -> str:
        return self._take(self.number(0, 40)).decode("utf-8", "surrogateescape")

    def _take(self, size: int) -> bytes:
        taken = self._given[self._at : self._at + size]
        self._at += size
        return taken


class Drawn:
    """From Hypothesis, which can draw less and less until only what matters is left."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def number(self, least: int, most: int) -> int:
        return self._data.draw(st.integers(least, most))

    def text(self) -> str:
        return self._data.draw(st.text(st.characters(codec=None), max_size=40))


def one_of(choices: Choices, these: Sequence[Each]) -> Each:
    return these[choices.number(0, len(these) - 1)]


def often(choices: Choices, out_of: int) -> bool:
    """Once in so many; never where the bytes have come to their end."""
    return choices.number(0, out_of - 1) == out_of - 1


def shuffled(choices: Choices, these: Sequence[Each]) -> list[Each]:
    left: list[Any] = list(these)
    return [left.pop(choices.number(0, len(left) - 1)) for _ in these]
