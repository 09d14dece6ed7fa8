"""What the commands that run code share: one event loop, Ctrl-C, and how output looks in a terminal."""

from __future__ import annotations

import asyncio
import base64
import json
import signal
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from torchwise.run.messages import Display, KernelTold, Output, RunRequest, RunResult
    from torchwise.run.sessions import Sessions

Result = TypeVar("Result")

EXTRA = "running needs more than analysis does: python -m pip install 'torchwise[run]'"
EXIT = {"done": 0, "failed": 1, "interrupted": 130}  # whatever else: 2


def with_extra(work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Runs it to its end; says what to install where the extra is missing."""
    try:
        import httpx  # noqa: F401
        import jupyter_client  # noqa: F401
        import nh3  # noqa: F401
    except ImportError as error:
        raise click.ClickException(f"{EXTRA} ({error.name} is missing)") from None
    return asyncio.run(work())


class Terminal:
    """Shows what is told. Stateful: a line on standard error says what is waited for."""

    def __init__(self, pictures: Path | None, lines: bool):
        self._pictures, self._lines, self._count = pictures, lines, 0
        self._waiting = ""

    def kernel(self, told: KernelTold) -> None:
        if self._lines:
            self._line("kernel", told)
        elif told.state == "starting" and sys.stderr.isatty():
            self._wait(f"starting a kernel for {told.device} ...")
        else:
            self._wait("")

    def _wait(self, text: str) -> None:
        if self._waiting or text:
            click.echo(f"\r{text:<{len(self._waiting)}}{'' if text else chr(13)}", nl=False, err=True)
        self._waiting = text

    def output(self, run: str, output: Output) -> None:
        from torchwise.run import messages

        if self._lines:
            self._line("output", messages.OutputTold(run=run, output=output))
            return
        match output:
            case messages.Stream(name=name, text=text):
                click.echo(text, nl=False, err=name == "stderr")
            case messages.Display():
                click.echo(self._shown(output))
            case messages.Failure(text=text):
                click.echo(text, err=True)
            case messages.Notice(text=text):
                click.echo(f"torchwise: {text}", err=True)

    def _shown(self, display: Display) -> str:
        if display.format not in ("png", "jpeg", "svg"):
            return display.text or display.content
        if self._pictures is None:
            return f"{display.text or 'a picture'} ({display.format}; --pictures FOLDER keeps it)"
        self._count += 1
        path = self._pictures / f"picture-{self._count}.{display.format}"
        path.parent.mkdir(parents=True, exist_ok=True)
        as_text = display.format == "svg"
        path.write_bytes(display.content.encode() if as_text else base64.b64decode(display.content))
        return f"{display.text or 'a picture'} ({path})"

    def result(self, result: RunResult) -> None:
        if self._lines:
            self._line("result", result)
            return
        for text in (result.message, result.remedy):
            if text:
                click.echo(f"torchwise: {text}", err=True)
        if result.lost and result.lost.names:
            click.echo(f"torchwise: lost with the kernel: {', '.join(result.lost.names[:12])}", err=True)

    def _line(self, what: str, message: Any) -> None:
        click.echo(json.dumps({what: message.model_dump(mode="json", by_alias=True)}))


async def run_with_ctrl_c(sessions: Sessions, request: RunRequest) -> RunResult:
    """The first Ctrl-C interrupts what runs, the second ends its kernel."""
    loop, pressed, run = asyncio.get_running_loop(), 0, asyncio.ensure_future(sessions.run(request))
    waiting: set[asyncio.Future[Any]] = set()

    def press() -> None:
        nonlocal pressed
        pressed += 1
        work = sessions.interrupt(request.run) if pressed == 1 else sessions.close()
        waiting.add(asyncio.ensure_future(work))

    try:
        loop.add_signal_handler(signal.SIGINT, press)
    except NotImplementedError:  # Windows: there the loop ends with a KeyboardInterrupt
        return await run
    try:
        return await run
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        await asyncio.gather(*waiting, return_exceptions=True)
