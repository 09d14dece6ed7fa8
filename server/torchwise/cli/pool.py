"""Shares files out over processes.

Each process has an engine that knows all texts, and answers for a few neighbouring files at a time. Where
processes can be forked they inherit the engine as it is; elsewhere each makes its own from the documents.
"""

from __future__ import annotations

import gc
import multiprocessing
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from torchwise.cli.analysis import Answer, Checker
from torchwise.project.documents import Document
from torchwise.project.settings import Settings

# For each process: enough that none waits long for the last, few enough that neighbours stay together.
SHARES = 8
LARGEST_SHARE = 32  # files

_checker: Checker  # of this process


def shared_out(checker: Checker, paths: Sequence[str], processes: int) -> Iterator[Answer]:
    size = max(1, min(LARGEST_SHARE, len(paths) // (processes * SHARES)))
    shares = [paths[start : start + size] for start in range(0, len(paths), size)]
    gc.freeze()  # what is inherited is not moved between generations, so its pages stay shared
    with _executor(checker, processes) as executor:
        waiting = {executor.submit(_answer, share): share for share in shares}
        for future in as_completed(waiting):
            try:
                yield from future.result()
            except BrokenProcessPool:
                lost = "the process that checked it was ended from outside, or by the system for its memory"
                yield from ((path, (), (f"{path}: {lost}",)) for path in waiting[future])
    gc.unfreeze()


def _executor(checker: Checker, processes: int) -> ProcessPoolExecutor:
    if sys.platform == "linux":
        fork = multiprocessing.get_context("fork")
        return ProcessPoolExecutor(processes, fork, initializer=_inherit, initargs=(checker,))
    own = (checker.settings, checker.documents)
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(processes, spawn, initializer=_make, initargs=own)


def _inherit(checker: Checker) -> None:
    global _checker
    _checker = checker


def _make(settings: Settings, documents: Mapping[str, Document]) -> None:
    _inherit(Checker(settings, documents))


def _answer(paths: Sequence[str]) -> list[Answer]:
    return [_checker.answer(path) for path in paths]
