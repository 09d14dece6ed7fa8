"""What the clock is read around."""

from __future__ import annotations

import typing

from torchwise.domain.value import Tensor
from torchwise.flow.definitions import definitions
from torchwise.ir import nodes as ir

if typing.TYPE_CHECKING:
    from torchwise.rules.vocabulary.call import Call
    from torchwise.rules.vocabulary.reading import Reading


def clock_read(reading: Reading, ref: int | None, clocks: list[Call]) -> Call | None:
    """The reading of a clock that an expression is, at once or by a variable."""
    defs = definitions(reading.facts.scope)
    instr = defs.get(ref) if ref is not None else None
    if isinstance(instr, ir.Load):
        stores = [i.value for i in defs.values() if isinstance(i, ir.Store) and i.name == instr.name]
        ref = stores[0] if len(stores) == 1 else None
    return next((c for c in clocks if c.ref == ref), None)


def gpu_work_between(reading: Reading, start: int, end: int) -> int | None:
    """A call between two places that gives a tensor which is, or may be, on a GPU."""
    defs = definitions(reading.facts.scope)
    for ref, value in reading.facts.values.items():
        if start < ref < end and isinstance(defs.get(ref), ir.Call) and isinstance(value, Tensor):
            if value.device is None or "cuda" in value.device:
                return ref
    return None
