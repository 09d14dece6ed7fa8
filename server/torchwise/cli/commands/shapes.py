"""`torchwise shapes`: what is known of the tensors that a file binds."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from torchwise.cli.options import RULES, Asked, with_options
from torchwise.cli.outcome import CLEAN, TROUBLE, complain
from torchwise.cli.scan import Scan
from torchwise.findings import ShapeRow


@click.command(short_help="Show the inferred shapes of a file.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@with_options(
    *RULES,
    click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True),
)
@click.pass_context
def shapes(ctx: click.Context, file: str, output_format: str, **asked: Any) -> None:
    """Shows shape, dtype and device of each tensor that FILE binds to a name, as far as they are certain."""
    from torchwise.cli.analysis import Checker

    projects, troubles = Asked(paths=(file,), **asked).load()
    rows: list[ShapeRow] = []
    found = Scan(troubles, files=1)
    for project in projects:
        checker = Checker(project.settings, project.documents)
        for path in project.asked:
            rows += checker.engine.shapes(path)
            found.crashes += checker.answer(path).crashes
    if output_format == "json":
        click.echo(json.dumps([_entry(row) for row in rows], indent=2))
    else:
        _print_table(rows, os.path.relpath(file))
    complain(found)
    ctx.exit(TROUBLE if found.troubles else CLEAN)


def _entry(row: ShapeRow) -> dict[str, Any]:
    """Cells and rows count from 1."""
    entry = {
        "row": row.row,
        "name": row.name,
        "shape": row.shape,
        "dtype": row.dtype,
        "device": row.device,
        "requires_grad": row.requires_grad,
    }
    return entry if row.cell is None else {"cell": row.cell + 1, **entry}


def _print_table(rows: list[ShapeRow], file: str) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("Line", "Name", "Shape", "Dtype", "Device", "Grad", box=None, pad_edge=False)
    for row in rows:
        line = str(row.row) if row.cell is None else f"cell {row.cell + 1}:{row.row}"
        grad = {True: "yes", False: "no", None: "?"}[row.requires_grad]
        table.add_row(line, row.name, _sizes(row), row.dtype or "?", row.device or "?", grad)
    console = Console(highlight=False, markup=False)
    console.print(table if rows else f"No tensors are known in {file}")


def _sizes(row: ShapeRow) -> str:
    if row.shape is None:
        return "?"
    return f"[{', '.join('?' if size is None else str(size) for size in row.shape)}]"
