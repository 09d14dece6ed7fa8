"""The Engine itself: what it holds, and one method for each thing that can be asked."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from torchwise.engine import called as call
from torchwise.engine import findings as finding
from torchwise.engine import shown
from torchwise.engine.asking import NEEDS
from torchwise.engine.beside import Beside
from torchwise.engine.entries import Entry, entries
from torchwise.engine.inputs import Input, inputs
from torchwise.engine.noqa import UNUSED, UNUSED_NAME, names_rules, silenced, unused
from torchwise.engine.reading import Run, runs_from
from torchwise.findings import Called, Finding, Hint, Hover, ShapeRow
from torchwise.flow.facts import Facts
from torchwise.ir.nodes import Scope
from torchwise.project.memo import Memo
from torchwise.project.program import Program
from torchwise.project.settings import Settings
from torchwise.rules import all_rules
from torchwise.rules.given_up import without_given_up
from torchwise.rules.rule import Rule
from torchwise.rules.vocabulary import Flag, Reading
from torchwise.syntax.notebook import Cell
from torchwise.syntax.source import Source


@dataclass(frozen=True)
class Said:
    """What the rules said of one run, and the source texts that they used to say it."""

    facts: Facts
    beside: Beside
    flags: tuple[tuple[Rule, Flag], ...]
    words: Mapping[tuple[str, int], str]
    scopes: Mapping[str, Scope | None]  # those that the words are from, as they were

    def still(self, run: Run) -> bool:
        """Whether facts and words are the same. A scope that is the same object has the same text."""
        now, then = (run.facts, *run.beside), (self.facts, *self.beside)
        if len(now) != len(then) or any(a is not b for a, b in zip(now, then, strict=True)):
            return False
        scope = run.memo.program.scope
        changed = {key for key, was in self.scopes.items() if scope(key) is not was}
        return not changed or all(
            run.text_of(*place) == text for place, text in self.words.items() if place[0] in changed
        )


Roots = tuple[str, ...]  # files whose runs, and all that they lead to, are looked at together
KEPT_STEPS = 40_000  # of interpretation: what is kept of files that were asked about before


@dataclass
class Walked:
    """All runs from some roots, by file, and what the rules say of them."""

    runs: dict[str, list[Run]]
    placed: dict[str, list[Finding]] | None = None


@dataclass
class Engine:
    """Stateful: the texts of a project as they are now, and what was found out about them.

    `crashes` tells, once each, of rules or runs that raised; the rest goes on without them.
    """

    settings: Settings = field(default_factory=Settings)
    rules: tuple[Rule, ...] = field(default_factory=all_rules)
    crashes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.program = Program()
        self.memo = Memo(self.program, crashed=self._crashed)
        self._chosen = self._loud(self.settings)
        self._said: dict[int, Said] = {}  # by id of the facts
        self._said_before: dict[int, Said] = {}  # in the last revision
        self._walked: dict[Roots, Walked] = {}
        self._walked_at = -1
        self._used: dict[str, int] = {}  # by path: the walk that last went through it
        self._walks = 0
        self._crashed_in: set[str] = set()

    # -- in

    def set_config(self, settings: Settings) -> None:
        self.settings = settings
        self._chosen = self._loud(self.settings)
        self._said, self._walked_at = {}, -1

    def _loud(self, settings: Settings) -> tuple[Rule, ...]:
        level = settings.level
        return tuple(r for r in self.rules if level(r.code, r.name, r.family, r.level) is not None)

    def set_text(self, path: str, text: str) -> None:
        known = self.program.files.get(path)
        if known is None:
            self.program.set_source(path, Source.of(text))
        elif known.source.text != text:
            self.program.set_source(path, known.source.edited(text))

    def set_notebook(self, path: str, cells: Sequence[Cell]) -> None:
        known = self.program.files.get(path)
        self.program.set_source(path, Source.of_cells(cells, known.source if known else None))

    def forget(self, path: str) -> None:
        self.program.forget(path)

    # -- out

    def findings(self, path: str) -> list[Finding]:
        """All findings that are located in a file, in the order of its text, as far as the files around it
        go.
        """
        return self._of(path, self.program.around) if path in self.program.files else []

    def survey(self, path: str) -> list[Finding]:
        """The same as far as all known files go: for who asks about each of them."""
        if path not in self.program.files:
            return []
        whole = self.program.concerned()
        return finding.in_order(self._of(path, lambda _: whole) + self._idle_comments(path, whole))

    def _idle_comments(self, path: str, roots: Roots) -> list[Finding]:
        """Comments that silence nothing: known only where all files are looked at."""
        source, settings = self.program.files[path].source, self.settings.for_file(path)
        if not names_rules(source) or settings.level(UNUSED, UNUSED_NAME, "", "hint") is None:
            return []
        ours = {key for rule in self.rules for key in (rule.code.lower(), rule.name)}
        on = {key for rule in self._loud(settings) for key in (rule.code.lower(), rule.name)}
        said = self._placed(roots).get(path, [])
        return unused(source, path, said, on.__contains__, ours.__contains__)

    def alone(self, path: str) -> list[Finding]:
        """What is found by running this file alone with what it imports, wherever that is: for projects too
        large to be looked at together.
        """
        roots = (path,) if path in self.program.concerned() else ()
        places = dict.fromkeys((path, *self._placed(roots)))
        return [found for place in places for found in self._of(place, lambda _: roots)]

    def runs(self, path: str) -> list[Run]:
        """The runs of the file's scopes, each with the calls that lead to it."""
        return self._walk(self.program.around(path)).runs.get(path, [])

    def _of(self, path: str, roots: Callable[[str], Roots]) -> list[Finding]:
        found = finding.syntax_errors(self.program, path) + self._placed(roots(path)).get(path, [])
        return silenced(self.program.files[path].source, finding.in_order(found))

    def _walk(self, roots: Roots) -> Walked:
        if self._walked_at != self.program.revision:
            self._walked, self._walked_at = {}, self.program.revision
            self._said_before, self._said = self._said, {}
        if roots not in self._walked:
            self._walked[roots] = Walked(runs_from(self.memo, roots))
            self._let_go(self._walked[roots])
        return self._walked[roots]

    def _let_go(self, walked: Walked) -> None:
        """Keeps what is remembered within bounds. Files that nobody asked about for longest go first."""
        self._walks += 1
        self._used.update(dict.fromkeys(walked.runs, self._walks))
        held = self.memo.steps_by_file()
        over = sum(held.values()) - KEPT_STEPS
        if over <= 0:
            return
        resting = set()
        for path in sorted(held, key=lambda path: self._used.get(path, 0)):
            if over <= -KEPT_STEPS // 2 or self._used.get(path, 0) == self._walks:
                break
            over -= held[path]
            resting.add(path)
        if resting:
            self.memo.let_go(resting)
            self._walked = {roots: each for roots, each in self._walked.items() if each is walked}
            self._said, self._said_before = [
                {key: said for key, said in known.items() if said.facts.key.partition("::")[0] not in resting}
                for known in (self._said, self._said_before)
            ]

    def _placed(self, roots: Roots) -> dict[str, list[Finding]]:
        """By file, what the rules say of all runs. A run may have something to say of another file."""
        walked = self._walk(roots)
        if walked.placed is None:
            walked.placed = {}
            for runs in walked.runs.values():
                for run in runs:
                    known = self._said_of(run)
                    self._said[id(run.facts)] = known
                    for rule, flag in known.flags if not run.expected else ():
                        self._place(rule, run, flag, walked.placed)
        return walked.placed

    def _said_of(self, run: Run) -> Said:
        """The flags of one run: as before, where neither its facts nor the words it uses have changed."""
        known = self._said.get(id(run.facts)) or self._said_before.get(id(run.facts))
        if known is not None and known.still(run):
            return known
        words: dict[tuple[str, int], str] = {}
        reading = run.reading_with(words, self.settings.target_torch)
        flags = []
        for rule in NEEDS.of(self._chosen, reading):
            flags += [(rule, flag) for flag in self._checked(rule, run, reading)]
        flags = without_given_up(reading, flags)
        scopes = {key: self.program.scope(key) for key, _ in words}
        return Said(run.facts, run.beside, tuple(flags), words, scopes)

    def _checked(self, rule: Rule, run: Run, reading: Reading) -> list[Flag]:
        try:
            return NEEDS.check(rule, reading)
        except Exception:
            self._crashed(f"rule {rule.name} on {run.facts.key}")
            return []

    def _place(self, rule: Rule, run: Run, flag: Flag, placed: dict[str, list[Finding]]) -> None:
        try:
            path = run.resolve(flag.at).place[0].partition("::")[0]
            level = self.settings.for_file(path).level(rule.code, rule.name, rule.family, rule.level)
            if level is not None:
                placed.setdefault(path, []).append(finding.placed(self.program, rule, level, run, flag))
        except Exception:
            self._crashed(f"rule {rule.name} on {run.facts.key}")

    def _crashed(self, where: str) -> None:
        """Keeps one report of each rule or run that raised."""
        kind = where.partition(" on ")[0]
        if kind not in self._crashed_in:
            self._crashed_in.add(kind)
            self.crashes.append(f"{where}: {traceback.format_exc(limit=-4)}")

    def inputs(self, path: str, entry: str) -> list[Input] | str:
        """What a function or module of a file is called with, or why that is not clear."""
        if path not in self.program.files:
            return f"`{path}` is not known"
        everywhere = [run for file in self.program.files for run in self.runs(file)]
        return inputs(everywhere, path, entry)

    def entries(self, path: str) -> list[Entry]:
        """What `torch.compile` is given of a file."""
        return entries(self.program, self.runs(path), path) if path in self.program.files else []

    def hover(self, path: str, row: int, col: int, cell: int | None = None) -> Hover | None:
        return (
            shown.hover(self.program, self.runs(path), path, row, col, cell)
            if path in self.program.files
            else None
        )

    def called(self, path: str, row: int, col: int, cell: int | None = None) -> Called | None:
        """The API whose name stands at a place."""
        return (
            call.called(self.program, self.runs(path), path, row, col, cell)
            if path in self.program.files
            else None
        )

    def hints(self, path: str, rows: tuple[int, int] | None = None, cell: int | None = None) -> list[Hint]:
        return (
            shown.hints(self.program, self.runs(path), path, rows, cell) if path in self.program.files else []
        )

    def shapes(self, path: str) -> list[ShapeRow]:
        return shown.shapes(self.program, self.runs(path), path) if path in self.program.files else []
