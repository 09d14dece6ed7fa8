"""The one thread that asks the engine.

An engine is not made for several threads, and the thread that reads messages must never wait for it. What
is asked for waits in order of urgency; what was given up before its turn is not begun.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable
from concurrent.futures import Future
from enum import IntEnum
from queue import PriorityQueue
from typing import TypeVar

Result = TypeVar("Result")


class Urgency(IntEnum):
    """The smaller, the sooner."""

    POINTED_AT = 0  # hover, quick fixes: someone holds the mouse still
    IN_VIEW = 1  # diagnostics and hints of open files
    INDEX = 2  # reading the files of the workspace
    SCAN = 3  # diagnostics of files that are not open


class Worker:
    """Stateful: a thread and its queue. `before` runs ahead of each job: it brings the engine up to date."""

    def __init__(self, before: Callable[[], None]):
        self._before = before
        self._jobs: PriorityQueue[tuple[Urgency, int, Callable[[], None]]] = PriorityQueue()
        self._order = itertools.count()
        self._ended = threading.Event()
        threading.Thread(target=self._work, name="engine", daemon=True).start()

    def submit(self, urgency: Urgency, job: Callable[[], Result]) -> Future[Result]:
        future: Future[Result] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                self._before()
                future.set_result(job())
            except BaseException as error:
                future.set_exception(error)

        self._jobs.put((urgency, next(self._order), run))
        return future

    async def ask(self, urgency: Urgency, job: Callable[[], Result]) -> Result:
        return await asyncio.wrap_future(self.submit(urgency, job))

    def is_wanted(self, urgency: Urgency) -> bool:
        """Does someone wait who is sooner than this?"""
        with self._jobs.mutex:
            return bool(self._jobs.queue) and self._jobs.queue[0][0] < urgency

    def end(self) -> None:
        """The thread, once what waits is done: a process may start many servers one after the other."""
        self._jobs.put((Urgency.SCAN, next(self._order), self._ended.set))

    def _work(self) -> None:
        while not self._ended.is_set():
            _, _, run = self._jobs.get()
            run()
