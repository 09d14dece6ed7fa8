"""One choice's kernel, and the snippets that run on it one after another."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from torchwise.run.choice import Choice, visible
from torchwise.run.devices import devices_in, devices_of, found_in
from torchwise.run.execution import Execution, Tell
from torchwise.run.interpreters import Unavailable, environment_of
from torchwise.run.kernel import Beginning, Death, Kernel, answer_of
from torchwise.run.limits import Limits, memory_of_machine
from torchwise.run.messages import KernelTold, Lost, Problem, RunRequest, RunResult
from torchwise.run.scratch import scratch_folder
from torchwise.run.tokens import token_for
from torchwise.run.tracebacks import Origin

MOST_LOST = 100  # names and snippets that are told


@dataclass(frozen=True)
class Place:
    """Where a kernel runs, and in what."""

    choice: Choice
    interpreter: str
    lesson: bool
    folder: str | None  # None: a scratch folder that goes with the kernel


@dataclass
class Life:
    """A kernel from its start to its end, and what it holds."""

    kernel: Kernel
    origins: dict[int, Origin] = field(default_factory=dict)  # by IPython's count
    sources: dict[str, Origin] = field(default_factory=dict)  # by their code
    ran: dict[str, None] = field(default_factory=dict)  # their names, in order
    names: list[str] = field(default_factory=list)
    file: str | None = None  # `__file__` in it
    most: int = 0  # bytes that it may print for one snippet
    ended_by_user: bool = False

    async def prepare(self, file: str | None, limits: Limits) -> None:
        """For a snippet of another file, or with another limit, than the last one."""
        asked = []
        if file is not None and file != self.file:
            self.file = file
            asked.append(f"become({file!r})")
        if limits.output_bytes != self.most:
            self.most = limits.output_bytes
            asked.append(f"most({self.most})")
        if asked:
            code = "\n".join(f"__import__('torchwise_kernel').{call}" for call in asked)
            await answer_of(self.kernel, code, limits.start_s)

    @property
    def lost(self) -> Lost | None:
        return Lost(snippets=[*self.ran][-MOST_LOST:], names=self.names[:MOST_LOST]) if self.ran else None


class Session:
    """Stateful: it has a kernel or none, and at most one run is on it."""

    def __init__(self, name: str, place: Place, tell: Callable[[KernelTold], None]):
        self.name, self._place, self._tell = name, place, tell
        self.token: str | None = None  # that was given last
        self._life: Life | None = None
        self._turn = asyncio.Lock()
        self._runs: dict[str, Execution] = {}  # waiting or running
        self._starting: asyncio.Task[Life] | None = None
        self._idle_timer: asyncio.TimerHandle | None = None
        self._scratch: str | None = None
        self._limits = Limits()  # of the last run
        self._later: set[asyncio.Task[None]] = set()
        self.told = self._said("stopped")

    # -- runs -----------------------------------------------------------------------------------------------

    async def run(self, request: RunRequest, limits: Limits, tell: Tell) -> RunResult:
        execution = self._runs[request.run] = Execution(limits, tell, {})
        self._limits, began = limits, time.monotonic()
        try:
            async with self._turn:
                result = await self._run(request, limits, execution)
        finally:
            self._runs.pop(request.run, None)
            self._wait_for_idleness(limits)
        return result.model_copy(update={"seconds": round(time.monotonic() - began, 3), "kernel": self.name})

    async def _run(self, request: RunRequest, limits: Limits, execution: Execution) -> RunResult:
        if execution.interrupted:
            return RunResult(run=request.run, ended="interrupted")
        try:
            life = await self._living(limits)
        except Unavailable as error:
            self._say("stopped", error.problem.what)
            problem = error.problem
            return RunResult(
                run=request.run, ended="unavailable", message=problem.what, remedy=problem.remedy
            )
        if execution.interrupted:
            return RunResult(run=request.run, ended="interrupted")
        origin = Origin(request.name, request.first_row + _blank_rows(request.code))
        life.sources[request.code] = origin
        life.ran[origin.name] = None
        execution.snippets = life.origins
        self._say("busy")
        try:
            await life.prepare(request.file, limits)
            await execution.run(life.kernel, request.code, lambda count: life.origins.update({count: origin}))
        except asyncio.CancelledError:
            self._soon(life.kernel.interrupt())
            self._say("idle")
            raise
        if execution.names is not None:
            life.names = execution.names
        return await self._result(request, limits, execution, life)

    async def _result(
        self, request: RunRequest, limits: Limits, execution: Execution, life: Life
    ) -> RunResult:
        result = RunResult(run=request.run, ended=execution.ended)
        if result.ended == "timed-out":
            text = f"it took longer than {limits.time_s:g} s, and was interrupted"
            result = result.model_copy(update={"message": text})
        if execution.given_up:
            death = Death(
                f"it took longer than {limits.time_s:g} s, and did not answer when it was interrupted"
            )
            return await self._replace(result, life, death, limits)
        if execution.death is not None and life.ended_by_user:
            return result.model_copy(update={"ended": "stopped", "message": "the kernel was stopped"})
        if execution.death is not None:
            return await self._replace(result, life, execution.death, limits)
        self._say("idle")
        return result

    async def _replace(self, result: RunResult, life: Life, death: Death, limits: Limits) -> RunResult:
        """Says what was lost, and has another kernel ready for the next run if there can be one."""
        message = death.why + await self._place_in(life, death)
        self._life = None
        self._say("died", message, life.lost)
        await life.kernel.stop()
        if death.reachable:
            self._start(limits)
        return result.model_copy(update={"message": message, "remedy": death.remedy, "lost": life.lost})

    async def _place_in(self, life: Life, death: Death) -> str:
        """Where it crashed, if that is certain."""
        if death.row is None or death.source is None:
            return ""
        if not os.path.basename(os.path.dirname(death.source)).startswith("ipykernel_"):
            return f", in line {death.row} of {death.source}"
        for origin, name in await asyncio.to_thread(_names_by_ipykernel, life.sources):
            if name == os.path.basename(death.source):
                return f", in line {death.row + origin.first_row - 1} of {origin.name}"
        return ""

    # -- the kernel -----------------------------------------------------------------------------------------

    async def _living(self, limits: Limits) -> Life:
        """Raises Unavailable."""
        if self._life is not None and await self._life.kernel.death():  # between two runs
            life, self._life = self._life, None
            self._say("died", "the kernel ended while it had nothing to do", life.lost)
            await life.kernel.stop()
        if self._life is None:
            self._start(limits)
            assert self._starting is not None
            starting = self._starting
            try:
                self._life = await asyncio.shield(starting)
            except asyncio.CancelledError:
                if not starting.cancelled():  # it is this run that was cancelled
                    raise
                problem = Problem(about="kernel", what="the kernel was stopped while it started")
                raise Unavailable(problem) from None
            finally:
                if starting.done() and self._starting is starting:
                    self._starting = None
        return self._life

    def _start(self, limits: Limits) -> None:
        if self._starting is None:
            self._starting = asyncio.create_task(self._started(limits))
            self._starting.add_done_callback(lambda task: task.cancelled() or task.exception())

    async def _started(self, limits: Limits) -> Life:
        """Raises Unavailable."""
        self._say("starting")
        place = self._place
        kernel = await (self._remote(limits) if place.choice.url else self._local(limits))
        local_cpu = place.choice.url is None and place.choice.kind == "cpu"
        beginning = Beginning(
            output_bytes=limits.output_bytes,
            memory_bytes=(limits.memory_bytes or memory_of_machine()) if local_cpu else None,
            device=place.choice.inside if place.lesson else None,
            environment=visible(place.choice, {}) if place.choice.url else {},
        )
        try:
            wrong, _ = await answer_of(kernel, beginning.code, limits.start_s)
            if wrong:
                what = f"the kernel could not be made ready: {wrong}"
                raise Unavailable(Problem(about="torch" if place.lesson else "kernel", what=what))
            if place.choice.url and place.choice.kind != "cpu":
                found_in(await devices_in(kernel, limits.start_s), place.choice.inside)
        except BaseException:
            await kernel.stop()
            raise
        self._say("idle")
        return Life(kernel, most=limits.output_bytes)

    async def _remote(self, limits: Limits) -> Kernel:
        from torchwise.run.remote import RemoteKernel

        url = self._place.choice.url or ""
        return await RemoteKernel.start(url, token_for(url, self.token), limits.start_s)

    async def _local(self, limits: Limits) -> Kernel:
        from torchwise.run.local import LocalKernel

        place = self._place
        environment = environment_of(place.interpreter)
        if place.choice.kind != "cpu":
            found_in(await devices_of(place.interpreter), place.choice.device)
        if place.folder is None and self._scratch is None:
            self._scratch = scratch_folder()
        environment.update(visible(place.choice, environment))
        folder = place.folder or self._scratch or "."
        return await LocalKernel.start(place.interpreter, environment, folder, limits.start_s)

    async def interrupt(self, run: str) -> bool:
        execution = self._runs.get(run)
        if execution is None:
            return False
        await execution.interrupt(self._life.kernel if self._life else None)
        return True

    async def restart(self) -> None:
        await self.stop("it was restarted")
        self._start(self._limits)

    async def stop(self, why: str = "it was stopped") -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        for execution in self._runs.values():
            execution.interrupted = True
        if self._starting is not None:
            starting, self._starting = self._starting, None
            starting.cancel()
            with contextlib.suppress(asyncio.CancelledError, Unavailable):
                await (await starting).kernel.stop()
        life, self._life = self._life, None
        if life is not None:
            life.ended_by_user = True
            await life.kernel.stop()
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = None
        self._say("stopped", why, life.lost if life else None)

    def _wait_for_idleness(self, limits: Limits) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        loop = asyncio.get_running_loop()
        why = f"nothing ran on it for {limits.idle_s:g} s"
        self._idle_timer = loop.call_later(limits.idle_s, lambda: self._stop_if_idle(why))

    def _stop_if_idle(self, why: str) -> None:
        if not self._runs:
            self._soon(self.stop(why))

    def _soon(self, work: object) -> None:
        task = asyncio.ensure_future(work)  # type: ignore[call-overload]
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    # -- what is told ---------------------------------------------------------------------------------------

    def _said(self, state: str, message: str | None = None, lost: Lost | None = None) -> KernelTold:
        where = self._place.choice.url or self._place.interpreter
        return KernelTold.model_validate(
            {
                "kernel": self.name,
                "device": str(self._place.choice),
                "state": state,
                "where": where,
                "lesson": self._place.lesson,
                "message": message,
                "lost": lost,
            }
        )

    def _say(self, state: str, message: str | None = None, lost: Lost | None = None) -> None:
        self.told = self._said(state, message, lost)
        self._tell(self.told)


def _blank_rows(code: str) -> int:
    """At the beginning: IPython leaves them out, and counts without them."""
    lines = code.splitlines()
    return next((row for row, line in enumerate(lines) if line.strip()), 0)


def _names_by_ipykernel(sources: dict[str, Origin]) -> list[tuple[Origin, str]]:
    """The file names that ipykernel gave to snippets: they are made from the code."""
    from ipykernel.compiler import get_file_name

    return [(origin, os.path.basename(get_file_name(code))) for code, origin in sources.items()]
