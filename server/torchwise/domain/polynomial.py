"""Polynomials with integer coefficients over named unknowns and floor divisions, in one normal form.

A polynomial is a tuple of terms, `((monomial, coefficient), ...)`, in a fixed order and without zeros; `()`
is 0. A floor division that does not come out even is an unknown of its own, and `a % b` is `a - b*(a//b)`:

- what divides evenly is pulled out: `(2*H + 3)//2` is `H + 1`;
- what both sides share is cancelled: `(H*W)//(H*C)` is `W//C`;
- divisions in a row are one: `((H + 1)//2 + 1)//2` is `(H + 3)//4`.

Divisors are taken not to be zero, and names to be sizes (0 or more).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from math import gcd

Monomial = tuple[str, ...]  # sorted, with repetitions: H*H*W is ("H", "H", "W"), and a constant is ()
Terms = tuple[tuple[Monomial, int], ...]
MOST_TERMS, LONGEST = 24, 300  # past that a polynomial is opaque


class Quotient(str):
    """A floor division that does not come out even. As a string it is its own sort key, behind all names."""

    over: Terms
    under: Terms

    @staticmethod
    def of(over: Terms, under: Terms) -> Quotient:
        made = Quotient(f"~{text(over)}//{text(under)}")
        made.over, made.under = over, under
        return made

    def __reduce__(self) -> tuple[object, ...]:
        return Quotient.of, (self.over, self.under)


def number(value: int) -> Terms:
    return (((), value),) if value else ()


def value_of(terms: Terms) -> int | None:
    return 0 if not terms else None if terms[0][0] else terms[0][1]


def unknown(atom: str) -> Terms:
    return _opaque(atom) if len(atom) > LONGEST else (((atom,), 1),)


def add(a: Terms, b: Terms, sign: int = 1) -> Terms:
    sums = dict(a)
    for monomial, coefficient in b:
        sums[monomial] = sums.get(monomial, 0) + sign * coefficient
    return _made(sums)


def multiply(a: Terms, b: Terms) -> Terms:
    sums: dict[Monomial, int] = {}
    for m, c in a:
        for n, d in b:
            both = tuple(sorted(m + n)) if m and n else m or n
            sums[both] = sums.get(both, 0) + c * d
    return _made(sums)


def negative(a: Terms) -> Terms:
    return tuple([(m, -c) for m, c in a])


@lru_cache(4096)
def floor_divide(over: Terms, under: Terms) -> Terms:
    if not under:
        return unknown(Quotient.of(over, under))
    if under[0][1] < 0:
        over, under = negative(over), negative(under)
    even, rest = _divided(over, under)
    if not rest:
        return even
    above, below = value_of(rest), value_of(under)
    if above is not None and below is not None:
        return add(even, number(above // below))
    rest, under = _reduced(rest, under)
    if under == number(1):
        return add(even, rest)
    return add(even, _nested(rest, under) or unknown(Quotient.of(rest, under)))


def bounds(terms: Terms) -> tuple[int | None, int | None]:
    """The least and the greatest that it can be, None where there is no bound."""
    low: int | None = 0
    high: int | None = 0
    for monomial, coefficient in terms:
        least = 1
        for atom in monomial:
            start = _least(atom)
            if start is None or start < 0:
                return None, None
            least *= start
        bounded = not monomial
        if coefficient > 0:
            low = None if low is None else low + coefficient * least
            high = high + coefficient if high is not None and bounded else None
        else:
            low = low + coefficient if low is not None and bounded else None
            high = None if high is None else high + coefficient * least
    return low, high


def constant_and_step(terms: Terms) -> tuple[int, int]:
    """The constant term, and what divides all others (0 where there are none)."""
    constant = terms[-1][1] if terms and not terms[-1][0] else 0
    return constant, gcd(*(c for m, c in terms if m))


def names(terms: Terms) -> Iterator[str]:
    for monomial, _ in terms:
        for atom in monomial:
            if isinstance(atom, Quotient):
                yield from names(atom.over)
                yield from names(atom.under)
            else:
                yield atom


def substitute(terms: Terms, values: Mapping[str, Terms]) -> Terms:
    total: Terms = ()
    for monomial, coefficient in terms:
        part = number(coefficient)
        for atom in monomial:
            if isinstance(atom, Quotient):
                part = multiply(
                    part, floor_divide(substitute(atom.over, values), substitute(atom.under, values))
                )
            else:
                part = multiply(part, values[atom] if atom in values else unknown(atom))
        total = add(total, part)
    return total


def remainder(terms: Terms) -> tuple[Terms, Quotient] | None:
    """A part `a % b` taken out of a polynomial, and what is left of it; None where it has none."""
    for atom in chain.from_iterable(monomial for monomial, _ in terms):
        if isinstance(atom, Quotient):
            rest = add(add(terms, atom.over, -1), multiply(atom.under, unknown(atom)))
            if len(rest) < len(terms) and atom not in chain.from_iterable(m for m, _ in rest):
                return rest, atom
    return None


def text(terms: Terms, name: Callable[[str], str] = str) -> str:
    """As python writes it; with names as they are, different polynomials have different texts."""
    if not terms:
        return "0"
    ordered = list(terms)
    if ordered[0][1] < 0:  # "10 - H" rather than "-H + 10"
        ordered.sort(key=lambda term: term[1] < 0)
    written = ""
    for monomial, coefficient in ordered:
        part = _factors(monomial, abs(coefficient), name)
        if not written:
            written = part if coefficient > 0 else f"-({part})" if "//" in part else f"-{part}"
        else:
            written += f" - {part}" if coefficient < 0 else f" + {part}"
    return written


def operand(terms: Terms, name: Callable[[str], str] = str) -> str:
    """The text, in brackets where an operator beside it could tear it apart."""
    written = text(terms, name)
    simple = len(terms) < 2 and not set(written) & set("+-*/% ")
    return written if simple else f"({written})"


def _factors(monomial: Monomial, coefficient: int, name: Callable[[str], str]) -> str:
    alone = coefficient == 1 and len(monomial) == 1
    parts = [str(coefficient)] if coefficient != 1 or not monomial else []
    for atom in dict.fromkeys(monomial):
        if isinstance(atom, Quotient):
            shown = f"{operand(atom.over, name)}//{operand(atom.under, name)}"
            shown = shown if alone else f"({shown})"
        else:
            shown = name(atom)
        power = monomial.count(atom)
        parts.append(shown if power == 1 else f"{shown}**{power}")
    return "*".join(parts)


def _made(sums: dict[Monomial, int]) -> Terms:
    terms = [term for term in sums.items() if term[1]]
    if len(terms) > 1:
        terms.sort(key=lambda term: (-len(term[0]), term[0]))
        if len(terms) > MOST_TERMS or len(terms[0][0]) > MOST_TERMS:
            return _opaque(repr(terms))
    return tuple(terms)


def _opaque(written: str) -> Terms:
    """What has grown too long to calculate with: a hidden symbol, the same one for the same text."""
    return ((("?" + blake2b(written.encode(), digest_size=8).hexdigest(),), 1),)


def _without(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """The monomial divided by another, None where that does not come out even."""
    if not divisor:
        return monomial
    rest = list(monomial)
    for atom in divisor:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def _divided(over: Terms, under: Terms) -> tuple[Terms, Terms]:
    """Polynomial division: over == even * under + rest."""
    lead, factor = under[0]
    even: dict[Monomial, int] = {}
    kept: dict[Monomial, int] = {}
    left = dict(over)
    while left:
        monomial = min(left, key=lambda m: (-len(m), m))
        coefficient = left.pop(monomial)
        share = _without(monomial, lead)
        times = coefficient // factor if share is not None else 0
        if share is not None and times:
            even[share] = even.get(share, 0) + times
            coefficient -= times * factor
            for m, c in multiply(((share, times),), under[1:]):
                left[m] = left.get(m, 0) - c
        if coefficient:
            kept[monomial] = kept.get(monomial, 0) + coefficient
    return _made(even), _made(kept)


def _reduced(over: Terms, under: Terms) -> tuple[Terms, Terms]:
    """Divides both by what they share: `(H*W)//(H*C)` is `W//C`, `(4*H + 3)//6` is `(2*H + 1)//3`."""
    divisor = value_of(under)
    if divisor is not None:  # a remainder of the constant is lost in the rounding
        step = gcd(divisor, *(c for m, c in over if m))
        return tuple((m, c // step) for m, c in over if c // step), number(divisor // step)
    step = gcd(*(c for _, c in over + under))
    shared = over[0][0]
    for monomial, _ in over[1:] + under:
        shared = tuple(a for i, a in enumerate(shared) if shared[: i + 1].count(a) <= monomial.count(a))
    if step == 1 and not shared:
        return over, under
    return tuple((_without(m, shared) or (), c // step) for m, c in over), tuple(
        (_without(m, shared) or (), c // step) for m, c in under
    )


def _nested(over: Terms, under: Terms) -> Terms | None:
    """`(x//a + c)//b` is `(x + a*c)//(a*b)`, for positive numbers a and b."""
    monomial, coefficient = over[0]
    constant = over[1:]
    if value_of(under) is None or coefficient != 1 or len(monomial) != 1 or value_of(constant) is None:
        return None
    inner = monomial[0]
    if not isinstance(inner, Quotient) or (value_of(inner.under) or 0) <= 0:
        return None
    return floor_divide(add(inner.over, multiply(inner.under, constant)), multiply(inner.under, under))


def _least(atom: str) -> int | None:
    if not isinstance(atom, Quotient):
        return 0
    low, divisor = bounds(atom.over)[0], value_of(atom.under)
    if low is None:
        return None
    if divisor is not None:
        return low // divisor if divisor > 0 else None
    below = bounds(atom.under)[0]
    return 0 if low >= 0 and below is not None and below >= 0 else None
