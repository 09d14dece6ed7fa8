"""Who is sooner waits only for what has begun."""

from __future__ import annotations

import threading

from torchwise.lsp.worker import Urgency, Worker


def test_a_job_can_see_that_someone_sooner_waits() -> None:
    worker, begun, go_on = Worker(lambda: None), threading.Event(), threading.Event()

    def index() -> list[bool]:
        begun.set()
        go_on.wait(20)
        return [worker.is_wanted(urgency) for urgency in Urgency]

    indexing = worker.submit(Urgency.INDEX, index)
    begun.wait(20)
    key = worker.submit(Urgency.IN_VIEW, lambda: None)
    go_on.set()
    assert indexing.result(20) == [False, False, True, True]
    key.result(20)
    assert not worker.is_wanted(Urgency.SCAN)
    worker.end()
