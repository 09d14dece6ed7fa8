"""A client that nobody here wrote: Neovim, without a window, with the snippet that users are given."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.lsp.session import REAL

ROOT = Path(__file__).parents[2]
FIXTURE = Path(__file__).parent / "fixtures" / "model.py"


@pytest.mark.skipif(
    shutil.which("nvim") is None and not os.environ.get("CI"), reason="Neovim is not installed"
)
def test_neovim_shows_a_finding_again_after_the_server_was_killed_and_applies_its_fix(tmp_path: Path) -> None:
    file, report = tmp_path / "model.py", tmp_path / "report.json"
    shutil.copy(FIXTURE, file)
    environment = {
        **os.environ,
        "SNIPPET": str(ROOT / "editors/neovim/torchwise.lua"),
        "SERVER": json.dumps(REAL),
        "FILE": str(file),
        "REPORT": str(report),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    script = Path(__file__).with_name("neovim.lua")
    command = ["nvim", "--headless", "-u", "NONE", "-n", "-c", f"luafile {script}"]
    subprocess.run(command, env=environment, check=True, timeout=90)
    outcome = json.loads(report.read_text())
    assert outcome["ok"], outcome["result"]
    assert outcome["result"]["back"] is True
    shown = outcome["result"]["diagnostic"]
    assert (shown["row"], shown["column"], shown["source"]) == (5, 8, "torchwise")
    assert "cannot be viewed as" in shown["message"]
    assert file.read_text() == FIXTURE.read_text().replace(".view(", ".reshape(")
