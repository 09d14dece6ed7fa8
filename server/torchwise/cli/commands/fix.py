"""`torchwise fix`: applies what `check` proposes."""

from __future__ import annotations

from typing import Any

import click

from torchwise.cli.mending import mended, shown
from torchwise.cli.options import FILES, Asked, with_options
from torchwise.cli.outcome import CLEAN, TROUBLE, complain, is_loud
from torchwise.cli.scan import scan
from torchwise.report.run import counted


@click.command(short_help="Apply fixes to files and folders.")
@with_options(
    *FILES,
    click.option("--unsafe-fixes", is_flag=True, help="Fixes that may change more than the fault, too."),
    click.option("--diff", is_flag=True, help="Show what would change, and change nothing."),
)
@click.pass_context
def fix(ctx: click.Context, unsafe_fixes: bool, diff: bool, **files: Any) -> None:
    """Applies the safe fixes to PATHS: files, folders, or - for standard input (default: this folder).

    Ends with 0; with --diff with 1 where something would change; with 2 where something could not be done.
    """
    asked = Asked(**files)
    projects, troubles = asked.load()
    found = scan(projects, troubles, asked.jobs, asked.cached)
    if diff:
        ctx.exit(shown(projects, found, unsafe_fixes))
    _, left = mended(asked, projects, found, unsafe_fixes)
    loud = sum(map(is_loud, left.findings))
    said = f"{counted(loud, 'problem')} left; see `torchwise check`" if loud else "No problems left"
    click.echo(said, err=True)
    complain(left)
    ctx.exit(TROUBLE if left.troubles else CLEAN)
