"""Which API a call under the pointer calls, by what its callee is and not by how it is spelled."""

from __future__ import annotations

from collections.abc import Iterator

from torchwise.domain.join import join, show
from torchwise.domain.value import Any, Pointer, Value
from torchwise.engine.placing import in_file
from torchwise.engine.reading import Run
from torchwise.findings import Called
from torchwise.flow.definitions import definitions
from torchwise.flow.facts import CallFact
from torchwise.ir import nodes as ir
from torchwise.ir.module import Module
from torchwise.project.program import Program
from torchwise.syntax.span import Span

Candidate = tuple[str, Span, CallFact]  # the scope, what is pointed at, and one execution


def called(
    program: Program, runs: list[Run], path: str, row: int, col: int, cell: int | None
) -> Called | None:
    """Of the innermost call whose name stands at a place."""
    module = program.files[path].module
    if cell is not None and module.source.cells:
        found = module.source.from_cell(cell, Span(row, col, row, col))
        if found is None:
            return None
        row, col = found.row, found.col
    there = [each for each in _candidates(module, runs) if each[1].holds(row, col)]
    if not there:
        return None
    key, span, first = max(there, key=lambda each: (each[1].row, each[1].col))
    facts = [fact for scope, _, fact in there if (scope, fact.at) == (key, first.at)]
    names = tuple(dict.fromkeys(symbol_of(fact.spelling) for fact in facts))
    result = _joined([fact.result for fact in facts])
    return Called(in_file(module, path, span), names, _arguments(facts), _shown(result))


def symbol_of(spelling: str) -> str:
    """`torch.nn.Linear.__call__` is told of as the layer, `Tensor.view` by its full name."""
    name = spelling.removesuffix(".__call__")
    return f"torch.{name}" if name.startswith("Tensor.") else name


def _candidates(module: Module, runs: list[Run]) -> Iterator[Candidate]:
    for run in runs:
        key = run.facts.key.partition("::")[2]
        for fact in run.facts.calls:
            if fact.part or "." not in fact.spelling or fact.at not in module.scopes[key].places:
                continue  # what a call calls in turn; functions of the project; what stands nowhere
            span = _name_of(module, key, fact.at)
            if span is not None:
                yield key, span, fact


def _name_of(module: Module, key: str, ref: int) -> Span | None:
    """Where the last part of the callee's name stands."""
    known = definitions(module.scopes[key])
    call = known.get(ref)
    if not isinstance(call, ir.Call) or isinstance(call.callee, str):
        return None
    callee = known.get(call.callee)
    if not isinstance(callee, (ir.Attr, ir.Load)) or call.callee not in module.scopes[key].places:
        return None
    span = module.span(key, call.callee)
    start = span.end_col - len(callee.name)
    return Span(span.end_row, start, span.end_row, span.end_col) if start >= 0 else None


def _arguments(facts: list[CallFact]) -> tuple[tuple[str, str], ...]:
    """What is known of them, in the order of the parameters."""
    out = []
    for name in dict.fromkeys(name for fact in facts for name in fact.args if name != "self"):
        given = [fact.args[name] for fact in facts if name in fact.args]
        classes = {arg.cls.rpartition(".")[2].rpartition(":")[2] for arg in given}
        text = _shown(_joined([arg.value for arg in given])) or (classes.pop() if len(classes) == 1 else "")
        if text and len(given) == len(facts):
            out.append((name, text))
    return tuple(out)


def _joined(values: list[Value]) -> Value:
    first, *rest = values
    for value in rest:
        first = first if value == first else join(first, value)
    return first


def _shown(value: Value) -> str:
    """ "" for what says nothing: the unknown, and an object of the heap."""
    text = "" if isinstance(value, (Any, Pointer)) else show(value)
    return "" if text == "?" else text
