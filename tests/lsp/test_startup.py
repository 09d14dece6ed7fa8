"""The budget of the start, and what must not be loaded for it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.lsp.session import REAL, connected


def run_s(*command: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *command], check=True)
    return time.perf_counter() - start


async def test_first_diagnostics_take_at_most_twice_the_import_of_pygls(tmp_path: Path) -> None:
    """The best of three each: the machine has other work."""
    importing_s = min(run_s("-c", "import pygls.lsp.server") for _ in range(3))
    starting_s = []
    for _ in range(3):
        start = time.perf_counter()
        async with connected(tmp_path, command=REAL) as session:
            await session.diagnostics(session.open("a.py", "import torch\nx = torch.zeros(2, 3)\n"))
            starting_s.append(time.perf_counter() - start)
    assert min(starting_s) < 2 * importing_s + 0.1


@pytest.mark.parametrize(
    "module", ["torchwise.lsp.server", "torchwise.cli.commands.check", "torchwise.engine"]
)
def test_torch_is_never_imported(module: str) -> None:
    code = f"import sys, {module}; assert not {{'torch', 'numpy'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
