"""Gradients that were meant for another optimizer, and are used after all.

A loss of a judge that takes what a maker made gives gradients to both. The judge's optimizer steps; if
nobody clears what the maker got, its own loss adds to it, and its optimizer steps with the sum: "step-on-
strangers". Only where the second loss too goes through what the first optimizer holds, and comes from
another place of the code: losses of several tasks that meet in a part they share are summed on purpose, as
are batches of one loss.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from torchwise.domain.value import Graph, Pointer, Site
from torchwise.flow.state import Grad, State

if TYPE_CHECKING:
    from torchwise.flow.run import Run

MOST = 6  # backwards that are remembered for one leaf


def added(state: State, grad: Grad, site: Site, graph: Graph) -> Grad:
    """Fresh gradients after one more backward."""
    from torchwise.flow.gradients import optimizer_leaves

    if site == grad.backward or site in grad.more or len(grad.more) == MOST:
        return grad
    grad = replace(grad, more=(*grad.more, site))
    if len(grad.beside) == 3 and site.place != grad.beside[0].place:
        if not graph.owners.isdisjoint(optimizer_leaves(state, Pointer(grad.beside[2]))):
            grad = replace(grad, beside=(*grad.beside, site))
    return grad


def note_others(state: State, leaves: Mapping[Site, Grad], optimizer: Site, site: Site) -> None:
    """Called for the step of an optimizer: other leaves may have gradients of the same backward."""
    used = {b for g in leaves.values() if g.kind == "fresh" for b in _backwards(g)}
    if not used:
        return
    for leaf, grad in state.grads.items():
        if grad.kind == "fresh" and not grad.beside and leaf not in leaves:
            both = next((b for b in _backwards(grad) if b in used), None)
            if both is not None:
                state.grads[leaf] = replace(grad, beside=(both, site, optimizer))


def note_strangers(run: Run, state: State, used: Iterable[Grad], optimizer: Pointer, ref: int) -> None:
    """Called for the step of an optimizer, with the gradients that it uses."""
    mingled = [g for g in used if g.kind == "fresh" and len(g.beside) == 4 and g.beside[2] != optimizer.to]
    if mingled:
        first, step, _, second = mingled[0].beside
        run.event("step-on-strangers", ref, state, (first, step, second), optimizer)


def _backwards(grad: Grad) -> tuple[Site, ...]:
    return (grad.backward, *grad.more) if grad.backward is not None else grad.more
