"""Shares the parts of a run out over processes: the large ones first, the small ones by the handful."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection

from torchwise.cli.analysis import Answer, answers
from torchwise.cli.scan import Loaded

HANDFUL = 24  # files


def shared_out(parts: Sequence[Loaded], processes: int) -> Iterator[tuple[Loaded, list[Answer]]]:
    shares = _shares(parts)
    gc.freeze()  # what forked processes inherit is not moved between generations, so its pages stay shared
    start = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    with ProcessPoolExecutor(min(processes, len(shares)), start, _end_with_parent) as executor:
        waiting = {executor.submit(_answered, share): share for share in shares}
        for future in as_completed(waiting):
            try:
                found = future.result()
            except BrokenProcessPool:
                found = [_lost(part) for part in waiting[future]]
            yield from zip(waiting[future], found)
    gc.unfreeze()


def _end_with_parent() -> None:
    """In a worker: when the run is killed, nobody is left to take its answers."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent"

    def wait() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _shares(parts: Sequence[Loaded]) -> list[list[Loaded]]:
    shares: list[list[Loaded]] = []
    room = 0
    for part in sorted(parts, key=lambda part: len(part.documents), reverse=True):
        if room < len(part.documents):
            shares.append([])
            room = HANDFUL
        shares[-1].append(part)
        room -= len(part.documents)
    return shares


def _answered(share: Sequence[Loaded]) -> list[list[Answer]]:
    return [answers(part) for part in share]


def _lost(part: Loaded) -> list[Answer]:
    why = "the process that checked it was ended from outside, or by the system for want of memory"
    return [Answer(path, (), (f"{path}: {why}",)) for path in part.asked]
