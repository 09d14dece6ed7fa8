"""The end of a path in the words of its caller: what is different from the start, and can still be
reached.
"""

from __future__ import annotations

from torchwise.domain.value import Site, Value
from torchwise.flow.reach import reach, tensors
from torchwise.flow.state import CLEAR, State
from torchwise.flow.variant import Exit


def exit_of(kind: str, value: Value, state: State, start: State, flowed: frozenset[Site]) -> Exit:
    value = state.current(value)
    changed = {
        s: o
        for s, o in state.heap.items()
        if s in start.heap and start.heap[s] is not o and start.heap[s] != o
    }
    globals_ = {n: v for n, v in state.globals.items() if start.globals.get(n) is not v}
    roots = [value, *globals_.values()]
    new = reach(roots, state.heap)
    for obj in changed.values():
        new.update(
            reach(
                [*obj.attrs.values(), *(obj.items or ()), *((obj.each,) if obj.each else ())],
                state.heap,
            )
        )
    heap = {**{s: o for s, o in new.items() if start.heap.get(s) != o}, **changed}
    kept = _storages(roots, state, heap)
    return Exit(
        kind,
        value,
        heap,
        {s: t for s, t in state.tensors.items() if _outlives(s, kept)},
        {s: w for s, w in state.written.items() if _outlives(s, kept)},
        {s: g for s, g in state.grads.items() if start.grads.get(s, CLEAR) != g and _outlives(s, kept)},
        state.freed - start.freed,
        globals_,
        state.regions[len(start.regions) :],
        flowed,
    )


def _outlives(site: Site, kept: set[Site]) -> bool:
    return site.scope == "^" or site in kept or site.part.endswith(".*")


def _storages(roots: list[Value], state: State, heap: object) -> set[Site]:
    """Ids and storages of tensors that the caller can reach, and storages that reachable graphs have
    saved.
    """
    kept: set[Site] = set()
    for tensor in tensors(roots, heap):  # type: ignore[arg-type]
        for one in (tensor, state.current(tensor)):
            kept |= {s for s in (one.id, one.storage) if s is not None}  # type: ignore[attr-defined]
            if one.graph is not None:  # type: ignore[attr-defined]
                kept |= {s.storage for s in one.graph.saved}  # type: ignore[attr-defined]
                kept |= one.graph.owners  # type: ignore[attr-defined]
    return kept
