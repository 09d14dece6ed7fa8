"""Another client that nobody here wrote: Emacs with eglot, without a window, with the users' snippet."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIXTURE = Path(__file__).parent / "fixtures" / "model.py"


@pytest.mark.skipif(
    shutil.which("emacs") is None and not os.environ.get("CI"), reason="Emacs is not installed"
)
def test_emacs_shows_a_finding_again_after_the_server_was_killed_and_applies_its_fix(tmp_path: Path) -> None:
    file, report, programs = tmp_path / "model.py", tmp_path / "report.json", tmp_path / "bin"
    shutil.copy(FIXTURE, file)
    programs.mkdir()
    (programs / "torchwise").write_text(f'#!/bin/sh\nexec {sys.executable} -P -m torchwise "$@"\n')
    (programs / "torchwise").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "SNIPPET": str(ROOT / "editors/emacs/torchwise.el"),
        "FILE": str(file),
        "REPORT": str(report),
    }
    script = Path(__file__).with_name("emacs.el")
    subprocess.run(["emacs", "--batch", "-l", script], env=environment, check=True, timeout=120)
    outcome = json.loads(report.read_text())
    assert outcome["ok"] is True, outcome["result"]
    shown = outcome["result"]
    assert (shown["row"], shown["column"]) == (5, 8) and "cannot be viewed as" in shown["message"]
    assert file.read_text() == FIXTURE.read_text().replace(".view(", ".reshape(")
