"""One axis length: an int, a symbol, or what arithmetic makes of them; equal lengths are equal objects.

A `Dim` is a polynomial with integer coefficients. Its unknowns are symbols (names of the user's own, `B`) and
quotients (`(H + 1)//2`), so that `(H + 2*p - k)//s + 1` stays exact. There is one normal form:

- terms stand in a fixed order, and no coefficient is zero;
- what divides evenly is pulled out of a quotient: `(2*H + 3)//2` is `H + 1`, and `(H//2)//2` is `H//4`;
- a remainder is written with a quotient: `a % b` is `a - b*(a//b)`, so `b*(a//b) + a % b` is `a`.

There is no solver. Questions are answered by signs and divisibility, with symbols taken to be sizes (0 or more),
and divisors not to be zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from itertools import chain
from math import gcd

from torchwise.domain.verdict import FAILS, HOLDS, UNKNOWN, Verdict

Monomial = tuple[str, ...]  # sorted, with repetitions: H*H*W is ("H", "H", "W"), and a constant is ()
Terms = tuple[tuple[Monomial, int], ...]
MOST_TERMS, LONGEST = 24, 300  # past that a length is opaque


class Quotient(str):
    """A floor division that does not come out even, as an unknown. As a string it is its own sort key."""

    over: Dim
    under: Dim

    @staticmethod
    def of(over: Dim, under: Dim) -> Quotient:
        made = Quotient(f"~{over!r}//{under!r}")  # "~" sorts behind all names
        made.over, made.under = over, under
        return made

    def __reduce__(self) -> tuple[object, ...]:
        return Quotient.of, (self.over, self.under)


class Dim:
    """Frozen: nothing changes after it is made. Made by `Dim.of` and arithmetic, in which ints may take part."""

    __slots__ = ("_hash", "_symbols", "number", "terms")

    terms: Terms
    number: int | None  # the length, where it is known
    _hash: int
    _symbols: frozenset[str] | None

    def __init__(self, terms: Terms) -> None:
        """`terms` must be in normal form."""
        self.terms = terms
        self.number = 0 if not terms else terms[0][1] if not terms[0][0] else None
        self._hash = hash(terms)
        self._symbols = None

    @staticmethod
    def of(length: int | str) -> Dim:
        known = _KNOWN.get(length)
        if known is not None:
            return known
        if isinstance(length, str):
            made = Dim((((length,), 1),))
        else:
            made = Dim((((), int(length)),) if length else ())
        if len(_KNOWN) > 20_000:
            _KNOWN.clear()
        _KNOWN[length] = made
        return made

    @property
    def symbols(self) -> frozenset[str]:
        if self._symbols is None:
            self._symbols = frozenset(_symbols(self.terms)) if self.number is None else frozenset()
        return self._symbols

    @property
    def hidden(self) -> bool:
        """Whether a size that nobody named is in it."""
        return self.number is None and any(name.startswith("?") for name in self.symbols)

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
        if a == 0:
            return other
        return self if b == 0 else _made(_sum(dict(self.terms), other.terms, 1))

    def __sub__(self, other: Dim | int) -> Dim:
        if not isinstance(other, Dim):
            other = Dim.of(other)
        a, b = self.number, other.number
        if a is not None and b is not None:
            return Dim.of(a - b)
        return self if b == 0 else _made(_sum(dict(self.terms), other.terms, -1))

    def __neg__(self) -> Dim:
        return Dim.of(-self.number) if self.number is not None else Dim(tuple((m, -c) for m, c in self.terms))

    def __mul__(self, other: Dim | int) -> Dim:
        if not isinstance(other, Dim):
            other = Dim.of(other)
        a, b = self.number, other.number
        if a is not None and b is not None:
            return Dim.of(a * b)
        if a == 1:
            return other
        if b == 1:
            return self
        return _made(_product(self.terms, other.terms))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: int) -> Dim:
        return Dim.of(other) - self

    def __floordiv__(self, other: Dim | int) -> Dim:
        if not isinstance(other, Dim):
            other = Dim.of(other)
        a, b = self.number, other.number
        if b == 1:
            return self
        if a is not None and b:  # not None, and not 0
            return Dim.of(a // b)
        return _quotient(self, other)

    def __mod__(self, other: Dim | int) -> Dim:
        if not isinstance(other, Dim):
            other = Dim.of(other)
        a, b = self.number, other.number
        if a is not None and b:
            return Dim.of(a % b)
        return self - other * (self // other)

    def same_as(self, other: Dim | int) -> Verdict:
        """HOLDS where they are equal for all sizes, FAILS where they are equal for none."""
        rest = self - other
        if rest.number is not None:
            return FAILS if rest.number else HOLDS
        constant, step = _constant(rest.terms), gcd(*(c for m, c in rest.terms if m))
        if constant % step:
            return FAILS
        low, high = _bounds(rest)
        return FAILS if (low is not None and low > 0) or (high is not None and high < 0) else UNKNOWN

    def less_than(self, other: Dim | int) -> Verdict:
        low, high = _bounds((other if isinstance(other, Dim) else Dim.of(other)) - self)
        if low is not None and low > 0:
            return HOLDS
        return FAILS if high is not None and high <= 0 else UNKNOWN

    def divides(self, other: Dim | int) -> Verdict:
        """Whether `other % self` is 0."""
        if not isinstance(other, Dim):
            other = Dim.of(other)
        rest = other % self
        if rest.number is not None:
            return FAILS if rest.number and self.number != 0 else HOLDS if self.number != 0 else UNKNOWN
        if self.number:
            constant, step = _constant(other.terms), gcd(self.number, *(c for m, c in other.terms if m))
            return FAILS if constant % step else UNKNOWN
        return UNKNOWN

    def with_names(self, names: Mapping[str, Dim]) -> Dim:
        """The same length with other lengths put in for symbols."""
        if self.number is not None or self.symbols.isdisjoint(names):
            return self
        total = ZERO
        for monomial, coefficient in self.terms:
            part = Dim.of(coefficient)
            for atom in monomial:
                part = part * _substituted(atom, names)
            total = total + part
        return total

    def __repr__(self) -> str:
        """Exact, and different for different lengths."""
        return _text(self, str)

    def __str__(self) -> str:
        """For people: sizes that nobody named are all "?"."""
        rest, remainder = _remainder(self)
        if remainder is None:
            return _text(self, _shown)
        text = f"{_operand(remainder.over, _shown)} % {_operand(remainder.under, _shown)}"
        return text if rest.number == 0 else f"{rest} + {text}"


_KNOWN: dict[int | str, Dim] = {}
ZERO, ONE = Dim.of(0), Dim.of(1)


def _order(term: tuple[Monomial, int]) -> tuple[int, Monomial]:
    return -len(term[0]), term[0]


def _unknown(atom: str) -> Dim:
    return _opaque(atom) if len(atom) > LONGEST else Dim((((atom,), 1),))


def _opaque(text: str) -> Dim:
    """What has grown too long to calculate with: a hidden symbol, the same one for the same text."""
    return Dim.of("?" + blake2b(text.encode(), digest_size=8).hexdigest())


def _made(sums: dict[Monomial, int]) -> Dim:
    terms = [term for term in sums.items() if term[1]]
    if len(terms) > 1:
        terms.sort(key=_order)
        if len(terms) > MOST_TERMS or len(terms[0][0]) > MOST_TERMS:
            return _opaque(repr(terms))
    return Dim(tuple(terms))


def _sum(sums: dict[Monomial, int], terms: Terms, sign: int) -> dict[Monomial, int]:
    for monomial, coefficient in terms:
        sums[monomial] = sums.get(monomial, 0) + sign * coefficient
    return sums


def _product(a: Terms, b: Terms) -> dict[Monomial, int]:
    sums: dict[Monomial, int] = {}
    for m, c in a:
        for n, d in b:
            both = tuple(sorted(m + n)) if m and n else m or n
            sums[both] = sums.get(both, 0) + c * d
    return sums


def _constant(terms: Terms) -> int:
    return terms[-1][1] if terms and not terms[-1][0] else 0


def _without(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """The monomial divided by another, None where that does not come out even."""
    rest = list(monomial)
    for atom in divisor:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def _quotient(over: Dim, under: Dim) -> Dim:
    """Floor division, where at least one side is symbolic or the divisor is zero."""
    if not under.terms:
        return _unknown(Quotient.of(over, under))
    if under.terms[0][1] < 0:
        over, under = -over, -under
    even, rest = _divided(over, under)
    if not rest.terms:
        return even
    if rest.number is not None and under.number is not None:
        return even + rest.number // under.number
    over, under = _reduced(rest, under)
    if under.number == 1:
        return even + over
    nested = _nested(over, under)
    if nested is not None:
        return even + nested
    return even + _unknown(Quotient.of(over, under))


def _divided(over: Dim, under: Dim) -> tuple[Dim, Dim]:
    """Polynomial division: over == even * under + rest."""
    lead, factor = under.terms[0]
    even: dict[Monomial, int] = {}
    kept: dict[Monomial, int] = {}
    left = dict(over.terms)
    while left:
        monomial = min(left, key=lambda m: (-len(m), m))
        coefficient = left.pop(monomial)
        share = _without(monomial, lead)
        times = coefficient // factor if share is not None else 0
        if share is not None and times:
            even[share] = even.get(share, 0) + times
            coefficient -= times * factor
            for m, c in _product(((share, times),), under.terms[1:]).items():
                left[m] = left.get(m, 0) - c
        if coefficient:
            kept[monomial] = kept.get(monomial, 0) + coefficient
    return _made(even), _made(kept)


def _reduced(over: Dim, under: Dim) -> tuple[Dim, Dim]:
    """Divides both by what they have in common: `(H*W)//(H*C)` is `W//C`, `(4*H + 3)//6` is `(2*H + 1)//3`."""
    if under.number is not None:
        step = gcd(under.number, *(c for m, c in over.terms if m))
        terms = tuple((m, c // step) for m, c in over.terms)
        return Dim(tuple(t for t in terms if t[1])), Dim.of(under.number // step)
    every = over.terms + under.terms
    step = gcd(*(c for _, c in every))
    shared = list(every[0][0])
    for monomial, _ in every[1:]:
        rest = list(monomial)
        shared = [atom for atom in shared if atom in rest and not rest.remove(atom)]  # type: ignore[func-returns-value]
    if step == 1 and not shared:
        return over, under
    part = tuple(shared)
    return (
        _made({_without(m, part) or (): c // step for m, c in over.terms}),
        _made({_without(m, part) or (): c // step for m, c in under.terms}),
    )


def _nested(over: Dim, under: Dim) -> Dim | None:
    """`(x//a + c)//b` is `(x + a*c)//(a*b)`, for positive numbers a and b."""
    (monomial, coefficient), constant = over.terms[0], _constant(over.terms)
    if under.number is None or coefficient != 1 or len(monomial) != 1 or len(over.terms) > 1 + bool(constant):
        return None
    inner = monomial[0]
    if not isinstance(inner, Quotient) or not inner.under.number or inner.under.number < 0:
        return None
    return (inner.over + inner.under * constant) // (inner.under * under)


def _bounds(dim: Dim) -> tuple[int | None, int | None]:
    """The least and the greatest that it can be, None where there is no bound."""
    low: int | None = 0
    high: int | None = 0
    for monomial, coefficient in dim.terms:
        least, most = 1, 1 if not monomial else None
        for atom in monomial:
            start = _least(atom)
            if start is None or start < 0:
                return None, None
            least *= start
        if coefficient > 0:
            low = None if low is None else low + coefficient * least
            high = None if high is None or most is None else high + coefficient
        else:
            low = None if low is None or most is None else low + coefficient
            high = None if high is None else high + coefficient * least
    return low, high


def _least(atom: str) -> int | None:
    if not isinstance(atom, Quotient):
        return 0
    low, _ = _bounds(atom.over)
    if low is None:
        return None
    if atom.under.number is not None:
        return low // atom.under.number if atom.under.number else None
    return 0 if low >= 0 and (_bounds(atom.under)[0] or 0) >= 0 and _bounds(atom.under)[0] is not None else None


def _symbols(terms: Terms) -> Iterable[str]:
    for monomial, _ in terms:
        for atom in monomial:
            if isinstance(atom, Quotient):
                yield from atom.over.symbols
                yield from atom.under.symbols
            else:
                yield atom


def _substituted(atom: str, names: Mapping[str, Dim]) -> Dim:
    if isinstance(atom, Quotient):
        return atom.over.with_names(names) // atom.under.with_names(names)
    return names[atom] if atom in names else Dim.of(atom)


def _shown(name: str) -> str:
    return "?" if name.startswith("?") else name


def _remainder(dim: Dim) -> tuple[Dim, Quotient | None]:
    """A part `a % b` taken out of a length, where it has one."""
    for atom in chain.from_iterable(monomial for monomial, _ in dim.terms):
        if isinstance(atom, Quotient):
            rest = dim - atom.over + atom.under * _unknown(atom)
            if len(rest.terms) < len(dim.terms) and atom not in chain.from_iterable(m for m, _ in rest.terms):
                return rest, atom
    return dim, None


def _text(dim: Dim, name: Callable[[str], str]) -> str:
    if dim.number is not None:
        return str(dim.number)
    terms = list(dim.terms)
    if terms[0][1] < 0:  # "10 - H" rather than "-H + 10"
        terms.sort(key=lambda term: term[1] < 0)
    text = ""
    for monomial, coefficient in terms:
        sign = ("-" if coefficient < 0 else "") if not text else (" - " if coefficient < 0 else " + ")
        part = _factors(monomial, abs(coefficient), name)
        text += f"-({part})" if sign == "-" and "//" in part else sign + part
    return text


def _factors(monomial: Monomial, coefficient: int, name: Callable[[str], str]) -> str:
    alone = coefficient == 1 and len(monomial) == 1
    parts = [str(coefficient)] if coefficient != 1 or not monomial else []
    for atom in dict.fromkeys(monomial):
        if isinstance(atom, Quotient):
            text = f"{_operand(atom.over, name)}//{_operand(atom.under, name)}"
            text = text if alone else f"({text})"
        else:
            text = name(atom)
        power = monomial.count(atom)
        parts.append(text if power == 1 else f"{text}**{power}")
    return "*".join(parts)


def _operand(dim: Dim, name: Callable[[str], str]) -> str:
    text = _text(dim, name)
    return text if text.replace(".", "").replace("_", "").isalnum() or text == "?" else f"({text})"
