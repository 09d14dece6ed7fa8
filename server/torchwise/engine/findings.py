"""From what a rule says to what a user sees: places become spans."""

from __future__ import annotations

from collections.abc import Iterable

from torchwise.engine.editing import planned
from torchwise.engine.placing import location
from torchwise.engine.reading import Run
from torchwise.findings import Finding, Location, Related
from torchwise.project.program import Program
from torchwise.project.settings import SYNTAX_ERROR
from torchwise.rules.rule import Rule
from torchwise.rules.vocabulary import Flag
from torchwise.syntax.span import Span


def syntax_errors(program: Program, path: str) -> list[Finding]:
    source = program.files[path].source
    out = []
    for span, message in source.errors:
        out.append(Finding(SYNTAX_ERROR, "syntax-error", "error", message, _in_cell(program, path, span)))
    return out


def _in_cell(program: Program, path: str, span: Span) -> Location:
    source = program.files[path].source
    if source.cells:
        cell, inner = source.in_cell(span)
        return Location(path, inner, cell)
    return Location(path, span)


def placed(program: Program, rule: Rule, level: str, run: Run, flag: Flag) -> Finding:
    at = location(program, run.resolve(flag.at), flag.part)
    assert at is not None, f"{rule.name} flags a place that is not in a file"
    related = []
    for site, message in flag.because:
        where = location(program, run.resolve(site), "whole")
        if where is not None and (where, message) not in related:
            related.append((where, message))
    fix = planned(program, run.resolve, flag.fix) if flag.fix else None
    severity = flag.level if flag.level is not None and level == rule.level else level
    return Finding(
        rule.code, rule.name, severity, flag.message, at,  # type: ignore[arg-type]
        tuple(Related(w, m) for w, m in related), fix, rule.url,
    )  # fmt: skip


LOUDNESS = {"hint": 0, "warning": 1, "error": 2}


def in_order(found: Iterable[Finding]) -> list[Finding]:
    """Sorted by place; of several that say the same at one place, the first of the loudest."""
    unique: dict[tuple[object, ...], Finding] = {}
    for one in found:
        span = one.at.span
        key = (
            one.at.cell if one.at.cell is not None else -1,
            span.row,
            span.col,
            span.end_row,
            span.end_col,
            one.code,
        )
        known = unique.get(key)
        if known is None or LOUDNESS[one.severity] > LOUDNESS[known.severity]:
            unique[key] = one
    return _first_of_each_cause([unique[key] for key in sorted(unique)])


def _first_of_each_cause(found: list[Finding]) -> list[Finding]:
    """Of several errors that say the same and name the same cause, the first: there the run ends."""
    told: set[tuple[object, ...]] = set()
    out = []
    for one in found:
        cause = (one.code, one.message, one.related[0]) if one.related else ()
        if one.severity == "error" and cause and cause in told:
            continue
        told.add(cause)
        out.append(one)
    return out
