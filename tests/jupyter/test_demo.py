"""What `make demo` ends with, where there is a terminal and where there is none."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from urllib.error import URLError

import pytest

SCRIPT = Path(__file__).parents[2] / "demo" / "open_lab.py"


def environment(**own: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "DEMO_OPEN")}
    return {**kept, **own}


def page_at(address: str) -> str:
    """It is told a moment before it is listened at."""
    for _ in range(100):
        with contextlib.suppress(URLError), urllib.request.urlopen(address, timeout=30) as answer:
            return str(answer.read(), "utf-8")
        time.sleep(0.2)
    raise AssertionError(f"nothing answers at {address}")


@pytest.mark.parametrize("own", [{}, {"DEMO_OPEN": "0"}])
def test_without_a_terminal_it_ends_and_says_how(own: dict[str, str]) -> None:
    ended = subprocess.run(
        [sys.executable, str(SCRIPT)], capture_output=True, text=True, timeout=60, env=environment(**own)
    )
    assert ended.returncode == 0
    assert "-m jupyterlab" in ended.stdout and "look.ipynb" in ended.stdout


def test_without_a_display_it_serves_and_prints_the_address(tmp_path: Path) -> None:
    own = {f"JUPYTER_{kind}_DIR": str(tmp_path / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT)],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(DEMO_OPEN="1", **own),
    )
    assert process.stderr is not None
    late = threading.Timer(90, process.kill)
    late.start()
    try:
        found = (re.search(r"http://127\S+/tree/look\.ipynb\?token=\w+", line) for line in process.stderr)
        address = next(match[0] for match in found if match)
        assert "JupyterLab" in page_at(address)
    finally:
        late.cancel()
        process.terminate()
        process.stderr.close()
        process.wait(20)
