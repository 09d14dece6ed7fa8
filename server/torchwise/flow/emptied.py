"""Lists that are attributes, and that a method of their owner empties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.value import Pointer, Value
from torchwise.flow.definitions import Definitions
from torchwise.flow.unregistered import methods_of
from torchwise.ir import nodes as ir

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State


def emptied_elsewhere(run: Run, state: State, held: Value | None) -> bool:
    """Whether another method of the owner of a list empties it: who calls that one knows when."""
    owners = [obj for obj in state.heap.values() if "::" in obj.cls] if isinstance(held, Pointer) else []
    for obj in owners:
        names = [name for name, value in obj.attrs.items() if value == held]
        facts = run.lookup.class_facts(obj.cls) if names else None
        for method, defs in methods_of(run, facts) if facts is not None else ():
            if method not in ("__init__", run.scope.name) and any(_empties(defs, name) for name in names):
                return True
    return False


def _empties(defs: Definitions, name: str) -> bool:
    """`self.seen = []`, `seen, self.seen = self.seen, []`, `self.seen.clear()`, `del self.seen[:]`."""
    mentions = {i.out for i in defs.of_kind(ir.Attr) if i.name == name}
    return (
        any(i.name == name for i in defs.of_kind(ir.SetAttr))
        or any(i.base in mentions and i.name in ("clear", "pop", "popleft") for i in defs.of_kind(ir.Attr))
        or any(i.base in mentions for i in defs.of_kind(ir.DropIndex))
    )
