"""Settings that last until they are changed: seeds, strict determinism, that there are several processes.

A seed's mode is its value, with a "+" for each time that the same value was set again (two at most).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from torchwise.domain.value import Pointer, Region

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

SEED, MOST = "seed:", 6
ONCE = frozenset(("deterministic", "ranks"))


def entered(before: tuple[Region, ...], region: Region) -> tuple[Region, ...]:
    """The regions after one that lasts was entered."""
    same = [r for r in before if r.kind == region.kind]
    last = same[-1] if same else None
    if last is not None and region.kind.startswith(SEED):
        if len(same) >= MOST:
            return before
        if region.mode != "?" and last.mode.rstrip("+") == region.mode:
            region = replace(region, mode=last.mode + "+" if not last.mode.endswith("++") else last.mode)
    known = last == region and (region.kind in ONCE or region.kind.startswith(SEED))
    return before if known else (*before, region)


def note_reseeded(run: Run, state: State, optimizer: Pointer, ref: int) -> None:
    """Called at a step of an optimizer: notes "reseeded" where the generator began anew since then."""
    seeds = [r for r in state.regions if r.kind == "seed:torch"]
    obj = state.heap[optimizer.to]
    if not seeds:
        return
    mode, before = seeds[-1].mode, obj.marks.get("seed")
    if isinstance(before, str) and mode != before and mode.rstrip("+") == before.rstrip("+"):
        run.event("reseeded", ref, state, (seeds[-1].at,) if seeds[-1].at is not None else (), optimizer)
    state.heap[optimizer.to] = obj.with_mark("seed", mode)
