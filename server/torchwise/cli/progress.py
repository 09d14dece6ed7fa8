"""A progress bar on long runs, where someone is watching."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")

LONG = 100  # files


def progress(items: Iterable[Item], total: int) -> Iterator[Item]:
    """The items as they are, each told on a terminal's standard error."""
    if total < LONG or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(items, "Checking", total, console=console, transient=True)
