"""Which runs matter to a file: from its own top level and those of its importers down, then what nobody
calls.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from torchwise.domain.value import Site
from torchwise.engine.beside import Beside, read_beside, ways
from torchwise.flow.definitions import definitions
from torchwise.flow.facts import Facts
from torchwise.flow.variant import Variant
from torchwise.ir import nodes as ir
from torchwise.project.memo import Memo
from torchwise.project.program import TOP
from torchwise.rules.vocabulary import Reading
from torchwise.rules.vocabulary.happening import refs_within


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a scope, and how it came to be: the run that called it, at which instruction, with what.

    `beside`: the runs that other paths of its caller come to by the same call. `expected`: every known way to
    it leads through a block that expects an exception.
    """

    memo: Memo
    facts: Facts
    caller: Run | None = None
    ref: int = 0
    sites: tuple[Site, ...] = ()
    beside: Beside = ()
    expected: bool = False

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
    def expecting(self) -> frozenset[int]:
        """The instructions in `with pytest.raises(...)` and the like."""
        made = definitions(self.facts.scope)
        told = [i for i in made.of_kind(ir.With) if RAISES.search(self.text_of(self.facts.key, i.context))]
        return frozenset[int]().union(*(refs_within(inner) for block in told for inner in block.body))

    def reading_with(self, words: dict[tuple[str, int], str], torch: str | None = None) -> Reading:
        """What rules read, for a version of torch. Source texts that they ask for are noted in `words`."""

        def text_of(scope: str, ref: int) -> str:
            words[scope, ref] = text = self.text_of(scope, ref)
            return text

        return Reading(read_beside(self.facts, self.beside), text_of, self.resolve, torch)

    def text_of(self, scope: str, ref: int) -> str:
        path, _, key = scope.partition("::")
        file = self.memo.program.files.get(path)
        if file is None or key not in file.module.scopes or ref not in file.module.scopes[key].places:
            return ""
        return file.module.text(key, ref)


def runs_from(memo: Memo, paths: Sequence[str]) -> dict[str, list[Run]]:
    """The runs that these files lead to, by file: first whatever the modules' own runs lead to, then what
    nobody calls.
    """
    memo.refresh()
    walk = _Walk(memo)
    with _room():
        for path in paths:
            walk.down(Variant(f"{path}::{TOP}", ()))
        for path in paths:
            for key in memo.program.files[path].module.scopes:
                full = f"{path}::{key}"
                if key != TOP and full not in walk.reached:
                    variant = memo.generic(full)
                    if variant is not None:
                        walk.down(variant)
    found: dict[str, list[Run]] = {}
    for run in walk.runs.values():
        found.setdefault(run.path, []).append(run)
    return found


FRAMES = 5_000  # of Python: scopes are run within scopes, and names looked up through imports of imports


@contextmanager
def _room() -> Iterator[None]:
    """Other code in this process keeps the limit that it has: its recursion may go through C."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


RAISES = re.compile(r"raises", re.IGNORECASE)  # of pytest, unittest, and helpers of a project


def _clearer(before: Run, beside: Beside, expected: bool) -> bool:
    """Whether another way to a run lets more be said of it."""
    if before.expected != expected:
        return before.expected
    return bool(before.beside) and not beside


class _Walk:
    """From a run down to all that it called, each variant once: where no other path stands beside it, if
    there is such a way to it.
    """

    def __init__(self, memo: Memo):
        self.memo = memo
        self.reached: set[str] = set()
        self.runs: dict[Variant, Run] = {}
        self.facts: dict[Variant, Facts | None] = {}

    def known(self, variant: Variant) -> Facts | None:
        if variant not in self.facts:
            entry = self.memo.entry(variant)
            self.facts[variant] = None if entry is None else entry.result.facts
        return self.facts[variant]

    def down(self, variant: Variant) -> None:
        facts = self.known(variant)
        if facts is None:
            self.reached.add(variant.scope)
            return
        queue = [variant]
        self.runs[variant] = Run(self.memo, facts)
        while queue:
            run = self.runs[queue.pop()]
            self.reached.add(run.facts.key)
            for way in ways(self.known, run.facts, run.beside):
                entered = way.entered
                expected = run.expected or entered.at in run.expecting
                before = self.runs.get(entered.variant)
                if before is not None and not _clearer(before, way.beside, expected):
                    continue
                inner = self.known(entered.variant)
                if inner is not None:
                    made = Run(self.memo, inner, run, entered.at, entered.sites, way.beside, expected)
                    self.runs[entered.variant] = made
                    queue.append(entered.variant)
