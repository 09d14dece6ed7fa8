"""One snippet in one kernel: from the request until kernel and snippet have both said that it is over."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from torchwise.run.kernel import Death, Heard, Kernel
from torchwise.run.limits import Bounded, Limits
from torchwise.run.messages import Ended, Failure, Output
from torchwise.run.outputs import output
from torchwise.run.tracebacks import Snippets

Tell = Callable[[Output], None]
NAMES = {"names": "__import__('torchwise_kernel').names()"}  # see inside/begin.py

_SETTLE_S = 2.0  # from the reply to the last output, or the other way round


@dataclass
class Execution:
    """Stateful: where a run stands."""

    limits: Limits
    tell: Tell
    snippets: Snippets
    interrupted: bool = False
    began: bool = False  # the kernel executes it; before that it hears no interrupt
    given_up: bool = False  # it does not answer an interrupt
    failure: Failure | None = None
    names: list[str] | None = None  # that the kernel holds afterwards
    death: Death | None = None
    timed_out: bool = False
    _replied: bool = False
    _idle: bool = False
    _last: float = 0.0  # when something was heard of it
    _bounded: Bounded = field(init=False)

    def __post_init__(self) -> None:
        self._bounded = Bounded(self.limits.output_bytes)

    @property
    def ended(self) -> Ended:
        if self.timed_out:
            return "timed-out"
        if self.death is not None:
            return "died" if self.death.reachable else "disconnected"
        if self.failure is None:
            return "done" if self._replied or not self.interrupted else "interrupted"
        return "interrupted" if self.interrupted and self.failure.name == "KeyboardInterrupt" else "failed"

    async def run(self, kernel: Kernel, code: str, origin_count: Callable[[int], None]) -> None:
        """Ends in any case; `origin_count` is told IPython's count as soon as it is known."""
        asked = await kernel.ask(code, False, NAMES)
        end = time.monotonic() + self.limits.time_s
        while not self._is_over():
            left = end - time.monotonic()
            heard = await kernel.hear(max(min(left, _SETTLE_S), 0.01))
            if heard is not None and heard.parent == asked:
                self._last = time.monotonic()
                if heard.kind == "execute_input":
                    origin_count(int(heard.content.get("execution_count") or 0))
                    await self._begin(kernel)
                self._take(heard)
            elif heard is None and await self._is_dead(kernel):
                return
            if left <= 0 and not self._is_over():
                end = await self._time_is_up(kernel)
                if self.given_up:
                    return
        if self.failure is not None:
            self.names = await _names_after_failure(kernel)

    async def interrupt(self, kernel: Kernel | None) -> None:
        """At once, or as soon as it begins."""
        self.interrupted = True
        if kernel is not None and self.began:
            await kernel.interrupt()

    async def _begin(self, kernel: Kernel) -> None:
        self.began = True
        if self.interrupted:
            await kernel.interrupt()

    async def _is_dead(self, kernel: Kernel) -> bool:
        self.death = await kernel.death()
        return self.death is not None

    async def _time_is_up(self, kernel: Kernel) -> float:
        """Interrupts once; when that time is up, too, the kernel is given up."""
        self.given_up = self.timed_out
        self.timed_out = True
        if not self.given_up:
            await kernel.interrupt()
        return time.monotonic() + self.limits.grace_s

    def _is_over(self) -> bool:
        """A reply without an end of the output (or the reverse) is waited for, but not for ever."""
        if self._replied and self._idle:
            return True
        return (self._replied or self._idle) and time.monotonic() - self._last > _SETTLE_S

    def _take(self, heard: Heard) -> None:
        if heard.channel == "shell":
            if heard.kind == "execute_reply":
                self._replied = True
                self.names = _names(heard.content)
            return
        if heard.kind == "status":
            if heard.content.get("execution_state") == "idle":
                self._idle = True
            return
        shown = output(heard.kind, heard.content, self.snippets)
        if isinstance(shown, Failure):
            self.failure = shown
        if shown is not None:
            for piece in self._bounded.pass_on(shown):
                self.tell(piece)


async def _names_after_failure(kernel: Kernel) -> list[str] | None:
    """A snippet that failed does not tell them, but a question of its own does."""
    asked, end = await kernel.ask("", True, NAMES), time.monotonic() + 1.0
    while time.monotonic() < end:
        heard = await kernel.hear(0.2)
        if heard is not None and heard.parent == asked and heard.kind == "execute_reply":
            return _names(heard.content)
    return None


def _names(reply: Mapping[str, object]) -> list[str] | None:
    """None where they are not told."""
    match reply.get("user_expressions"):
        case {"names": {"status": "ok", "data": {"text/plain": str(text)}}}:
            return [name for name in str(ast.literal_eval(text)).split(",") if name]
        case _:
            return None
