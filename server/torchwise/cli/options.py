"""The options that commands over files share, and what they ask for together."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from torchwise.cli.scan import Loaded, load, with_neighbours
from torchwise.project.discovery import SettingsOf, Trouble, nearest_settings
from torchwise.project.documents import Document
from torchwise.project.settings import Settings, override

Command = TypeVar("Command", bound=Callable[..., Any])


def _split(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.strip() for text in value for part in text.split(",") if part.strip())


def _selectors(name: str, text: str) -> Callable[[Command], Command]:
    return click.option(f"--{name}", metavar="RULES", multiple=True, callback=_split, help=text)


RULES = [
    _selectors("select", "Only these rules: codes, names, families or prefixes, with commas between them."),
    _selectors("ignore", "Not these rules."),
    _selectors("extend-select", "These rules too."),
    click.option("--target-torch", metavar="VERSION", help="The version of torch that the code will run on."),
    click.option("--isolated", is_flag=True, help="Read no configuration, and use no cache."),
]

FILES = [
    click.argument("paths", nargs=-1, metavar="[PATHS]..."),
    *RULES,
    click.option("--no-cache", is_flag=True, help="Check everything anew."),
    click.option(
        "-j", "--jobs", type=click.IntRange(min=0), default=0, help="Processes; 0: as many as are worth it."
    ),
    click.option("--stdin-filename", metavar="PATH", help="The name of what is read from standard input."),
]


def with_options(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """In the order in which help shows them."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@dataclass(frozen=True)
class Asked:
    """What the options of `FILES` said."""

    paths: tuple[str, ...]
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    target_torch: str | None = None
    isolated: bool = False
    no_cache: bool = False
    jobs: int = 0
    stdin_filename: str | None = None

    @property
    def cached(self) -> bool:
        return not (self.isolated or self.no_cache or self.from_stdin)

    @property
    def from_stdin(self) -> bool:
        return self.paths == ("-",) or (self.stdin_filename is not None and not self.paths)

    def settings_of(self) -> SettingsOf:
        """What holds in a folder: its configuration, and above it the command line. Raises SettingsError."""
        only = self._over(Settings())  # what the command line says wrongly is refused before the walk
        if self.isolated:
            return lambda folder: only
        nearest = nearest_settings(Settings())
        return functools.cache(lambda folder: self._over(nearest(folder)))

    def _over(self, settings: Settings) -> Settings:
        if self.select:  # a choice made now stands above all choices made before
            settings = replace(settings, select=self.select, ignore=(), extend_select=())
        if self.target_torch:
            settings = override(settings, {"target-torch": self.target_torch}, "the command line")
        more, less = settings.extend_select + self.extend_select, settings.ignore + self.ignore
        return replace(settings, extend_select=more, ignore=less)

    def load(self) -> tuple[list[Loaded], list[Trouble]]:
        """Raises SettingsError."""
        settings_of = self.settings_of()
        if not self.from_stdin:
            return load(self.paths or (".",), settings_of)
        path = os.path.abspath(self.stdin_filename or "stdin.py")
        document = Document(path, sys.stdin.buffer.read())
        return [with_neighbours(Loaded(settings_of(Path(path).parent), {path: document}, (path,)))], []
