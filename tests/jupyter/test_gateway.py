"""Kernels of another machine, as a gateway brings them: the device picker lists what is installed there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import URLError

from tests.run.jupyter import free_port

TOKEN = "a-secret-of-the-test"
KERNELS = Path(__file__).parents[2] / "lab-extension" / "jupyter" / "kernels"


@contextmanager
def serving(folder: Path, *more: str, kernels: bool = False) -> Iterator[str]:
    port, address = free_port(), "http://127.0.0.1"
    own = {f"JUPYTER_{kind}_DIR": str(folder / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")}
    if kernels:
        shutil.copytree(KERNELS, folder / "data" / "kernels")
    folder.mkdir(exist_ok=True)
    command: Sequence[str] = [
        *(sys.executable, "-m", "jupyter_server", "--allow-root", "--ServerApp.open_browser=False"),
        *("--ip=127.0.0.1", f"--ServerApp.port={port}", f"--IdentityProvider.token={TOKEN}"),
        *(f"--ServerApp.root_dir={folder}", "--ServerApp.port_retries=0", *more),
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env={**os.environ, **own}, stderr=log, stdout=log)
    try:
        for _ in range(300):
            with suppress(URLError):
                asked(f"{address}:{port}/api/status")
                break
            assert process.poll() is None, (folder / "log").read_text()
            time.sleep(0.2)
        yield f"{address}:{port}"
    finally:
        process.terminate()
        process.wait(20)


def asked(url: str) -> Any:
    request = urllib.request.Request(url, headers={"Authorization": f"token {TOKEN}"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def test_what_a_gateway_has_is_listed_and_nothing_is_said_of_its_devices(tmp_path: Path) -> None:
    with serving(tmp_path / "there", kernels=True) as there:
        gateway = (f"--GatewayClient.url={there}", f"--GatewayClient.auth_token={TOKEN}")
        with serving(
            tmp_path / "here", *gateway, "--ServerApp.jpserver_extensions=torchwise.jupyter=True"
        ) as here:
            assert asked(f"{here}/torchwise/info")["cudaDevices"] is None
            specs = asked(f"{here}/api/kernelspecs")["kernelspecs"]
            assert specs["torchwise-cpu"]["spec"]["metadata"]["torchwise"] == {"device": "cpu"}
