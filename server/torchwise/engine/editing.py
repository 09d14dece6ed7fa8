"""From plans to text edits: what a rule wants changed, where it stands in the files as they are now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from torchwise.domain.value import Site
from torchwise.engine.placing import (
    argument,
    body_start,
    definition_line,
    fills_its_place,
    innermost_loop,
    location,
    scope_at,
    statement_indent,
)
from torchwise.findings import Edit, Fix, Location
from torchwise.fixes.edits import Change, FixPlan
from torchwise.project.program import Program
from torchwise.syntax.source import Source
from torchwise.syntax.span import Span

STATEMENTS = frozenset(("statement", "before", "after", "delete", "wrap", "rewrite"))
ANYWHERE = frozenset(("replace", "append", "decorate", "argument", "unwrap", "loop-start"))


@dataclass(frozen=True)
class _At:
    """Where a change goes: in a file or cell, and with which white space before its statement."""

    program: Program
    site: Site
    where: Location
    indent: str
    resolve: Callable[[Site], Site]

    @property
    def span(self) -> Span:
        return self.where.span

    def edit(self, row: int, col: int, end_row: int, end_col: int, text: str) -> Edit:
        return Edit(replace(self.where, span=Span(row, col, end_row, end_col)), text)

    def insert(self, row: int, col: int, text: str) -> Edit:
        return self.edit(row, col, row, col, text)

    def imports(self, name: str) -> bool:
        """Whether the file binds a name once and for all, as imports do."""
        return name in self.program.files[self.where.path].bindings.fixed


def planned(program: Program, resolve: Callable[[Site], Site], plan: FixPlan) -> Fix | None:
    """None where one of the changes cannot be made as the text stands."""
    edits: list[Edit] = []
    for change in plan.changes:
        site = resolve(change.at)
        where = location(program, site, "statement" if change.kind in STATEMENTS else "whole")
        indent = statement_indent(program, site) if where is not None else None
        if where is None or (indent is None and change.kind not in ANYWHERE):
            return None
        made = _KINDS[change.kind](_At(program, site, where, indent or "", resolve), change)
        if made is None:
            return None
        edits += made
    return Fix(plan.title, tuple(edits), plan.safe)


def _replace(at: _At, change: Change) -> list[Edit]:
    return [Edit(at.where, change.text)]


def _append(at: _At, change: Change) -> list[Edit]:
    return [at.insert(at.span.end_row, at.span.end_col, change.text)]


def _before(at: _At, change: Change) -> list[Edit]:
    lines = "".join(f"{line}\n{at.indent}" for line in change.text.splitlines())
    return [at.insert(at.span.row, at.span.col, lines)]


def _after(at: _At, change: Change) -> list[Edit]:
    lines = "".join(f"\n{at.indent}{line}" for line in change.text.splitlines())
    behind = _Lines(at).behind()
    said = len(behind.rstrip()) if behind.lstrip().startswith("#") else 0  # stays with its statement
    return [at.insert(at.span.end_row, at.span.end_col + said, lines)]


def _delete(at: _At, change: Change) -> list[Edit] | None:
    """With its lines; `pass` takes its place where its block would be empty."""
    lines = _Lines(at)
    behind = lines.behind().lstrip()
    if behind and not behind.startswith("#"):
        return None  # another statement on the same line
    if lines.alone():
        return [Edit(at.where, "pass")]
    return [at.edit(at.span.row, 0, at.span.end_row + 1, 0, "")]


def _wrap(at: _At, change: Change) -> list[Edit]:
    """A header line before the statement, and one more level of indentation for each of its lines."""
    step = "\t" if at.indent.endswith("\t") else "    "
    out = [at.insert(at.span.row, at.span.col, f"{change.text}\n{at.indent}{step}")]
    return out + [at.insert(row, 0, step) for row in range(at.span.row + 1, at.span.end_row + 1)]


def _body_start(at: _At, change: Change) -> list[Edit] | None:
    return _first_in(at.program, at.site, change)


def _loop_start(at: _At, change: Change) -> list[Edit] | None:
    loop = innermost_loop(at.program, at.site)
    return _first_in(at.program, loop, change) if loop is not None else None


def _first_in(program: Program, site: Site, change: Change) -> list[Edit] | None:
    found = body_start(program, site)
    if found is None:
        return None
    place, inner = found
    return [Edit(place, "".join(f"{line}\n{inner}" for line in change.text.splitlines()))]


def _decorate(at: _At, change: Change) -> list[Edit] | None:
    found = definition_line(at.program, at.site)
    if found is None or not at.imports(change.text.lstrip("@").partition(".")[0]):
        return None
    place, indent = found
    return [Edit(place, f"{change.text}\n{indent}")]


def _argument(at: _At, change: Change) -> list[Edit] | None:
    found = argument(at.program, at.site, change.part, plain=True)
    return [Edit(found, change.text)] if found is not None else None


def _unwrap(at: _At, change: Change) -> list[Edit] | None:
    """The call gives way to one of its arguments, or to what its method is called on."""
    from torchwise.fixes.rewriting import as_operand  # LibCST takes long to import, and few fixes need it

    found = argument(at.program, at.site, change.part)
    if found is None or found.cell != at.where.cell:
        return None
    inner = _Lines(at).between(found.span)
    whole = fills_its_place(at.program, at.site) and "\n" not in inner
    return [Edit(at.where, inner if whole else as_operand(inner))]


def _rewrite(at: _At, change: Change) -> list[Edit] | None:
    from torchwise.fixes.rewriting import REWRITINGS, Around

    where = at.where
    if change.until is not None:
        end = location(at.program, at.resolve(change.until), "statement")
        if end is None or end.cell != where.cell or end.path != where.path:
            return None
        where = replace(where, span=replace(end.span, row=at.span.row, col=at.span.col))
    scope = scope_at(at.program, at.site)
    own = scope.stores if scope.kind not in ("module", "class") else None
    around = Around(at.indent, own, at.imports)
    text = REWRITINGS[change.text](_Lines(at).between(where.span), around)
    return [Edit(where, text)] if text else None


@dataclass(frozen=True)
class _Lines:
    """The text of a file or cell around a statement."""

    at: _At

    @property
    def source(self) -> Source:
        return self.at.program.files[self.at.where.path].source

    def _in_file(self, span: Span) -> Span:
        cell = self.at.where.cell
        return span if cell is None else self.source.from_cell(cell, span) or span

    def between(self, span: Span) -> str:
        return self.source.slice(self._in_file(span)).replace("\r\n", "\n")

    def behind(self) -> str:
        span = self._in_file(self.at.span)
        return self.source.line(span.end_row)[span.end_col :]

    def alone(self) -> bool:
        """Whether nothing else stands in its block."""
        span, indent = self._in_file(self.at.span), len(self.at.indent)
        return self._less(span.row - 1, -1, indent) and self._less(span.end_row + 1, 1, indent)

    def _less(self, row: int, step: int, indent: int) -> bool:
        """Whether the next line of code that way is indented less."""
        while 0 < row <= self.source.text.count("\n") + 1:
            line = self.source.line(row)
            if line.strip() and not line.lstrip().startswith("#"):
                return len(line) - len(line.lstrip()) < indent
            row += step
        return indent > 0


_KINDS: dict[str, Callable[[_At, Change], list[Edit] | None]] = {
    "decorate": _decorate,
    "replace": _replace,
    "statement": _replace,
    "append": _append,
    "before": _before,
    "after": _after,
    "delete": _delete,
    "wrap": _wrap,
    "body-start": _body_start,
    "loop-start": _loop_start,
    "argument": _argument,
    "unwrap": _unwrap,
    "rewrite": _rewrite,
}
