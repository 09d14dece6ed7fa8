"""What a function does with its own parameters, and what stands before what, as the text says it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torchwise.flow.definitions import definitions
from torchwise.flow.facts import Facts
from torchwise.ir import nodes as ir
from torchwise.rules import structure


@dataclass(frozen=True, eq=False)
class Protocol:
    """The words of a reading that ask about parameters, imports and names."""

    facts: Facts

    def is_optional(self, parameter: str) -> bool:
        """Whether a parameter that is left out is None."""
        return any(p.name == parameter and p.none for p in self.facts.scope.params)

    def spread_only(self, parameter: str, stars: int) -> Iterator[tuple[int, int]]:
        """The calls that spread a parameter, where that is all that is ever done with it; and the place."""
        made = definitions(self.facts.scope)
        loads = {i.out for i in made.of_kind(ir.Load) if i.name == parameter}
        calls = list(made.of_kind(ir.Call))
        spread = {a.ref for call in calls for a in call.args if a.stars == stars}
        if self.binds(parameter) or not loads <= spread:
            return
        for call in calls:
            yield from ((call.out, a.ref) for a in call.args if a.stars == stars and a.ref in loads)

    def calls_name(self, ref: int, name: str) -> bool:
        """Whether what a call calls is a name that is never bound anew."""
        made = definitions(self.facts.scope)
        call = made.get(ref)
        callee = made.get(call.callee) if isinstance(call, ir.Call) and isinstance(call.callee, int) else None
        return isinstance(callee, ir.Load) and callee.name == name and not self.binds(name)

    def within_with(self, ref: int) -> bool:
        """Whether an instruction stands in a `with` block."""
        made = definitions(self.facts.scope)
        return any(ref in structure.inside(i) for i in made.of_kind(ir.With) if i.out != ref)

    def imported_before(self, ref: int, package: str) -> bool:
        """Whether a package, or a part of it, is certainly imported before an instruction."""
        return any(
            isinstance(i, ir.Import) and i.out < ref and i.path.partition(".")[0] == package
            for i in self.facts.scope.body
        )

    def binds(self, name: str) -> bool:
        """Whether a statement of the scope gives a value to a name."""
        made = definitions(self.facts.scope)
        return any(isinstance(i, ir.Store | ir.Import | ir.Drop) and i.name == name for i in made.values())

    def read_after(self, ref: int, name: str) -> list[int]:
        """Where a name is read after an instruction, as the text goes."""
        return [
            i.out for i in definitions(self.facts.scope).of_kind(ir.Load) if i.name == name and i.out > ref
        ]
