"""The project as one interpretation sees it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchwise.flow.lookup import ClassFacts, Snapshot
from torchwise.flow.variant import NOTHING_KNOWN, Summary, Variant
from torchwise.ir import nodes as ir

if TYPE_CHECKING:
    from torchwise.project.memo import Memo

Question = tuple[str, Hashable]
MAX_COST = 30_000  # steps that one scope may ask for, all told
CIRCLE_COST = 100


@dataclass
class Asking:
    """Gives answers, and keeps what was asked. Stateful: `cost` grows with what is followed, in steps."""

    memo: Memo
    asked: dict[Question, object]
    cost: int = 0

    def ask(self, question: Question) -> object:
        if question not in self.asked:
            self.asked[question] = self.memo.answer(question)
        return self.asked[question]

    def scope(self, key: str) -> ir.Scope | None:
        self.memo.uses(key)
        return self.memo.program.scope(key)

    def global_value(self, scope: str, name: str) -> Snapshot:
        return self.ask(("global", (scope.partition("::")[0], name)))  # type: ignore[return-value]

    def imported(self, scope: str, path: str) -> Snapshot:
        return self.ask(("imported", (scope.partition("::")[0], path)))  # type: ignore[return-value]

    def class_facts(self, key: str) -> ClassFacts | None:
        return self.ask(("class", key))  # type: ignore[return-value]

    def instance(self, key: str) -> Snapshot:
        return self.ask(("instance", key))  # type: ignore[return-value]

    def summary(self, variant: Variant) -> Summary:
        """Past a budget no call is followed: a matter of what the scope is, not of what was run before."""
        if self.cost > MAX_COST:
            return NOTHING_KNOWN
        self.cost += len(variant.heap) // 2  # handing them over takes as long as half a step each
        question = ("summary", variant)
        if question not in self.asked:
            entry = self.memo.entry(variant)
            self.cost += CIRCLE_COST if entry is None else entry.cost
            self.asked[question] = NOTHING_KNOWN if entry is None else entry.result.summary
        return self.asked[question]  # type: ignore[return-value]

    def sets(self, scope: str, attribute: str) -> bool:
        return self.ask(("sets", (scope.partition("::")[0], attribute)))  # type: ignore[return-value]

    def crowded(self, scope: str, callee: str) -> bool:
        return self.ask(("crowded", (scope.partition("::")[0], callee)))  # type: ignore[return-value]

    def live_names(self, scope: str) -> frozenset[str]:
        return self.ask(("live", scope))  # type: ignore[return-value]
