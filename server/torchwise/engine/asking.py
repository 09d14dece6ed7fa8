"""Which rules need to be asked of a run at all.

A rule asks a reading for calls and events by name, and most readings have none of them. A rule that was
watched and got nothing but empty answers has said nothing because of these answers alone: it is a function of
what it asks. So it says nothing of any other reading in which the same names are absent either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from torchwise.rules.rule import Rule
from torchwise.rules.vocabulary import Flag, Reading

ASKED = frozenset(("calls_to", "calls_that_break", "calls_tagged", "calls_under", "happenings", "seen"))
Check = Callable[[Reading], Iterable[Flag]]

Picked = tuple[tuple[Rule, ...], tuple[Rule, ...]]  # of which, and what was picked

TRIES = 40  # readings that a rule is watched with, until one has none of what it asks for


class Watched(Reading):
    """A reading that notes the names it is asked for. `more`: whether it was asked anything else."""

    names: set[str]
    more: bool

    def __getattribute__(self, name: str) -> Any:
        found = object.__getattribute__(self, name)
        if name in ASKED:
            return lambda *names, **how: self._noted(found, names, how)
        if not name.startswith("_"):
            object.__setattr__(self, "more", True)
        return found

    def _noted(self, ask: Callable[..., list[Any]], names: Iterable[str], how: dict[str, Any]) -> list[Any]:
        """What the method itself looks at does not count."""
        before = object.__getattribute__(self, "more")
        answer = ask(*names, **how)
        object.__getattribute__(self, "names").update(names)
        object.__setattr__(self, "more", before or bool(answer))
        return answer


@dataclass
class Needs:
    """Stateful: what each rule has to find before it can say anything, as far as that was seen."""

    known: dict[Check, frozenset[str]] = field(default_factory=dict)
    tries: dict[Check, int] = field(default_factory=dict)
    _picked: dict[tuple[int, int, frozenset[str]], Picked] = field(default_factory=dict)

    def of(self, rules: tuple[Rule, ...], reading: Reading) -> tuple[Rule, ...]:
        """The rules that may find what they ask for among a reading's words."""
        words = reading.vocabulary
        key = id(rules), len(self.known), words
        if self._picked.get(key, (None, ()))[0] is not rules:
            if len(self._picked) > 5_000:
                self._picked.clear()
            self._picked[key] = rules, tuple(r for r in rules if not self._absent(r, words))
        return self._picked[key][1]

    def _absent(self, rule: Rule, words: frozenset[str]) -> bool:
        needed = self.known.get(rule.check)
        return needed is not None and needed.isdisjoint(words)

    def check(self, rule: Rule, reading: Reading) -> list[Flag]:
        """What the rule says, and in its first readings what it asks for."""
        if not rule.holds_for(reading.torch):
            return []
        tries = self.tries.get(rule.check, 0)
        if rule.check in self.known or tries >= TRIES:
            return list(rule.check(reading))
        self.tries[rule.check] = tries + 1
        watched = Watched(reading.facts, reading.text_of, reading.resolve, reading.torch)
        object.__setattr__(watched, "names", set())
        object.__setattr__(watched, "more", False)
        flags = list(rule.check(watched))
        if not object.__getattribute__(watched, "more") and not flags:
            self.known[rule.check] = frozenset(object.__getattribute__(watched, "names"))
        return flags


NEEDS = Needs()  # of the rules' own text alone, so that every engine may share it
