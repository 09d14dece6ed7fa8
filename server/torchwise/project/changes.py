"""Which scopes have changed since when, found by comparing what files were lowered to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from torchwise.ir.module import Module
from torchwise.ir.nodes import Scope
from torchwise.project.program import File, Program
from torchwise.record import record

REMEMBERED = 64  # revisions; what was last checked before that is checked anew


def names_touched(path: str) -> str:
    """A key beside those of scopes: which live global names the scopes of a file may touch."""
    return f"{path}::<names touched>"


def names_crowded(path: str) -> str:
    """A key beside those of scopes: which names very many scopes of a file mention."""
    return f"{path}::<names crowded>"


def importers(path: str) -> str:
    """A key beside those of scopes: whether very many files import this one."""
    return f"{path}::<importers>"


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


@record
class Seen:
    """What of a file is compared."""

    module: Module
    touched: Mapping[str, frozenset[str]]
    crowded: frozenset[str]

    @staticmethod
    def of(file: File) -> Seen:
        return Seen(file.module, file.touched, file.crowded)


@dataclass
class Changes:
    """Stateful: what each file was lowered to when it was last looked at, and what had changed each time."""

    program: Program
    seen: dict[str, Seen] = field(default_factory=dict)
    popular: frozenset[str] | None = None  # files with very many importers; None: nobody asked
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
        if self.popular is not None:
            before, self.popular = self.popular, program.popular()
            if changed is not None:
                changed |= {importers(path) for path in before ^ self.popular}
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
            self.seen[path] = Seen.of(earlier)
        known = self.seen.get(path)
        if known is None:
            return set()  # nothing has looked into it
        now = self.seen[path] = Seen.of(file)
        before, after = known.module.scopes, now.module.scopes
        keys = {k for k in before.keys() | after.keys() if not same(before.get(k), after.get(k))}
        found = {f"{path}::{key}" for key in keys}
        found |= {names_touched(path)} if known.touched != now.touched else set()
        return found | ({names_crowded(path)} if known.crowded != now.crowded else set())

    def is_popular(self, path: str) -> bool:
        """Whether very many files import this one. From the first question on, changes of that are noted."""
        if self.popular is None:
            self.popular = self.program.popular()
        return path in self.popular

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
