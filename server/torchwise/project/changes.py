"""Which scopes have changed since when, found by comparing what files were lowered to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from torchwise.ir.module import Module
from torchwise.ir.nodes import Scope
from torchwise.project.program import File, Program

REMEMBERED = 64  # revisions; what was last checked before that is checked anew


def names_touched(path: str) -> str:
    """A key beside those of scopes: which live global names the scopes of a file may touch."""
    return f"{path}::<names touched>"


def same(a: Scope | None, b: Scope | None) -> bool:
    """Whether two scopes run alike. What the functions in a module or class mention is those functions'
    own business.
    """
    if a is b:
        return True
    if a is None or b is None:
        return False
    if a.kind in ("module", "class"):
        return (a.kind, a.body, a.stores, a.inner, a.outer) == (b.kind, b.body, b.stores, b.inner, b.outer)
    return a == b


@dataclass
class Changes:
    """Stateful: what each file was lowered to when it was last looked at, and what had changed each time."""

    program: Program
    seen: dict[str, tuple[Module, Mapping[str, frozenset[str]]]] = field(default_factory=dict)
    rested: set[str] = field(default_factory=set)  # paths whose lowered form was let go of
    # by revision, oldest first
    history: list[tuple[int, frozenset[str] | None]] = field(default_factory=list)
    _since: dict[int, frozenset[str] | None] = field(default_factory=dict)
    _looked: int = -1

    def look(self) -> frozenset[str] | None:
        """The keys of scopes that changed since the last look; None where that could be anything."""
        program = self.program
        changed: set[str] | None = None if program.arranged > self._looked else set()
        for path, revision in program.changed.items():
            if revision > self._looked and path in program.files:
                found = self._compared(path, program.files[path])
                changed = None if changed is None or found is None else changed | found
        self._looked = program.revision
        result = None if changed is None else frozenset(changed)
        self.history = [*self.history[-REMEMBERED:], (program.revision, result)]
        self._since.clear()
        return result

    def _compared(self, path: str, file: File) -> set[str] | None:
        if path in self.rested:
            self.rested.discard(path)
            return None
        earlier = file.before
        if earlier is not None and "module" in earlier.__dict__:
            self.seen[path] = earlier.module, earlier.touched
        known = self.seen.get(path)
        if known is None:
            return set()  # nothing has looked into it
        self.seen[path] = file.module, file.touched
        before, after = known[0].scopes, file.module.scopes
        keys = {k for k in before.keys() | after.keys() if not same(before.get(k), after.get(k))}
        found = {f"{path}::{key}" for key in keys}
        return found if known[1] == file.touched else found | {names_touched(path)}

    def since(self, revision: int) -> frozenset[str] | None:
        """The keys of scopes that changed after a revision; None where that could be anything."""
        if revision not in self._since:
            self._since[revision] = self._gathered(revision)
        return self._since[revision]

    def _gathered(self, revision: int) -> frozenset[str] | None:
        if not self.history or self.history[0][0] > revision:
            return None
        out: frozenset[str] = frozenset()
        for at, changed in self.history:
            if at > revision:
                if changed is None:
                    return None
                out |= changed
        return out
