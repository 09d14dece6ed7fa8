"""One axis length: an int, a symbol, or what arithmetic makes of them; equal lengths are equal objects.

Symbols are names of the user's own (`B`), or start with "?" where nobody named the size. `(H + 2*p - k)//s +
1` stays exact (see `polynomial`). There is no solver: questions are answered by signs and divisibility, with
symbols taken to be sizes (0 or more), and HOLDS or FAILS only where the answer is the same for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

from torchwise.domain import polynomial
from torchwise.domain.polynomial import Terms
from torchwise.domain.verdict import FAILS, HOLDS, UNKNOWN, Verdict


class Dim:
    """Frozen once made. Made by `Dim.of` and by arithmetic, in which ints may take part."""

    __slots__ = ("_hash", "_symbols", "number", "terms")

    terms: Terms
    number: int | None  # the length, where it is known
    _hash: int
    _symbols: frozenset[str] | None

    def __init__(self, terms: Terms) -> None:
        """`terms` must be in normal form."""
        self.terms = terms
        self.number = polynomial.value_of(terms)
        self._hash = hash(terms)
        self._symbols = None

    @staticmethod
    def of(length: int | str) -> Dim:
        known = _KNOWN.get(length)
        if known is not None:
            return known
        terms = polynomial.unknown(length) if isinstance(length, str) else polynomial.number(int(length))
        if len(_KNOWN) > 20_000:
            _KNOWN.clear()
        made = _KNOWN[length] = Dim(terms)
        return made

    @property
    def symbols(self) -> frozenset[str]:
        if self._symbols is None:
            self._symbols = frozenset(polynomial.names(self.terms)) if self.number is None else frozenset()
        return self._symbols

    @property
    def hidden(self) -> bool:
        """Whether a size that nobody named is in it."""
        return self.number is None and any(name[0] == "?" for name in self.symbols)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Dim) and self.terms == other.terms)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return Dim, (self.terms,)

    def __add__(self, other: Dim | int) -> Dim:
        if not isinstance(other, Dim):
            other = Dim.of(other)
        a, b = self.number, other.number
        if a is not None and b is not None:
            return Dim.of(a + b)
        return other if a == 0 else self if b == 0 else Dim(polynomial.add(self.terms, other.terms))

    def __sub__(self, other: Dim | int) -> Dim:
        if not isinstance(other, Dim):
            other = Dim.of(other)
        a, b = self.number, other.number
        if a is not None and b is not None:
            return Dim.of(a - b)
        return self if b == 0 else Dim(polynomial.add(self.terms, other.terms, -1))

    def __neg__(self) -> Dim:
        return Dim.of(-self.number) if self.number is not None else Dim(polynomial.negative(self.terms))

    def __mul__(self, other: Dim | int) -> Dim:
        if not isinstance(other, Dim):
            other = Dim.of(other)
        a, b = self.number, other.number
        if a is not None and b is not None:
            return Dim.of(a * b)
        return other if a == 1 else self if b == 1 else Dim(polynomial.multiply(self.terms, other.terms))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: int) -> Dim:
        return Dim.of(other) - self

    def __pow__(self, exponent: int) -> Dim:
        """For exponents of 0 or more."""
        power = Dim.of(1)
        for _ in range(exponent):
            power = power * self
        return power

    def __floordiv__(self, other: Dim | int) -> Dim:
        """By zero it is a length that equals no other, rather than an error."""
        if not isinstance(other, Dim):
            other = Dim.of(other)
        a, b = self.number, other.number
        if b == 1:
            return self
        if a is not None and b:  # not None, and not 0
            return Dim.of(a // b)
        return Dim(polynomial.floor_divide(self.terms, other.terms))

    def __mod__(self, other: Dim | int) -> Dim:
        if not isinstance(other, Dim):
            other = Dim.of(other)
        a, b = self.number, other.number
        return Dim.of(a % b) if a is not None and b else self - other * (self // other)

    def same_as(self, other: Dim | int) -> Verdict:
        """HOLDS where they are equal for all sizes, FAILS where they are equal for none."""
        rest = self - other
        if rest.number is not None:
            return FAILS if rest.number else HOLDS
        constant, step = polynomial.constant_and_step(rest.terms)
        if constant % step:
            return FAILS
        low, high = polynomial.bounds(rest.terms)
        return FAILS if (low is not None and low > 0) or (high is not None and high < 0) else UNKNOWN

    def less_than(self, other: Dim | int) -> Verdict:
        low, high = polynomial.bounds((other - self).terms)
        if low is not None and low > 0:
            return HOLDS
        return FAILS if high is not None and high <= 0 else UNKNOWN

    def divides(self, other: Dim | int) -> Verdict:
        """Whether `other % self` is 0."""
        if not isinstance(other, Dim):
            other = Dim.of(other)
        if self.number == 0:
            return UNKNOWN
        rest = other % self
        if rest.number is not None:
            return FAILS if rest.number else HOLDS
        if self.number is None:
            return UNKNOWN
        constant, step = polynomial.constant_and_step(other.terms)
        return FAILS if constant % gcd(step, self.number) else UNKNOWN

    def with_names(self, names: Mapping[str, Dim]) -> Dim:
        """The same length with other lengths put in for symbols."""
        if self.number is not None or self.symbols.isdisjoint(names):
            return self
        return Dim(polynomial.substitute(self.terms, {name: dim.terms for name, dim in names.items()}))

    def __repr__(self) -> str:
        """Exact: different for different lengths."""
        return polynomial.text(self.terms)

    def __str__(self) -> str:
        """For people: sizes that nobody named are all "?"."""
        found = None if self.number is not None else polynomial.remainder(self.terms)
        if found is None:
            return polynomial.text(self.terms, _shown)
        rest, part = found
        text = f"{polynomial.operand(part.over, _shown)} % {polynomial.operand(part.under, _shown)}"
        return f"{Dim(rest)} + {text}" if rest else text


def _shown(name: str) -> str:
    return "?" if name[0] == "?" else name.partition("@")[0]


_KNOWN: dict[int | str, Dim] = {}
