"""Where a site stands in the text as it is now."""

from __future__ import annotations

from torchwise.domain.value import Site
from torchwise.findings import Location
from torchwise.flow.definitions import definitions, operands
from torchwise.ir import nodes as ir
from torchwise.ir.module import Module
from torchwise.project.program import Program
from torchwise.rules.structure import loops_around
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


def scope_at(program: Program, site: Site) -> ir.Scope:
    path, _, key = site.place[0].partition("::")
    return program.files[path].module.scopes[key]


def innermost_loop(program: Program, site: Site) -> Site | None:
    """The loop right around a site, in its scope."""
    scope, ref = scope_at(program, site), site.place[1]
    around = [loop for loop in loops_around(scope, ref) if not loop.comprehension]
    return Site(site.place[0], around[-1].out) if around else None


def argument(program: Program, site: Site, part: str, plain: bool = False) -> Location | None:
    """Where an argument of the call at a site stands. `part`: "name:0" for its name and its place among the
    positional ones, "self" for what a method is called on, "operand" for what a function, a layer or a
    method of one tensor works on. `plain`: only where it is made of literals alone.
    """
    scope, ref = site.place
    path, _, key = scope.partition("::")
    module = program.files[path].module
    made = definitions(module.scopes[key])
    call = made.get(ref)
    if not isinstance(call, ir.Call):
        return None
    if part in ("self", "operand"):
        callee = made.get(call.callee) if isinstance(call.callee, int) else None
        found = callee.base if isinstance(callee, ir.Attr) else None
        if part == "operand":
            found = _operand(program, site, call, found)
    else:
        name, _, number = part.partition(":")
        found = next((a.ref for a in call.args if a.name == name), None) or _positional(call, int(number))
    if found is None or (plain and not _of_literals(made, found)):
        return None
    return in_file(module, path, module.span(key, found))


def fills_its_place(program: Program, site: Site) -> bool:
    """Whether a value is all of what a statement stores or returns, or all of an argument."""
    made, ref = definitions(scope_at(program, site)), site.place[1]
    for use in made.values():
        if ref in operands(use):
            alone = isinstance(use, ir.Store | ir.SetAttr | ir.Return)
            if not alone and not (
                isinstance(use, ir.Call) and isinstance(use.callee, int) and use.callee != ref
            ):
                return False
    return True


def _positional(call: ir.Call, number: int) -> int | None:
    plain = [a.ref for a in call.args if not a.name and not a.stars]
    return plain[number] if len(plain) > number else None


def _operand(program: Program, site: Site, call: ir.Call, base: int | None) -> int | None:
    """`F.softmax(x, 1)`, `self.softmax(x)` or `x.softmax(1)`; None for what may be the first or the last."""
    scope = scope_at(program, site)
    made, first = definitions(scope), _positional(call, 0)
    named = next((a.ref for a in call.args if a.name == "input"), None)
    if named is not None or base is None:
        return first if named is None else named
    if first is None or isinstance(made.get(first), ir.Const):
        return base
    root = made.get(base)
    while isinstance(root, ir.Attr):
        root = made.get(root.base)
    if not isinstance(root, ir.Load):
        return None
    fixed = program.files[site.place[0].partition("::")[0]].bindings.fixed
    imported = isinstance(fixed.get(root.name, (root,))[-1], ir.Import)
    own = bool(scope.params) and scope.params[0].name == root.name == "self"
    return first if imported or own else None


def _of_literals(made: dict[int, ir.Instr], ref: int) -> bool:
    match made.get(ref):
        case ir.Const():
            return True
        case ir.Call(callee=str() as operator, args=args) if operator.startswith("operator."):
            return all(_of_literals(made, a.ref) for a in args)
    return False
