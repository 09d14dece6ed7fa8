"""Which runs matter to a file: from its own top level and those of its importers down, then what nobody calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from torchwise.domain.value import Site
from torchwise.flow.facts import Facts
from torchwise.flow.variant import Variant
from torchwise.project.memo import Memo
from torchwise.project.program import TOP
from torchwise.rules.vocabulary import Reading

MAX_RUNS = 20_000


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a scope, and how it came to be: the run that called it, at which instruction, with what."""

    memo: Memo
    facts: Facts
    caller: Run | None = None
    ref: int = 0
    sites: tuple[Site, ...] = ()

    @property
    def path(self) -> str:
        return self.facts.key.partition("::")[0]

    def resolve(self, site: Site) -> Site:
        """A site in the words of the outermost caller: "^" sites are what the caller handed over."""
        run: Run | None = self
        while site.scope == "^" and run is not None:
            if not site.part.startswith("graph") and site.ref < len(run.sites):
                inner = run.sites[site.ref]
                site = Site(inner.scope, inner.ref, inner.turn, inner.part + site.part, inner.at)
                run = run.caller
            elif run.caller is not None:
                return Site(run.caller.facts.key, run.ref)
            else:
                break
        return site

    @cached_property
    def reading(self) -> Reading:
        return Reading(self.facts, self._text, self.resolve)

    def _text(self, scope: str, ref: int) -> str:
        path, _, key = scope.partition("::")
        file = self.memo.program.files.get(path)
        if file is None or key not in file.module.scopes or ref not in file.module.scopes[key].places:
            return ""
        return file.module.text(key, ref)


def runs_of(memo: Memo, path: str) -> list[Run]:
    memo.refresh()
    importers = _importers(memo, path)
    found: list[Run] = []
    reached: set[str] = set()
    seen: set[Variant] = set()
    for file in sorted(importers, key=lambda p: (p == path, p)):
        _collect(memo, Variant(f"{file}::{TOP}", ()), path, found, reached, seen)
    for file in sorted(importers, key=lambda p: (p != path, p)):
        for key in memo.program.files[file].module.scopes:
            full = f"{file}::{key}"
            if key != TOP and full not in reached:
                variant = generic(memo, full)
                if variant is not None:
                    _collect(memo, variant, path, found, reached, seen)
    return found


def generic(memo: Memo, key: str) -> Variant | None:
    """The variant of a function that nobody calls: parameters by their roles. Functions inside functions have none."""
    scope = memo.program.scope(key)
    if scope is None or scope.kind == "lambda":
        return None
    if scope.kind == "class":
        return Variant(key, ())
    where = memo.program.definition(key)
    if where is None:
        return None
    parent = memo.program.scope(where[0])
    if parent is None or parent.kind not in ("module", "class"):
        return None
    from torchwise.project.classes import decoration

    regions, static = decoration(memo, where[0], where[1])
    method = parent.kind == "class" and static != "staticmethod"
    return Variant(key, None, owner=where[0] if method else None, regions=regions)


def _collect(memo: Memo, variant: Variant, path: str, found: list[Run], reached: set[str], seen: set[Variant]) -> None:
    entry = memo.entry(variant)
    if entry is None:
        reached.add(variant.scope)
        return
    queue = [Run(memo, entry.result.facts)]
    seen.add(variant)
    while queue and len(found) < MAX_RUNS:
        run = queue.pop(0)
        reached.add(run.facts.key)
        if run.path == path:
            found.append(run)
        for entered in run.facts.entered:
            if entered.variant in seen:
                continue
            inner = memo.entry(entered.variant)
            if inner is not None:
                seen.add(entered.variant)
                queue.append(Run(memo, inner.result.facts, run, entered.at, entered.sites))


def _importers(memo: Memo, path: str) -> set[str]:
    """The file, and every file of the project that imports it, directly or through others."""
    importers: dict[str, set[str]] = {}
    for file, targets in imported_files(memo):
        for target in targets:
            importers.setdefault(target, set()).add(file)
    out, queue = {path}, [path]
    while queue:
        for file in importers.get(queue.pop(), ()):
            if file not in out:
                out.add(file)
                queue.append(file)
    return out


def imported_files(memo: Memo) -> Iterator[tuple[str, frozenset[str]]]:
    for path in memo.program.files:
        yield path, memo.program.imports_of(path)


