"""What editors show of inferred values: hovers, inlay hints, and the table of shapes."""

from __future__ import annotations

from torchwise.domain.device import is_choice
from torchwise.domain.dim import Dim
from torchwise.domain.join import join, show
from torchwise.domain.value import Tensor, Value
from torchwise.engine.placing import in_file
from torchwise.engine.reading import Run
from torchwise.findings import Hint, Hover, ShapeRow
from torchwise.flow.definitions import definitions
from torchwise.ir import nodes as ir
from torchwise.ir.module import Module
from torchwise.project.program import Program
from torchwise.syntax.span import Span


def _values(runs: list[Run]) -> dict[tuple[str, int], Value]:
    """By scope and instruction: what it may be in any of its runs."""
    out: dict[tuple[str, int], Value] = {}
    for run in runs:
        key = run.facts.key.partition("::")[2]
        for ref, value in run.facts.values.items():
            known = out.get((key, ref))
            out[key, ref] = value if known is None or known == value else join(known, value)
    return out


def _assignments(
    module: Module, values: dict[tuple[str, int], Value]
) -> list[tuple[str, ir.Store, Span, Tensor]]:
    out = []
    for (key, ref), value in values.items():
        instr = definitions(module.scopes[key]).get(ref)
        if isinstance(instr, ir.Store) and isinstance(value, Tensor) and "#" not in instr.name:
            out.append((key, instr, module.span(key, ref), value))
    return sorted(out, key=lambda row: (row[2].row, row[2].col))


def shapes(program: Program, runs: list[Run], path: str) -> list[ShapeRow]:
    module = program.files[path].module
    rows = []
    for key, instr, _, tensor in _assignments(module, _values(runs)):
        statement = module.statement(key, instr.out)
        at = in_file(module, path, statement)
        sizes = None if tensor.shape is None else tuple(_size(d) for d in tensor.shape)
        grad = None if tensor.requires_grad.unknown else tensor.requires_grad.holds
        device = None if is_choice(tensor.device) else tensor.device
        rows.append(ShapeRow(at.span.row, instr.name, sizes, tensor.dtype, device, grad, at.cell))
    return rows


def _size(dim: Dim) -> int | str | None:
    if dim.number is not None:
        return dim.number
    return None if dim.hidden else str(dim)


def hints(
    program: Program, runs: list[Run], path: str, rows: tuple[int, int] | None, cell: int | None
) -> list[Hint]:
    module = program.files[path].module
    out = []
    for _, _, span, tensor in _assignments(module, _values(runs)):
        at = in_file(module, path, span)
        inside = rows is None or rows[0] <= at.span.row <= rows[1]
        if tensor.shape is not None and inside and (cell is None or at.cell == cell):
            out.append(Hint(at, f": {show(tensor)}", described(tensor)))
    return out


def described(tensor: Tensor) -> str:
    lines = [f"shape {show(tensor)}"]
    if tensor.strides is not None:
        lines.append(f"strides ({', '.join(map(str, tensor.strides))})")
    if tensor.device is not None:
        lines.append(f"device {tensor.device}")
    if not tensor.requires_grad.unknown:
        lines.append("requires grad" if tensor.requires_grad.holds else "no grad")
    return "\n".join(lines)


def hover(program: Program, runs: list[Run], path: str, row: int, col: int, cell: int | None) -> Hover | None:
    """The innermost expression at a place whose value is known."""
    module = program.files[path].module
    if cell is not None and module.source.cells:
        found = module.source.from_cell(cell, Span(row, col, row, col))
        if found is None:
            return None
        row, col = found.row, found.col
    best: tuple[Span, Value] | None = None
    for (key, ref), value in _values(runs).items():
        if ref not in module.scopes[key].places:
            continue
        span = module.span(key, ref)
        if span.holds(row, col) and (best is None or _within(span, best[0])):
            best = span, value
    if best is None or not isinstance(best[1], Tensor):
        return None
    text = module.source.slice(best[0]).strip().splitlines()
    title = text[0] if text else ""
    details = "  \n".join(described(best[1]).splitlines())
    return Hover(in_file(module, path, best[0]), f"```python\n{title}: {show(best[1])}\n```\n{details}")


def _within(inner: Span, outer: Span) -> bool:
    return (inner.row, inner.col) >= (outer.row, outer.col) and (inner.end_row, inner.end_col) <= (
        outer.end_row,
        outer.end_col,
    )
