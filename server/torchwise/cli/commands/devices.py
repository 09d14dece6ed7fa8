"""`torchwise devices`: what code can be run on."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import click

from torchwise.cli.running import with_extra

if TYPE_CHECKING:
    from torchwise.run.messages import Devices


@click.command(short_help="Show the devices that code can run on.")
@click.option("--python", metavar="PATH", help="The interpreter to ask; otherwise that of the environment.")
@click.option("--url", metavar="URL", help="A Jupyter server to ask; its token comes from TORCHWISE_TOKEN.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def devices(ctx: click.Context, python: str | None, url: str | None, output_format: str) -> None:
    """Shows CPU, CUDA, MPS and XPU devices that torch can use, and why it cannot use others."""
    found = with_extra(lambda: _ask_server(url)) if url else asyncio.run(_ask(python))
    if output_format == "json":
        click.echo(json.dumps(found.model_dump(mode="json"), indent=2))
    else:
        _print(found)
    ctx.exit(0 if found.devices else 2)


async def _ask(python: str | None) -> Devices:
    from torchwise.run.devices import devices_of
    from torchwise.run.interpreters import default_interpreter

    return await devices_of(python or default_interpreter("."))


async def _ask_server(url: str) -> Devices:
    from torchwise.run.choice import BadChoice, choice
    from torchwise.run.devices import devices_of_server
    from torchwise.run.tokens import token_for

    try:
        server = choice(url).url
    except BadChoice as error:
        raise click.UsageError(str(error)) from None
    if server is None:
        raise click.UsageError(f"`{url}` is no URL")
    return await devices_of_server(server, token_for(server))


def _print(found: Devices) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False, soft_wrap=True)
    torch = f"torch {found.torch}, built for {found.built_for}" if found.torch else "no torch"
    console.print(f"{found.where}: Python {found.python or '?'}, {torch}")
    table = Table("Device", "Name", "Free", "Of", box=None, pad_edge=False)
    for device in found.devices:
        table.add_row(device.id, device.name, _amount(device.memory_free), _amount(device.memory_total))
    if found.devices:
        console.print(table)
    for problem in found.problems:
        console.print(f"{problem.about}: {problem.what}")
        if problem.remedy:
            console.print(f"  {problem.remedy}")


def _amount(count: int | None) -> str:
    return "?" if count is None else f"{count / 2**30:.1f} GiB"
