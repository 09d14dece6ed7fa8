"""A real Jupyter server on loopback, in a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

TOKEN = "a-secret-of-the-test"


@dataclass
class Jupyter:
    process: subprocess.Popen[bytes]
    url: str
    runtime: Path  # where it leaves its files

    def kill(self) -> None:
        """At once, with all its kernels, as when a machine goes down."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@contextmanager
def jupyter_server(folder: Path) -> Iterator[Jupyter]:
    port = free_port()
    own = {f"JUPYTER_{kind}_DIR": str(folder / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")}
    command = [sys.executable, "-m", "jupyter_server", "--allow-root", "--ServerApp.open_browser=False"]
    command += ["--ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    command += [f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={folder}"]
    command += ["--ServerApp.base_url=/user/ann/"]  # as behind a hub
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command, env={**os.environ, **own}, stderr=log, stdout=log, start_new_session=True
        )
    server = Jupyter(process, f"http://127.0.0.1:{port}/user/ann", folder / "runtime")
    try:
        _wait_for(server, folder / "log")
        yield server
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def _wait_for(server: Jupyter, log: Path) -> None:
    end = time.monotonic() + 40
    while time.monotonic() < end and server.process.poll() is None:
        try:
            urllib.request.urlopen(f"{server.url}/api/status?token={TOKEN}", timeout=2).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(log.read_text())
