"""The Engine itself: what it holds, and one method for each thing that can be asked."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field

from torchwise.engine import findings as finding
from torchwise.engine import shown
from torchwise.engine.noqa import silenced
from torchwise.engine.reading import Run, all_runs
from torchwise.findings import Finding, Hint, Hover, ShapeRow
from torchwise.flow.facts import Facts
from torchwise.project.memo import Memo
from torchwise.project.program import Program
from torchwise.project.settings import Settings
from torchwise.rules import all_rules
from torchwise.rules.rule import Rule
from torchwise.syntax.notebook import Cell
from torchwise.syntax.source import Source


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
        self._said: dict[tuple[str, int], tuple[Facts, tuple[object, ...], list[Finding]]] = {}
        self._runs: dict[str, list[Run]] = {}
        self._runs_at = -1

    # -- in

    def set_config(self, settings: Settings) -> None:
        self.settings = settings

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
        """All findings of a file, in the order of its text."""
        if path not in self.program.files:
            return []
        found = finding.syntax_errors(self.program, path)
        settings = self.settings.for_file(path)
        for rule in self.rules:
            level = settings.level(rule.code, rule.name, rule.family, rule.level)
            if level is None:
                continue
            for run in self.runs(path):
                found += self._checked(rule, level, run)
        unique = finding.in_order(found)
        return silenced(self.program.files[path].source, unique)

    def runs(self, path: str) -> list[Run]:
        """The runs of the file's scopes, each with the calls that lead to it."""
        if self._runs_at != self.program.revision:
            self._runs, self._runs_at = all_runs(self.memo), self.program.revision
        return self._runs.get(path, [])

    def _checked(self, rule: Rule, level: str, run: Run) -> list[Finding]:
        try:
            flags = list(rule.check(run.reading))
            return [finding.placed(self.program, rule, level, run, flag) for flag in flags]
        except Exception:
            self._crashed(f"rule {rule.name} on {run.facts.key}")
            return []

    def _crashed(self, where: str) -> None:
        report = f"{where}: {traceback.format_exc(limit=-4)}"
        if report not in self.crashes:
            self.crashes.append(report)

    def hover(self, path: str, row: int, col: int, cell: int | None = None) -> Hover | None:
        return shown.hover(self.program, self.runs(path), path, row, col, cell) if path in self.program.files else None

    def hints(self, path: str, rows: tuple[int, int] | None = None, cell: int | None = None) -> list[Hint]:
        return shown.hints(self.program, self.runs(path), path, rows, cell) if path in self.program.files else []

    def shapes(self, path: str) -> list[ShapeRow]:
        return shown.shapes(self.program, self.runs(path), path) if path in self.program.files else []
