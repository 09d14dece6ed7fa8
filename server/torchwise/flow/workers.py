"""Whether an iterable dataset takes a share of its own in each worker.

That is asked of the text: of the methods of the dataset and of the objects that it holds, and of the
functions of the project that they call. Who asks which worker it runs in says "worker" somewhere. Code of
which nothing is known counts where its name is one for a part.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torchwise.domain.value import Any, Class, Func, Named, Value, Wrapped
from torchwise.flow.definitions import definitions
from torchwise.flow.reach import reach
from torchwise.ir import nodes as ir

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

PART = re.compile(r"shard|partition|(for|by|per)_rank|(^|_)(split|share|slice)_|_(split|share|slice)$")
KNOWN = ("builtins.", "typing.", "abc.", "collections.", "torch.utils.data.", "object")


def takes_share(run: Run, state: State, dataset: Value) -> bool:
    obj = state.obj(dataset)
    bases = [base for base in obj.bases if "::" not in base] if obj is not None else []
    if obj is None or not all(base.startswith(KNOWN) for base in bases):
        return True  # a base class of another library may do so
    search = _Search(run)
    for each in reach([dataset], state.heap).values():
        for cls in (each.cls, *each.bases):
            search.add_class(cls)
    return search.found()


class _Search:
    """A walk over the scopes of a project, each once."""

    def __init__(self, run: Run):
        self.run = run
        self.methods: set[str] = set()
        self.seen: set[str] = set()
        self.queue: list[str] = []

    def add_class(self, key: str) -> None:
        facts = self.run.lookup.class_facts(key) if "::" in key and key not in self.seen else None
        if facts is not None:
            self.seen.add(key)
            self.methods |= facts.names.keys()
            for value in facts.names.values():
                self.add(value)
            for base in facts.order:
                self.add_class(base)

    def add(self, value: Value) -> None:
        while isinstance(value, Wrapped):
            value = value.func
        if isinstance(value, Class):
            self.add_class(value.scope)
        elif isinstance(value, Func) and value.scope not in self.seen:
            self.seen.add(value.scope)
            self.queue.append(value.scope)

    def found(self) -> bool:
        while self.queue:
            key = self.queue.pop()
            scope = self.run.lookup.scope(key)
            if scope is not None and self._asks(key, scope):
                return True
        return False

    def _asks(self, key: str, scope: ir.Scope) -> bool:
        """Whether a scope asks for its worker. What it calls is put into the queue."""
        defs = definitions(scope)
        named = [i.name for i in defs.values() if isinstance(i, ir.Load | ir.Attr | ir.Store | ir.Import)]
        if any("worker" in name.lower() for name in (*named, *(p.name for p in scope.params))):
            return True
        for inner in scope.inner:
            self.add(Func(f"{key.partition('::')[0]}::{inner}"))
        called = [defs.get(i.callee) for i in defs.of_kind(ir.Call) if isinstance(i.callee, int)]
        found = [self._parts(key, scope, callee) for callee in called]
        return True in found

    def _parts(self, key: str, scope: ir.Scope, callee: ir.Instr | None) -> bool:
        """Whether what is called is not known, and by its name makes parts of something."""
        if isinstance(callee, ir.Load) and callee.name not in scope.stores:
            value = self.run.lookup.global_value(key, callee.name).value
            self.add(value)
            return isinstance(value, Any | Named) and PART.search(callee.name.lower()) is not None
        if isinstance(callee, ir.Load | ir.Attr) and callee.name not in self.methods:
            return PART.search(callee.name.lower()) is not None
        return False
