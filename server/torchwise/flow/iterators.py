"""Iterators that can be used up: `params = model.parameters()`, then an optimizer, then nothing is left in
them.

An iterator is an object on the heap with the mark "exhausted". What walks through it marks it; what walks
through it
again notes the event "exhausted-iterator".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from torchwise.domain.value import Items, Obj, Params, Pointer, Site, Value
from torchwise.domain.verdict import FAILS, HOLDS
from torchwise.flow.drawing import note_walked
from torchwise.flow.parameters import parameters_of
from torchwise.ops import Op

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

ITERATOR = "iterator"
WALKS = frozenset(
    ("list", "tuple", "set", "sorted", "sum", "any", "all", "max", "min", "parameters_to_vector")
)
SPREADS = frozenset(("list", "tuple", "zip", "enumerate", "reversed"))


def made(state: State, value: Params, site: Site) -> None:
    if value.at == site:
        state.heap[site] = Obj(ITERATOR, marks={"exhausted": FAILS})


def walked(run: Run, state: State, op: Op, values: Mapping[str, Value], ref: int, site: Site) -> None:
    """What a call of an op uses up of its arguments."""
    if op.name in SPREADS or op.name == "tqdm":
        for value in values.values():
            if type(value) is Pointer:
                note_walked(run, state, value, ref)
    if op.name in WALKS or op.tags & {"optimizer", "clip"}:
        for name, value in values.items():
            if name != "self":
                walk(run, state, value, ref, site)


def walk(run: Run, state: State, value: Value, ref: int, site: Site, depth: int = 0) -> None:
    match value:
        case Params(at=Site() as at) if at in state.heap and state.heap[at].cls == ITERATOR:
            _walk_once(run, state, at, value, ref, site)
        case Items(items, "iterator"):  # `chain(one.parameters(), other.parameters())`
            for inner in items:
                if isinstance(inner, Params):
                    walk(run, state, inner, ref, site)
        case Pointer(to) if to in state.heap and "lazy" in state.heap[to].marks:
            _walk_once(run, state, to, value, ref, site)
        case Pointer(to) if depth < 2 and to in state.heap and state.heap[to].cls in ("list", "dict"):
            for inner in state.heap[to].items or ():
                walk(run, state, inner, ref, site, depth + 1)


def _walk_once(run: Run, state: State, at: Site, value: Value, ref: int, site: Site) -> None:
    obj = state.heap[at]
    earlier = obj.marks.get("exhausted@")
    if obj.marks.get("exhausted") is HOLDS and isinstance(earlier, Pointer):
        run.event("exhausted-iterator", ref, state, (at, earlier.to), value)
    else:
        state.heap[at] = obj.with_mark("exhausted", HOLDS).with_mark("exhausted@", Pointer(site))


def spread(state: State, op: Op, values: dict[str, Value]) -> dict[str, Value]:
    """Arguments with parameters one by one, for ops that put them in order."""
    if op.name not in SPREADS:
        return values
    return {name: _spread(state, v) for name, v in values.items()}


def _spread(state: State, value: Value) -> Value:
    match value:
        case Params(some=False):
            found = parameters_of(state, value)
            return replace(value, at=None) if found is None else Items(found)  # walked, and kept
        case Items(items) if any(isinstance(i, Params) for i in items):
            return Items(tuple(_spread(state, i) for i in items), value.kind, value.names)
    return value
