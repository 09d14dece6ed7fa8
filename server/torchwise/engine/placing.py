"""Where a site stands in the text as it is now."""

from __future__ import annotations

from torchwise.domain.value import Site
from torchwise.findings import Location
from torchwise.flow.definitions import definitions
from torchwise.ir import nodes as ir
from torchwise.ir.module import Module
from torchwise.project.program import Program
from torchwise.syntax.span import Span

HEADED = (ir.If, ir.Loop, ir.With, ir.Try)


def location(program: Program, site: Site, part: str) -> Location | None:
    """`part`: "whole", "header", "statement", or "name" (of the function or class that the scope is)."""
    scope, ref = site.place
    path, _, key = scope.partition("::")
    file = program.files.get(path)
    if file is None or key not in file.module.scopes:
        return None
    span = span_of(file.module, key, ref, part)
    return None if span is None else in_file(file.module, path, span)


def span_of(module: Module, key: str, ref: int, part: str) -> Span | None:
    if part == "name" or ref <= 0 or ref not in module.scopes[key].places:
        return module.name(key)
    if part == "statement":
        return module.statement(key, ref)
    if part == "header" or isinstance(definitions(module.scopes[key]).get(ref), HEADED):
        return module.header(key, ref)
    return module.span(key, ref)


def in_file(module: Module, path: str, span: Span) -> Location:
    if module.source.cells:
        cell, inner = module.source.in_cell(span)
        return Location(path, inner, cell)
    return Location(path, span)


def statement_indent(program: Program, site: Site) -> str | None:
    """The white space before the statement of a site; None where something else stands before it on the
    line.
    """
    scope, ref = site.place
    path, _, key = scope.partition("::")
    module = program.files[path].module
    if ref not in module.scopes[key].places:
        return None
    span = module.statement(key, ref)
    before = module.source.line(span.row)[: span.col]
    return before if not before.strip() else None


def body_start(program: Program, site: Site) -> tuple[Location, str] | None:
    """Before the first statement in the body of a loop (or of the scope, where the site is the scope's
    own).
    """
    scope, ref = site.place
    path, _, key = scope.partition("::")
    module = program.files[path].module
    instr = definitions(module.scopes[key]).get(ref)
    body = instr.body if isinstance(instr, ir.Loop | ir.With) else module.scopes[key].body
    own = module.header(key, ref) if instr is not None else None
    for inner in body:
        if inner.out not in module.scopes[key].places:
            continue
        span = module.statement(key, inner.out)
        if own is not None and span.row <= own.end_row:
            continue  # the stores of the loop's own target
        indent = module.source.line(span.row)[: span.col]
        return (in_file(module, path, span.start), indent) if not indent.strip() else None
    return None


def definition_line(program: Program, site: Site) -> tuple[Location, str] | None:
    """Before the `def` of the function that a site's scope is, and its indentation."""
    scope, _ = site.place
    path, _, key = scope.partition("::")
    module = program.files[path].module
    name = module.name(key)
    if name is None:
        return None
    line = module.source.line(name.row)
    indent = line[: len(line) - len(line.lstrip())]
    return in_file(module, path, Span(name.row, len(indent), name.row, len(indent))), indent
