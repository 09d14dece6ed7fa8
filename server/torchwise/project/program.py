"""The files of a project as interpretation asks about them: scopes, names, imports, classes.

Answers that need no run come straight from the IR; the others are runs of their own (see `memo`).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from torchwise.flow.definitions import definitions
from torchwise.ir import nodes as ir
from torchwise.ir.lower import lower
from torchwise.ir.module import Module
from torchwise.project.bindings import Bindings, bindings
from torchwise.project.imports import Files
from torchwise.project.links import imports_torch, mentioned
from torchwise.project.touched import touched
from torchwise.syntax.source import Source

TOP = "<module>"
CROWD = 5  # functions that call one thing: a model zoo's, of which each hands over its own numbers
POPULAR = 12  # files that import one
MOST_AROUND = 150_000  # characters of importers that are looked at for what is open in an editor


@dataclass(frozen=True, eq=False)
class File:
    """One file, and what can be read off it. Lowered when that is first asked for; `before` is an earlier
    version.
    """

    path: str
    source: Source
    before: File | None = None

    @cached_property
    def module(self) -> Module:
        earlier = self.before
        while earlier is not None and "module" not in earlier.__dict__:
            earlier = earlier.before
        made = lower(self.source, earlier.module if earlier is not None else None)
        self.__dict__["before"] = None  # what could be taken over has been
        return made

    @cached_property
    def mentions(self) -> frozenset[str]:
        """The modules that it may import."""
        return frozenset(mentioned(self.source.text))

    @cached_property
    def imports_torch(self) -> bool:
        return imports_torch(self.source.text)

    @cached_property
    def bindings(self) -> Bindings:
        return bindings(self.module.scopes[TOP])

    @cached_property
    def touched(self) -> Mapping[str, frozenset[str]]:
        """By scope: the live global names that a call of it may touch."""
        return touched(self.module.scopes, self.bindings.live)

    @cached_property
    def crowded(self) -> frozenset[str]:
        """The names that more than a handful of its functions mention."""
        counts = Counter(name for scope in self.module.scopes.values() for name in scope.mentions)
        return frozenset([name for name, count in counts.items() if count > CROWD])


@dataclass
class Program:
    """All files. Changes only by `set_source` and `forget`."""

    files: dict[str, File] = field(default_factory=dict)
    revision: int = 0
    changed: dict[str, int] = field(default_factory=dict)  # by path: the revision that it came with
    arranged: int = 0  # the revision in which a file came or went
    _index: Files | None = None
    _concerned: tuple[int, tuple[str, ...]] = (-1, ())  # with the revision that it is true for
    _importers_of: Mapping[str, list[str]] = field(default_factory=dict)
    _importers_at: int = -1
    _popular: tuple[int, frozenset[str]] = (-1, frozenset())
    _targets: dict[str, tuple[File, int, list[str]]] = field(default_factory=dict)

    def set_source(self, path: str, source: Source) -> None:
        before = self.files.get(path)
        if before is None:
            self._index = None
        elif "module" not in before.__dict__:
            before = before.before
        self.files[path] = File(path, source, before)
        self.revision += 1
        self.changed[path] = self.revision
        if self._index is None:
            self.arranged = self.revision

    def forget(self, path: str) -> None:
        if self.files.pop(path, None) is not None:
            self._index = None
            self.revision += 1
            self.changed[path] = self.arranged = self.revision

    @property
    def index(self) -> Files:
        if self._index is None:
            self._index = Files(self.files)
        return self._index

    def concerned(self) -> tuple[str, ...]:
        """The files that import torch, and those that import them, directly or through others."""
        if self._concerned[0] != self.revision:
            importing = [path for path, file in self.files.items() if file.imports_torch]
            found = set(importing)
            if len(found) < len(self.files):
                found.update(self._importing(importing))
            self._concerned = self.revision, tuple([path for path in self.files if path in found])
        return self._concerned[1]

    def around(self, path: str) -> tuple[str, ...]:
        """The concerned files whose runs may have something to say of this one: itself, and what imports it,
        directly or through others. Of very many the nearest.
        """
        near, left = {path}, MOST_AROUND
        for importer in self._importing([path]):
            left -= len(self.files[importer].source.text)
            if left < 0:
                break
            near.add(importer)
        return tuple([path for path in self.concerned() if path in near])

    def popular(self) -> frozenset[str]:
        """The files that more than a dozen others import."""
        if self._popular[0] != self.revision:
            importers = self._importers()
            found = frozenset([path for path, others in importers.items() if len(others) > POPULAR])
            self._popular = self.revision, found
        return self._popular[1]

    def _importing(self, paths: list[str]) -> Iterator[str]:
        """What imports these, nearest first."""
        importers = self._importers()
        seen, queue = set(paths), deque(paths)
        while queue:
            for path in importers.get(queue.popleft(), ()):
                if path not in seen:
                    seen.add(path)
                    queue.append(path)
                    yield path

    def _importers(self) -> Mapping[str, list[str]]:
        """By path: the files that may import it."""
        if self._importers_at != self.revision:
            self._importers_at = self.revision
            out: dict[str, list[str]] = {}
            for path, file in self.files.items():
                known = self._targets.get(path)
                if known is None or known[0] is not file or known[1] != self.arranged:
                    found = {self.index.find(module, path) for module in file.mentions} - {path}
                    known = self._targets[path] = file, self.arranged, sorted(t for t in found if t)
                for target in known[2]:
                    out.setdefault(target, []).append(path)
            self._importers_of = out
        return self._importers_of

    def rest(self, path: str) -> None:
        """Lets go of what can be made anew from the text. A notebook's cells are kept, they are few."""
        file = self.files[path]
        if "module" in file.__dict__ and not file.source.cells:
            self.files[path] = rested = File(path, Source.of(file.source.text))
            rested.__dict__["mentions"] = file.mentions
            if path in self._targets:
                self._targets[path] = rested, *self._targets[path][1:]

    def scope(self, key: str) -> ir.Scope | None:
        path, _, inner = key.partition("::")
        file = self.files.get(path)
        return file.module.scopes.get(inner) if file else None

    def definition(self, key: str) -> tuple[str, ir.Define] | None:
        """The full key of the scope that a class or function is defined in, and the instruction that
        defines it.
        """
        path, _, inner = key.partition("::")
        file = self.files.get(path)
        if file is None:
            return None
        for parent in _parents(inner):
            scope = file.module.scopes.get(parent)
            if scope is not None and inner in scope.inner:
                for instr in definitions(scope).values():
                    if isinstance(instr, ir.Define) and instr.key == inner:
                        return f"{path}::{parent}", instr
        return None


def _parents(key: str) -> list[str]:
    parts = key.split(".")
    return [".".join(parts[:n]) for n in range(len(parts) - 1, 0, -1)] + [TOP]


def attributes_set(scope: ir.Scope) -> frozenset[str]:
    """The attributes of its first parameter that a method assigns."""
    if not scope.params:
        return frozenset()
    first = scope.params[0].name
    defs = definitions(scope)
    out = set()
    for instr in defs.values():
        if isinstance(instr, ir.SetAttr):
            base = defs.get(instr.base)
            if isinstance(base, ir.Load) and base.name == first:
                out.add(instr.name)
    return frozenset(out)
