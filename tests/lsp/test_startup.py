"""The budget of the start, and what must not be loaded for it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.lsp.session import FAKE, REAL
from tests.lsp.wire import Wire


def used_s(process: subprocess.Popen[bytes]) -> float:
    """Seconds of a processor, which are much the same on a busy machine."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def importing_s() -> float:
    return used_s(subprocess.Popen([sys.executable, "-c", "import pygls.lsp.server"]))


def starting_s() -> float:
    """From nothing to the first diagnostics, and the end."""
    wire = Wire(REAL)
    wire.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    wire.notify("initialized", {})
    wire.open("a.py", "import torch\nx = torch.zeros(2, 3)\n")
    while wire.read().get("method") != "textDocument/publishDiagnostics":
        pass
    wire.ask("shutdown", None)
    wire.notify("exit", None)
    return used_s(wire.process)


def test_first_diagnostics_take_at_most_twice_the_import_of_pygls(monkeypatch: pytest.MonkeyPatch) -> None:
    # An installed package has its bytecode, as pygls here has; a checkout writes it at its first start.
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    starting_s()
    importing, starting = zip(*((importing_s(), starting_s()) for _ in range(3)))
    assert min(starting) < 2 * min(importing)


@pytest.mark.parametrize(
    "module", ["torchwise.lsp.server", "torchwise.cli.commands.check", "torchwise.engine"]
)
def test_torch_is_never_imported(module: str) -> None:
    code = f"import sys, {module}; assert not {{'torch', 'numpy'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_options_that_clients_pass_are_taken() -> None:
    """`--stdio` is what many clients add unasked."""
    wire = Wire([*FAKE, "--stdio", "--log-level", "debug"])
    answer = wire.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert answer["result"]["serverInfo"]["name"] == "torchwise"
    wire.ask("shutdown", None)
    wire.notify("exit", None)
    assert wire.process.wait(20) == 0
