"""The command line. Each module of `commands/` is one command; a run imports only the one it is about."""

from __future__ import annotations

import gc
import importlib
import io
import pkgutil
import sys

import click

from torchwise import __version__
from torchwise.cli import commands

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Commands(click.Group):
    """Keeps no list: the folder is the list."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(info.name.replace("_", "-") for info in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        name = cmd_name.replace("-", "_")
        command = getattr(importlib.import_module(f"{commands.__name__}.{name}"), name)
        assert isinstance(command, click.Command), f"commands/{name}.py must hold a command named {name}"
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from torchwise.project.settings import nearest

            near = nearest(args[0], self.list_commands(ctx))
            raise click.UsageError(error.message.rstrip(".") + near, ctx) from None

    def invoke(self, ctx: click.Context) -> object:
        """Runs a command; what it cannot do ends with 2, since 1 says that there are findings."""
        gc.set_threshold(200_000, 20, 20)  # nearly all that a run makes lives as long as the run
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # a character that a terminal cannot show is no fault
                stream.reconfigure(errors="replace")
        try:
            return super().invoke(ctx)
        except (click.exceptions.Exit, click.ClickException, click.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            ctx.exit(130)
        except Exception as error:
            from torchwise.project.settings import SettingsError

            if isinstance(error, SettingsError):
                click.echo("\n".join(f"torchwise: {problem}" for problem in error.problems), err=True)
            else:
                import traceback

                click.echo(f"torchwise: a fault of Torchwise itself\n{traceback.format_exc()}", err=True)
            ctx.exit(2)


@click.group(cls=Commands, context_settings=CONTEXT)
@click.version_option(__version__, "-V", "--version", prog_name="torchwise", message="%(prog)s %(version)s")
def main() -> None:
    """Reads PyTorch code the way torch will run it, and says what will go wrong before it does."""
