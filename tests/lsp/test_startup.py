"""The budget of the start, and what must not be loaded for it."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from tests.lsp.session import REAL
from tests.lsp.wire import Wire


def importing_s() -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import pygls.lsp.server"], check=True)
    return time.perf_counter() - start


def starting_s() -> float:
    """From nothing to the first diagnostics."""
    start = time.perf_counter()
    wire = Wire(REAL)
    wire.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    wire.notify("initialized", {})
    wire.open("a.py", "import torch\nx = torch.zeros(2, 3)\n")
    while wire.read().get("method") != "textDocument/publishDiagnostics":
        pass
    taken = time.perf_counter() - start
    wire.ask("shutdown", None)
    wire.notify("exit", None)
    wire.process.wait(20)
    return taken


def test_first_diagnostics_take_at_most_twice_the_import_of_pygls() -> None:
    """The best of some, in turn: the machine has other work."""
    importing, starting = zip(*((importing_s(), starting_s()) for _ in range(4)))
    assert min(starting) < 2 * min(importing)


@pytest.mark.parametrize(
    "module", ["torchwise.lsp.server", "torchwise.cli.commands.check", "torchwise.engine"]
)
def test_torch_is_never_imported(module: str) -> None:
    code = f"import sys, {module}; assert not {{'torch', 'numpy'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
