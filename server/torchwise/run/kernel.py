"""What a run needs of a kernel, on this machine or on a server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from torchwise.run.interpreters import inside

NOTICE = "torchwise_notice"  # a kind of our own: what a connection says of itself, with `reason` and `text`


@dataclass(frozen=True)
class Heard:
    """A message of the Jupyter protocol."""

    channel: str  # "iopub" or "shell"
    kind: str
    parent: str  # the id of the request that it belongs to
    content: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Death:
    """Why a kernel cannot be heard any more."""

    why: str
    reachable: bool = True  # False: the kernel may live on, but its server cannot be reached
    remedy: str | None = None
    row: int | None = None  # that ran when it crashed, in `source`
    source: str | None = None  # a file, or the name that ipykernel gave a snippet


class Kernel(Protocol):
    """Stateful: a process, or a connection to one. None of this raises once the kernel has started."""

    @property
    def where(self) -> str: ...

    async def ask(self, code: str, silent: bool, expressions: Mapping[str, str]) -> str:
        """Has code executed; the id of the request."""

    async def hear(self, patience_s: float) -> Heard | None:
        """The next message, or None if there is none for so long."""

    async def interrupt(self) -> None: ...

    async def death(self) -> Death | None:
        """None while it lives."""

    async def stop(self) -> None:
        """For good; safe to call twice."""


@dataclass(frozen=True)
class Beginning:
    """What a fresh kernel is told before the first snippet; see `inside/begin.py`."""

    output_bytes: int
    memory_bytes: int | None = None
    device: str | None = None  # `device` in lessons
    environment: Mapping[str, str] = field(default_factory=dict)  # where it could not be given along

    @property
    def code(self) -> str:
        options = json.dumps({**vars(self), "environment": dict(self.environment)})
        names = f"{{'__name__': 'torchwise_begin', 'OPTIONS': __import__('json').loads({options!r})}}"
        return f"exec(compile({inside('begin')!r}, '<torchwise>', 'exec'), {names})"


async def answer_of(kernel: Kernel, code: str, patience_s: float) -> tuple[str | None, str]:
    """Of something of ours that is run out of sight: what went wrong, and what was printed."""
    import time

    asked, end = await kernel.ask(code, True, {}), time.monotonic() + patience_s
    wrong: str | None = None
    printed: list[str] = []
    missing = {"execute_reply", "idle"}
    while missing:
        heard = await kernel.hear(0.5)
        if heard is not None and heard.parent == asked:
            if heard.kind == "stream":
                printed.append(str(heard.content.get("text")))
            elif heard.kind == "error":
                wrong = f"{heard.content.get('ename')}: {heard.content.get('evalue')}"
            elif heard.kind == "execute_reply" and heard.content.get("status") == "error":
                wrong = wrong or f"{heard.content.get('ename')}: {heard.content.get('evalue')}"
            missing -= {heard.kind, str(heard.content.get("execution_state"))}
        elif heard is None and (death := await kernel.death()):
            return death.why, "".join(printed)
        if time.monotonic() > end:
            return f"it did not answer for {patience_s:g} s", "".join(printed)
    return wrong, "".join(printed)
