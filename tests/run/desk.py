"""Sessions, and all that they tell."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from torchwise.run.limits import Limits
from torchwise.run.messages import Display, Failure, KernelTold, Notice, Output, RunRequest, RunResult, Stream
from torchwise.run.sessions import Sessions

PATIENCE_S = 30.0


@dataclass
class Desk:
    outputs: list[Output] = field(default_factory=list)  # of the last run
    kernels: list[KernelTold] = field(default_factory=list)
    sessions: Sessions = field(init=False)
    numbers: itertools.count[int] = field(default_factory=itertools.count)
    defaults: dict[str, Any] = field(default_factory=dict)

    def begin(self, code: str, **more: Any) -> asyncio.Task[RunResult]:
        """Its name is that of the task."""
        self.outputs.clear()
        run = str(next(self.numbers))
        asked = {"name": "words.py", **self.defaults, **more}
        return asyncio.create_task(self.sessions.run(RunRequest(run=run, code=code, **asked)), name=run)

    async def run(self, code: str, **more: Any) -> RunResult:
        return await asyncio.wait_for(self.begin(code, **more), PATIENCE_S)

    async def until(self, found: Callable[[], Any]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not found():
                await asyncio.sleep(0.01)

    def text(self, name: str = "stdout") -> str:
        return "".join(told.text for told in self.outputs if isinstance(told, Stream) and told.name == name)

    @property
    def displays(self) -> list[Display]:
        return [told for told in self.outputs if isinstance(told, Display)]

    @property
    def failure(self) -> Failure:
        (found,) = [told for told in self.outputs if isinstance(told, Failure)]
        return found

    @property
    def notices(self) -> list[Notice]:
        return [told for told in self.outputs if isinstance(told, Notice)]

    @property
    def states(self) -> list[str]:
        return [told.state for told in self.kernels]


@asynccontextmanager
async def desk(limits: Limits | None = None, **defaults: Any) -> AsyncIterator[Desk]:
    """`defaults` are of all requests."""
    os.environ.pop("PYTEST_CURRENT_TEST", None)  # with it ipykernel leaves what passes Python's streams alone
    made = Desk(defaults=defaults)
    made.sessions = Sessions(lambda run, told: made.outputs.append(told), made.kernels.append, limits)
    try:
        yield made
    finally:
        await made.sessions.close()
