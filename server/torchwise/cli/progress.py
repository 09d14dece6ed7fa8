"""A progress bar on long runs, where someone is watching."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LONG = 50  # files


@contextmanager
def progress(total: int) -> Iterator[Callable[[int], None]]:
    """Gives a function that is told how much was done; shown on a terminal's standard error."""
    if total < LONG or not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("Checking"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda count: bar.advance(task, count)
