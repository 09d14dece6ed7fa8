"""`torchwise run`: a file or snippet on a device of choice."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from torchwise.cli.options import with_options
from torchwise.cli.running import EXIT, Terminal, run_with_ctrl_c, with_extra

if TYPE_CHECKING:
    from torchwise.run.snippets import Snippet

OPTIONS = [
    click.option("--device", default="cpu", show_default=True, help="cpu, cuda:0, mps, xpu:0, or a URL."),
    click.option("--python", metavar="PATH", help="The interpreter; otherwise that of the environment."),
    click.option("--time", type=click.FloatRange(min=0.1), metavar="SECONDS", help="The most each may take."),
    click.option("--lesson", is_flag=True, help="In a scratch folder, with `device` defined."),
    click.option("--pictures", type=click.Path(file_okay=False), help="Keep pictures in this folder."),
    click.option("--trace", is_flag=True, help="Print what tensors the assignments of FILE bind, as JSON."),
    click.option("--output-format", type=click.Choice(["text", "jsonl"]), default="text", show_default=True),
]


@click.command(short_help="Run a file or a snippet on a device.")
@click.argument("target", metavar="FILE[#SNIPPET]")
@with_options(*OPTIONS)
@click.pass_context
def run(ctx: click.Context, target: str, trace: bool, **asked: Any) -> None:
    """Runs FILE, or one cell of it, in a kernel of its own: a number from 1, or its title or label. Cells
    before it run first, out of sight. FILE can be a lesson, too: `02-tensors/views#a-snippet`.

    Exit 0 done, 1 an exception, 2 trouble, 130 interrupted.
    """
    from torchwise.cli.lesson_snippets import chosen_in_lesson
    from torchwise.run.snippets import NoSuchSnippet, chosen

    if trace:
        ctx.exit(_trace(target, asked))
    try:
        of_lesson = chosen_in_lesson(target, cuda="cuda" in asked["device"])
        path, before, wanted = of_lesson or chosen(target)
        if of_lesson:
            asked |= {"lesson": True, "of_lesson": True}
    except (NoSuchSnippet, OSError) as error:
        raise click.UsageError(str(error)) from None
    ctx.exit(EXIT.get(with_extra(lambda: _run(path, before, wanted, asked)), 2))


async def _run(path: Path, before: list[Snippet], wanted: list[Snippet], asked: dict[str, Any]) -> str:
    """How the last one ended."""
    from torchwise.run.sessions import Sessions

    pictures = Path(asked["pictures"]) if asked["pictures"] else None
    terminal, hidden = Terminal(pictures, asked["output_format"] == "jsonl"), len(before)
    shown = {str(index) for index in range(hidden, hidden + len(wanted))}

    def output(run: str, told: Any) -> None:
        if run in shown or told.kind == "error":
            terminal.output(run, told)

    sessions = Sessions(output, terminal.kernel)
    try:
        for index, snippet in enumerate([*before, *wanted]):
            result = await run_with_ctrl_c(sessions, _request(path, str(index), snippet, asked))
            terminal.result(result)
            if result.ended != "done" and not (snippet.may_raise and result.ended == "failed"):
                return result.ended
        return "done"
    finally:
        await sessions.close()


def _request(path: Path, number: str, snippet: Snippet, asked: dict[str, Any]) -> Any:
    from torchwise.run.messages import RunRequest

    label = f"{path}#{snippet.label or int(number) + 1}" if snippet.is_cell else str(path)
    rows_of_file = path.suffix != ".ipynb"
    return RunRequest(
        run=number,
        code=snippet.code,
        name=str(path) if rows_of_file else label,
        first_row=snippet.first_row,
        device=asked["device"],
        interpreter=asked["python"],
        folder=os.getcwd(),
        file=None if asked.get("of_lesson") else str(path.absolute()),
        lesson=asked["lesson"],
        time_s=asked["time"],
    )


def _trace(target: str, asked: dict[str, Any]) -> int:
    from torchwise.run.choice import BadChoice, choice
    from torchwise.run.interpreters import default_interpreter
    from torchwise.run.traced import TIME_S, traced

    if not Path(target).is_file():
        raise click.UsageError(f"there is no file `{target}`")
    try:
        place = choice(asked["device"])
    except BadChoice as error:
        raise click.UsageError(str(error)) from None
    if place.url:
        raise click.UsageError("a trace is made on this machine")
    python = asked["python"] or default_interpreter(".")
    found = asyncio.run(traced(target, python, place, asked["time"] or TIME_S))
    if found.problem is not None:
        click.echo(f"torchwise: {found.problem.what}", err=True)
        return 2
    click.echo(json.dumps([row.model_dump() for row in found.rows], indent=2))
    if found.error:
        click.echo(f"torchwise: the file ended with {found.error}", err=True)
    return 1 if found.error else 0
