"""How many examples the batches of a loader have, where the last one has fewer."""

from __future__ import annotations

from torchwise.domain.batches import Batches, hint, made_at
from torchwise.domain.dim import Dim
from torchwise.domain.value import Pointer
from torchwise.ops.spec import Given


def uneven_length(given: Given, total: Dim, size: Dim) -> Dim:
    """The last batch is shorter; where it is the only one, that is the size."""
    if total.number is None or not size.number:
        return given.fresh("batch")
    if total.number < size.number:
        return total
    length = given.fresh(hint(Batches(total.number % size.number, size.number, total.number)))
    loader = given["self"]
    places = [
        s.place for s in (loader.to if isinstance(loader, Pointer) else None, given.site) if s is not None
    ]
    known = next((place for place in places if place[0] != "^"), None)
    return length if known is None else Dim.of(made_at(next(iter(length.symbols)), *known))
