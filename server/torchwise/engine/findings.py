"""From what a rule says to what a user sees: places become spans, plans become edits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from torchwise.domain.value import Site
from torchwise.engine.placing import definition_line, location, statement_indent
from torchwise.engine.reading import Run
from torchwise.findings import Edit, Finding, Fix, Location, Related
from torchwise.fixes.edits import Change, FixPlan
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
    fix = _planned(program, run, flag.fix) if flag.fix else None
    severity = flag.level if flag.level is not None and level == rule.level else level
    return Finding(
        rule.code, rule.name, severity, flag.message, at,  # type: ignore[arg-type]
        tuple(Related(w, m) for w, m in related), fix, rule.url,
    )  # fmt: skip


def _planned(program: Program, run: Run, plan: FixPlan) -> Fix | None:
    edits: list[Edit] = []
    for change in plan.changes:
        made = _edits(program, run, change)
        if made is None:
            return None
        edits += made
    return Fix(plan.title, tuple(edits), plan.safe)


def _edits(program: Program, run: Run, change: Change) -> list[Edit] | None:
    site = run.resolve(change.at)
    where = location(program, site, "statement" if change.kind in _STATEMENTS else "whole")
    if where is None:
        return None
    span, indent = where.span, statement_indent(program, site)
    if change.kind not in ("replace", "append", "decorate") and indent is None:
        return None
    return _KINDS[change.kind](where, span, indent or "", change.text, program, site)


_STATEMENTS = frozenset(("statement", "before", "after", "delete", "wrap"))


def _replace(where: Location, span: Span, indent: str, text: str, program: Program, site: Site) -> list[Edit]:
    return [Edit(where, text)]


def _append(where: Location, span: Span, indent: str, text: str, program: Program, site: Site) -> list[Edit]:
    return [Edit(replace(where, span=Span(span.end_row, span.end_col, span.end_row, span.end_col)), text)]


def _before(where: Location, span: Span, indent: str, text: str, program: Program, site: Site) -> list[Edit]:
    lines = "".join(f"{line}\n{indent}" for line in text.splitlines())
    return [Edit(replace(where, span=span.start), lines)]


def _after(where: Location, span: Span, indent: str, text: str, program: Program, site: Site) -> list[Edit]:
    lines = "".join(f"\n{indent}{line}" for line in text.splitlines())
    end = Span(span.end_row, span.end_col, span.end_row, span.end_col)
    return [Edit(replace(where, span=end), lines)]


def _delete(where: Location, span: Span, indent: str, text: str, program: Program, site: Site) -> list[Edit]:
    return [Edit(replace(where, span=Span(span.row, 0, span.end_row + 1, 0)), "")]


def _wrap(where: Location, span: Span, indent: str, text: str, program: Program, site: Site) -> list[Edit]:
    """A header line before the statement, and one more level of indentation for each of its lines."""
    out = [Edit(replace(where, span=span.start), f"{text}\n{indent}    ")]
    for row in range(span.row + 1, span.end_row + 1):
        out.append(Edit(replace(where, span=Span(row, 0, row, 0)), "    "))
    return out


def _body_start(
    where: Location, span: Span, indent: str, text: str, program: Program, site: Site
) -> list[Edit] | None:
    from torchwise.engine.placing import body_start

    found = body_start(program, site)
    if found is None:
        return None
    at, inner = found
    return [Edit(at, "".join(f"{line}\n{inner}" for line in text.splitlines()))]


def _decorate(
    where: Location, span: Span, indent: str, text: str, program: Program, site: Site
) -> list[Edit] | None:
    found = definition_line(program, site)
    path = site.place[0].partition("::")[0]
    if found is None or text.lstrip("@").partition(".")[0] not in program.files[path].bindings.fixed:
        return None
    at, indent = found
    return [Edit(at, f"{text}\n{indent}")]


_KINDS = {
    "decorate": _decorate,
    "replace": _replace,
    "statement": _replace,
    "append": _append,
    "before": _before,
    "after": _after,
    "delete": _delete,
    "wrap": _wrap,
    "body-start": _body_start,
}


def in_order(found: Iterable[Finding]) -> list[Finding]:
    """Sorted by place; of several that say the same at one place, the first."""
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
        unique.setdefault(key, one)
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
