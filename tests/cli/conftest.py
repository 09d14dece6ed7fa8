"""The command line in this process, with an engine whose rules only look at words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import torchwise.cli.analysis as analysis
from tests.cli import fake_engine
from torchwise.cli import main
from torchwise.project.settings import config_of

Torchwise = Callable[..., Result]


@pytest.fixture
def torchwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Torchwise:
    """Runs in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(analysis, "Engine", fake_engine.Engine)
    monkeypatch.setattr(analysis, "all_rules", lambda: fake_engine.RULES)
    monkeypatch.setattr("torchwise.rules.all_rules", lambda: fake_engine.RULES)

    def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
        config_of.cache_clear()
        return CliRunner().invoke(main, arguments, input=stdin, prog_name="torchwise")

    return run


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
