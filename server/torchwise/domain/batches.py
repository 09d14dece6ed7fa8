"""The length of a batch where the last one is shorter: a symbol that says of itself which two lengths it has.

106 examples in batches of 32 give three of 32 and one of 10: `?rest10of32in106@...`. Whoever sees it may
ask what holds for the full batches and what for the last one. An axis that is declared open for export has
the length of the example, and another that it is declared to take: `?open9of8in0@...`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from torchwise.domain.dim import Dim
from torchwise.domain.value import Items, Many, Num, Obj, Shape, Tensor, Value
from torchwise.record import record

_KINDS = ("?rest", "?open")
_REST = re.compile(r"\?(?:rest|open)(\d+)of(\d+)in(\d+)@")


class Batches(NamedTuple):
    last: int
    full: int
    total: int  # 0 for an axis that is declared open


@record
class Lengths:
    """Lengths to put in for symbols."""

    names: dict[str, Dim]

    def shape(self, shape: Shape | None) -> Shape | None:
        return shape if shape is None else tuple([d.with_names(self.names) for d in shape])

    def value(self, value: Value) -> Value:
        """The value with the lengths put in; the very same one where none of the symbols is in it."""
        match value:
            case Tensor(shape=tuple() as shape) if any(d.number is None for d in shape):
                made = self.shape(shape)
                return value if made == shape else value.but(shape=made, strides=self.shape(value.strides))
            case Num(dim) if dim.number is None:
                made_dim = dim.with_names(self.names)
                return value if made_dim is dim else Num(made_dim)
            case Items(items, kind, names):
                inner = tuple([self.value(v) if isinstance(v, Value) else v for v in items])
                return value if inner == items else Items(inner, kind, names)
            case Many(each, kind) if isinstance(each, Value):
                one = self.value(each)
                return value if one is each else Many(one, kind, value.count)
        return value

    def obj(self, obj: Obj) -> Obj:
        attrs = {n: self.value(v) for n, v in obj.attrs.items()}
        items = obj.items and tuple([self.value(v) for v in obj.items])
        each = obj.each and self.value(obj.each)
        if items == obj.items and each == obj.each and attrs == obj.attrs:
            return obj
        return Obj(obj.cls, attrs, items, each, obj.marks, obj.bases)


def hint(batches: Batches) -> str:
    """The symbol's name, as a hint for a fresh length."""
    return f"{'rest' if batches.total else 'open'}{batches.last}of{batches.full}in{batches.total}"


_MADE = re.compile(r";(?P<scope>[^;]*)#(?P<ref>\d+)$")


def made_at(name: str, scope: str, ref: int) -> str:
    """The symbol's name with the place where its loader was made or, of one that was handed over, is used."""
    return f"{name};{scope}#{ref}"


def loader_of(value: Value) -> tuple[str, int] | None:
    """Where the loader of such a length in a value was made, or is used."""
    for name in uneven(value):
        found = _MADE.search(name)
        if found is not None:
            return found["scope"], int(found["ref"])
    return None


def batches_of(name: str) -> Batches | None:
    found = _REST.match(name)
    return Batches(*map(int, found.groups())) if found else None


def uneven(value: Value, depth: int = 0) -> dict[str, Batches]:
    """The symbols of this kind in the lengths of a value, by name."""
    found: dict[str, Batches] = {}
    match value:
        case Tensor(shape=tuple() as shape):
            lengths = shape
        case Num(dim):
            lengths = (dim,)
        case Items(items) if depth < 3:
            for item in items:
                found |= uneven(item, depth + 1)
            return found
        case Many(each) if depth < 3:
            return uneven(each, depth + 1)
        case _:
            return found
    for length in lengths:
        if length.number is None:
            for name in length.symbols:
                if name[:5] in _KINDS and (batches := batches_of(name)) is not None:
                    found[name] = batches
    return found


def evened(value: Value) -> Value:
    """The value without what is known of such lengths: where the last batch may never come."""
    names = {n: Dim.of("?batch" + n.partition("in")[2]) for n in uneven(value)}
    return Lengths(names).value(value) if names else value
