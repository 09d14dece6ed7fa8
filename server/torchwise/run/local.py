"""A kernel on this machine: ipykernel in the chosen interpreter, by way of jupyter_client.

Its sockets are files in a folder that only this user may enter. What it writes past Python's own streams is
kept out of ours, which may be the language server's wire; the end of it tells how a kernel died.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from queue import Empty
from typing import Any

from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager

from torchwise.run.interpreters import Unavailable, ending, present
from torchwise.run.kernel import Death, Heard
from torchwise.run.messages import Problem
from torchwise.run.scratch import scratch_folder

_KEPT = 16_000  # bytes of what a kernel wrote to its standard error
_LONGEST = 90  # characters of a folder; the name of a socket may have some hundred
_BREATH_S = 0.2  # between looks at whether a silent kernel lives


class _OneSpec(KernelSpecManager):
    """Knows the interpreter that was chosen, and no installed kernel."""

    interpreter = sys.executable

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        argv = [self.interpreter, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=argv, display_name="Torchwise", language="python")


class _Tail:
    """The end of what is written to a pipe. Stateful: a thread reads it until all writers have gone."""

    def __init__(self) -> None:
        self._end, self.fd = os.pipe()
        self._kept = b""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while piece := os.read(self._end, 65536):
            self._kept = (self._kept + piece)[-_KEPT:]
        os.close(self._end)

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    @property
    def text(self) -> str:
        return self._kept.decode(errors="replace")


def _manager(interpreter: str, scratch: str) -> AsyncKernelManager:
    specs = _OneSpec()
    specs.interpreter = interpreter
    with_files = os.name == "posix" and len(scratch) < _LONGEST
    sockets = {"transport": "ipc", "ip": os.path.join(scratch, "k")} if with_files else {}
    manager = AsyncKernelManager(kernel_name="torchwise", kernel_spec_manager=specs, **sockets)
    manager.connection_file = os.path.join(scratch, "kernel.json")
    return manager


class LocalKernel:
    """Stateful: a process."""

    def __init__(self, manager: AsyncKernelManager, where: str, folder: str, tail: _Tail):
        self.where, self._manager, self._folder, self._tail = where, manager, folder, tail
        self._client: AsyncKernelClient = manager.client()
        self._heard: asyncio.Queue[Heard] = asyncio.Queue(256)
        self._readers: list[asyncio.Task[None]] = []
        self._process: subprocess.Popen[bytes] = manager.provisioner.process  # type: ignore[union-attr]
        self._group = self._process.pid if os.name == "posix" else 0  # it leads a session of its own
        self._death: Death | None = None

    @classmethod
    async def start(
        cls, interpreter: str, environment: Mapping[str, str], folder: str, patience_s: float
    ) -> LocalKernel:
        """Raises Unavailable."""
        present(interpreter)
        scratch, tail = scratch_folder(), _Tail()
        manager = _manager(interpreter, scratch)
        try:
            await manager.start_kernel(
                env={**environment, "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=tail.fd,
            )
            kernel = cls(manager, interpreter, scratch, tail)
        except BaseException as error:
            with contextlib.suppress(Exception):  # nothing may have been started
                await manager.shutdown_kernel(now=True)
            shutil.rmtree(scratch, ignore_errors=True)
            if isinstance(error, OSError):
                what = f"`{interpreter}` cannot be started: {error}"
                raise Unavailable(Problem(about="python", what=what)) from None
            raise
        finally:
            tail.close()
        try:
            await kernel._wait_until_ready(patience_s)
        except BaseException:
            await kernel.stop()
            raise
        kernel._listen()
        return kernel

    async def _wait_until_ready(self, patience_s: float) -> None:
        """Both channels have to answer: what is printed before the second one is open would be missed."""
        self._client.start_channels(stdin=False, hb=False, control=False)
        end, answered = time.monotonic() + patience_s, False
        while True:
            self._client.kernel_info()
            with contextlib.suppress(Empty):
                while not answered:
                    message = await self._client.get_shell_msg(timeout=0.5)
                    answered = message["msg_type"] == "kernel_info_reply"
                await self._client.get_iopub_msg(timeout=0.5)
                return
            if death := await self.death():
                raise Unavailable(self._why_it_did_not_start(death))
            if time.monotonic() > end:
                what = f"the kernel of `{self.where}` did not answer for {patience_s:g} s"
                raise Unavailable(
                    Problem(about="kernel", what=what, remedy="see whether `import ipykernel` ends in it")
                )

    def _why_it_did_not_start(self, death: Death) -> Problem:
        said = self._tail.text.strip()
        if "No module named ipykernel" in said:
            what = f"there is no ipykernel in `{self.where}`"
            return Problem(about="kernel", what=what, remedy=f"{self.where} -m pip install ipykernel")
        last = said.splitlines()[-1][:300] if said else ""
        return Problem(about="kernel", what=f"the kernel did not start: {death.why}{last and f' ({last})'}")

    def _listen(self) -> None:
        channels = {"iopub": self._client.get_iopub_msg, "shell": self._client.get_shell_msg}
        self._readers = [asyncio.create_task(self._read(name, get)) for name, get in channels.items()]

    async def _read(self, channel: str, get: Any) -> None:
        while True:
            message = await get(timeout=None)
            parent = str(message["parent_header"].get("msg_id", ""))
            await self._heard.put(Heard(channel, message["msg_type"], parent, message["content"]))

    # -- what a run needs -----------------------------------------------------------------------------------

    async def ask(self, code: str, silent: bool, expressions: Mapping[str, str]) -> str:
        return str(
            self._client.execute(
                code,
                silent=silent,
                store_history=not silent,
                user_expressions=dict(expressions),
                allow_stdin=False,
                stop_on_error=False,
            )
        )

    async def hear(self, patience_s: float) -> Heard | None:
        try:
            async with asyncio.timeout(min(patience_s, _BREATH_S)):
                return await self._heard.get()
        except TimeoutError:
            return None

    async def interrupt(self) -> None:
        if not await self.death():
            await self._manager.interrupt_kernel()

    async def death(self) -> Death | None:
        if self._death is None and not await self._manager.is_alive():
            await asyncio.sleep(0.05)  # until its last words are read
            row, source = _place_of_crash(self._tail.text)
            self._death = Death(
                f"the kernel died: {ending(self._process.returncode)}", row=row, source=source
            )
            self._end_group()
        return self._death

    def _end_group(self) -> None:
        """Workers that a kernel started do not outlive it."""
        if self._group:
            with contextlib.suppress(OSError):
                os.killpg(self._group, signal.SIGKILL)

    async def stop(self) -> None:
        for reader in self._readers:
            reader.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)
        self._readers = []
        self._client.stop_channels()
        if self._death is None:
            self._death = Death("it was stopped")
            with contextlib.suppress(Exception):  # it may end at this very moment
                await self._manager.shutdown_kernel(now=True)
            self._end_group()
        else:
            await self._manager.cleanup_resources()
        self._manager.context.destroy(linger=0)
        shutil.rmtree(self._folder, ignore_errors=True)


def _place_of_crash(said: str) -> tuple[int | None, str | None]:
    """What faulthandler wrote: the innermost frame in the user's own code."""
    _, crashed, frames = said.rpartition("Fatal Python error")
    for path, row in re.findall(r'File "([^"]+)", line (\d+)', frames if crashed else ""):
        if not re.search(r"site-packages|lib/python3|^<", path):
            return int(row), path
    return None, None
