"""What a function is called with on the other paths of its caller.

A function is run once for each kind of call, and each run knows only its own paths. But "on every path" means
all that reach a place, whichever way the caller came: what breaks with what one path hands over proves
nothing where another path hands over something else and it holds. So a run is read beside those of the other
paths. Runs that never come to the place have nothing to say about it. What breaks because some path left a
step out (a scaler's, an optimizer's) is left as it is: that path is the fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from torchwise.flow.facts import CallFact, Entered, Facts
from torchwise.flow.narrow import OF_WHAT_IS_HANDED_OVER
from torchwise.flow.variant import Variant
from torchwise.record import record

Beside = tuple[Facts, ...]
OF_A_STEP_LEFT_OUT = frozenset(
    ("stale-step", "step-on-clear", "step-on-wasted", "clip-on-used", "clip-on-scaled")
)
Known = Callable[[Variant], Facts | None]


@record
class Way:
    """A way into a run: the call, and the runs that other paths come to by it."""

    entered: Entered
    beside: Beside


def ways(known: Known, facts: Facts, beside: Beside) -> list[Way]:
    """All that a run enters, where the run itself has others beside it."""
    others = [entered for other in beside for entered in other.entered]
    visited: dict[tuple[int, int, str], list[Entered]] = {}
    for entered in facts.entered:
        visited.setdefault((entered.at, entered.turn, entered.variant.scope), []).append(entered)
    out = []
    for (at, turn, scope), group in visited.items():
        outside = [e for e in others if (e.at, e.turn, e.variant.scope) == (at, turn, scope)]
        for entered in group:
            own = set(entered.visits)
            elsewhere = [e for e in group if not own.issuperset(e.visits)] if len(group) > 1 else []
            out.append(Way(entered, _of(known, entered, [*elsewhere, *outside])))
    return out


def _of(known: Known, entered: Entered, others: Iterable[Entered]) -> Beside:
    found = [known(other.variant) for other in others if other.variant != entered.variant]
    return tuple({id(facts): facts for facts in found if facts is not None}.values())


def read_beside(facts: Facts, beside: Beside) -> Facts:
    """The facts, in which only that breaks and counts as met which does on the other paths too."""
    if not beside:
        return facts
    executions, counts = Counter(facts.executions), dict(facts.counts)
    met = {(event.kind, event.at, event.turn): event for event in facts.events}
    for other in beside:
        executions.update(other.executions)
        for event, count in other.counts.items():
            known = met.get((event.kind, event.at, event.turn))
            if known is not None and known.kind not in OF_A_STEP_LEFT_OUT:
                counts[known] = counts.get(known, 1) + count
        for event in facts.events:
            if event.kind in OF_A_STEP_LEFT_OUT:  # another path may only not know
                counts[event] = counts.get(event, 1) + other.executions.get((event.at, event.turn), 0)
    calls = _broken_on_all(facts, beside)
    return replace(facts, calls=calls, executions=dict(executions), counts=counts)


def _broken_on_all(facts: Facts, beside: Beside) -> tuple[CallFact, ...]:
    broken = {
        (f.at, f.turn, f.part) for f in facts.calls if any(b.kind in OF_WHAT_IS_HANDED_OVER for b in f.broken)
    }
    if not broken:
        return facts.calls
    spared: dict[tuple[int, int, str], list[frozenset[tuple[str, str]]]] = {}
    for other in beside:
        for fact in other.calls:
            place = (fact.at, fact.turn, fact.part)
            if place in broken:
                spared.setdefault(place, []).append(_kinds(fact))
    out = []
    for fact in facts.calls:
        kinds = spared.get((fact.at, fact.turn, fact.part))
        if fact.broken and kinds is not None:
            both = frozenset.intersection(*kinds)
            left = [
                b for b in fact.broken if (b.kind, b.param) in both or b.kind not in OF_WHAT_IS_HANDED_OVER
            ]
            fact = replace(fact, broken=tuple(left))
        out.append(fact)
    return tuple(out)


def _kinds(fact: CallFact) -> frozenset[tuple[str, str]]:
    return frozenset([(b.kind, b.param) for b in fact.broken])
