"""`torchwise check`: the faults in files and folders."""

from __future__ import annotations

from typing import Any

import click

from torchwise.cli.options import FILES, Asked, with_options
from torchwise.cli.outcome import complain, run_of, show, status
from torchwise.cli.scan import scan
from torchwise.report import format_names

OWN = [
    click.option("--fix", is_flag=True, help="Apply the safe fixes first."),
    click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: the unsafe fixes too."),
    click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing."),
    click.option("--output-format", type=click.Choice(format_names()), default="text", show_default=True),
    click.option("--statistics", is_flag=True, help="Show only how often each rule spoke."),
    click.option("--exit-zero", is_flag=True, help="End with 0 although there are findings."),
    click.option("--add-noqa", is_flag=True, help="Silence each finding with a comment on its line."),
    click.option("--baseline", metavar="FILE", help="Tell only what is not in this file of known findings."),
    click.option("--write-baseline", is_flag=True, help="Write all findings to the baseline."),
    click.option("--watch", is_flag=True, help="Check again whenever a file changes."),
]


@click.command(short_help="Find faults in files and folders.")
@with_options(*FILES, *OWN)
@click.pass_context
def check(
    ctx: click.Context,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    output_format: str,
    statistics: bool,
    exit_zero: bool,
    add_noqa: bool,
    baseline: str | None,
    write_baseline: bool,
    watch: bool,
    **files: Any,
) -> None:
    """Finds faults in PATHS: files, folders, or - for standard input (default: this folder).

    \b
    Ends with 0 where all is well or only hints were found, 1 where errors or warnings
    were found, 2 where something could not be checked.
    """
    asked = Asked(**files)
    if watch:
        from torchwise.cli.watch import watch_files

        watch_files(asked, lambda run: show(run, output_format, statistics))
        return
    projects, troubles = asked.load()
    found = scan(projects, troubles, asked.jobs, asked.cached)
    if fix or diff:
        from torchwise.cli.mending import mended, shown

        if diff:
            ctx.exit(shown(projects, found, unsafe_fixes))
        projects, found = mended(asked, projects, found, unsafe_fixes)
    if add_noqa:
        from torchwise.cli.noqa import silenced

        projects, found = silenced(asked, projects, found)
    if write_baseline or baseline or any(project.settings.baseline for project in projects):
        from torchwise.cli import baseline as known

        told = known.write_baseline if write_baseline else known.without_known
        found = told(projects, found, baseline)
    show(run_of(projects, found), output_format, statistics, to_stderr=fix and asked.from_stdin)
    complain(found)
    ctx.exit(status(found, exit_zero))
