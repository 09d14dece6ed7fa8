"""All kernels that we have, and what runs on them: the door of this layer.

There is one kernel for each choice of device, interpreter and purpose. It starts with the first snippet, runs
one after another, and ends when it is not used. When it dies another takes its place and all others go on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from torchwise.run.choice import BadChoice, choice
from torchwise.run.interpreters import default_interpreter
from torchwise.run.limits import Limits
from torchwise.run.messages import KernelTold, Output, RunRequest, RunResult
from torchwise.run.session import Place, Session

TellOutput = Callable[[str, Output], None]
TellKernel = Callable[[KernelTold], None]


class Sessions:
    """Stateful: processes belong to it, until `close`. All of it happens in one event loop."""

    def __init__(
        self,
        tell: TellOutput,
        tell_kernel: TellKernel = lambda told: None,
        limits: Limits | None = None,
    ):
        self._tell, self._tell_kernel, self._limits = tell, tell_kernel, limits or Limits()
        self._sessions: dict[Place, Session] = {}
        self._count = 0

    async def run(self, request: RunRequest) -> RunResult:
        try:
            place = _place(request)
        except BadChoice as error:
            return RunResult(run=request.run, ended="unavailable", message=str(error))
        session = self._sessions.get(place)
        if session is None:
            self._count += 1
            name = f"{place.choice}-{self._count}"
            session = self._sessions[place] = Session(name, place, self._tell_kernel)
        session.token = request.token.get_secret_value() if request.token else session.token
        return await session.run(
            request, self._limits_of(request), lambda told: self._tell(request.run, told)
        )

    def _limits_of(self, request: RunRequest) -> Limits:
        limits = self._limits
        if request.time_s is not None:
            limits = replace(limits, time_s=request.time_s)
        if request.output_bytes is not None:
            limits = replace(limits, output_bytes=request.output_bytes)
        return limits

    async def interrupt(self, run: str) -> bool:
        """Whether it was there to be interrupted."""
        return any([await session.interrupt(run) for session in self._sessions.values()])

    async def restart(self, kernel: str) -> bool:
        session = self._named(kernel)
        if session is not None:
            await session.restart()
        return session is not None

    async def stop(self, kernel: str) -> bool:
        session = self._named(kernel)
        if session is not None:
            await session.stop()
        return session is not None

    def _named(self, kernel: str) -> Session | None:
        return next((session for session in self._sessions.values() if session.name == kernel), None)

    @property
    def kernels(self) -> list[KernelTold]:
        return [session.told for session in self._sessions.values()]

    async def close(self) -> None:
        await asyncio.gather(*(session.stop() for session in self._sessions.values()), return_exceptions=True)
        self._sessions.clear()


def _place(request: RunRequest) -> Place:
    """Raises BadChoice."""
    chosen = choice(request.device)
    if chosen.url:
        return Place(chosen, "", request.lesson, None)
    folder = None if request.lesson else request.folder
    interpreter = request.interpreter or default_interpreter(request.folder)
    return Place(chosen, interpreter, request.lesson, folder)
