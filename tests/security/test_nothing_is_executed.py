"""Analysis executes nothing of a project, asks the network nothing, and writes nothing outside of it."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.lsp.wire import Wire

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MODEL = "import torch\n\nx = torch.ones(2, 3).t().view(6)\nstate = torch.load('weights.pt')\n"

# What Python, pytest, pip, torch or our own imports would run, if they were let.
STARTED = "sitecustomize usercustomize conftest setup noxfile __init__ __main__ helpers"
IMPORTED = "torch click pydantic tree_sitter pygls lsprotocol pathspec libcst tomllib json typing"
TRAPS = (*[f"{name}.py" for name in f"{STARTED} {IMPORTED}".split()], "numpy/__init__.py", "trap.pth")


class Bomb:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str, ...]]:
        return Path.touch, (self.mark,)  # type: ignore[return-value]


@dataclass
class World:
    project: Path
    mark: Path  # made by whatever of the project is executed
    log: Path
    environment: dict[str, str]

    def events(self) -> list[tuple[str, str]]:
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return [tuple(line.split("\t", 1)) for line in lines if "\t" in line]  # type: ignore[misc]


@pytest.fixture
def world(tmp_path: Path) -> World:
    project, spies, home = (tmp_path / name for name in ("project", "spies", "home"))
    mark = tmp_path / "executed"
    for folder in (project, spies, home, tmp_path / "tmp"):
        folder.mkdir()
    shutil.copy(HERE / "spy.py", spies / "sitecustomize.py")
    for name in TRAPS:
        path = project / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"open({str(mark)!r}, 'w').close()\nraise SystemExit('executed: {name}')\n")
    (project / "model.py").write_text(f"{MODEL}import helpers\nopen({str(mark)!r}, 'w')\n")
    cells = [{"cell_type": "code", "source": f"!touch {mark}\nopen({str(mark)!r}, 'w')"}]
    (project / "look.ipynb").write_text(json.dumps({"cells": cells}))
    for name in ("weights.pt", "cached.pkl"):
        (project / name).write_bytes(pickle.dumps(Bomb(mark)))
    cache = project / ".torchwise_cache"
    cache.mkdir()
    (cache / f"{'0' * 32}.json").write_bytes(pickle.dumps(Bomb(mark)))
    (project / "pyproject.toml").write_text('[tool.torchwise]\nselect = ["ALL"]\n[tool.pytest]\nx = 1\n')
    environment = {
        **{name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "SYSTEMROOT")},
        "PYTHONPATH": os.pathsep.join([str(spies), str(ROOT / "server")]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(home),
        "TMPDIR": str(tmp_path / "tmp"),
        "SPY": str(tmp_path / "spy.log"),
    }
    return World(project, mark, tmp_path / "spy.log", environment)


def assert_nothing_happened(world: World) -> None:
    events = world.events()
    assert any(kind == "exec" for kind, _ in events), "the spy was not there"
    assert not world.mark.exists()
    inside = os.path.realpath(world.project) + os.sep
    assert [about for kind, about in events if kind == "exec" and about.startswith(inside)] == []
    assert [about for kind, about in events if kind == "write" and not _may_be_written(about, inside)] == []
    assert [event for event in events if event[0] not in ("exec", "write")] == []


def _may_be_written(path: str, inside: str) -> bool:
    """The workspace, and what swallows everything."""
    return path.startswith(inside) or path in ("/dev/null", "/dev/tty")


COMMANDS: Sequence[Sequence[str]] = (
    ("check",),
    ("check", "--no-cache", "-j", "1", "--output-format", "sarif"),
    ("check", "--isolated", "model.py", "--output-format", "github"),
    ("fix", "--unsafe-fixes"),
    ("fix", "--diff"),
    ("check", "--add-noqa"),
    ("check", "--write-baseline"),
    ("shapes", "model.py"),
    ("rules",),
    ("explain", "TW301"),
)


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_command_executes_nothing_of_the_project(world: World, arguments: Sequence[str]) -> None:
    """Started as a module, which puts the project's folder first where Python looks for imports."""
    done = subprocess.run(
        [sys.executable, "-m", "torchwise", *arguments],
        cwd=world.project,
        env=world.environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode in (0, 1), done.stderr
    assert_nothing_happened(world)


def test_the_server_executes_nothing_of_the_project(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        monkeypatch.delenv(name)
    for name, value in world.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(world.project)
    wire = Wire([sys.executable, "-m", "torchwise", "server"])
    root = world.project.as_uri()
    wire.ask(
        "initialize",
        {"processId": None, "rootUri": root, "capabilities": {"textDocument": {"diagnostic": {}}}},
    )
    wire.notify("initialized", {})
    uri = (world.project / "model.py").as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": MODEL}
    wire.notify("textDocument/didOpen", {"textDocument": document})
    where = {"start": {"line": 0, "character": 0}, "end": {"line": 4, "character": 0}}
    named = {"textDocument": {"uri": uri}}
    items = wire.ask("textDocument/diagnostic", named)["result"]["items"]
    assert {item["code"] for item in items} <= {"TW301"}  # none once the `torch.py` of the project is known
    wire.ask("textDocument/hover", {**named, "position": {"line": 2, "character": 12}})
    wire.ask("textDocument/inlayHint", {**named, "range": where})
    wire.ask("textDocument/codeLens", named)
    wire.ask("textDocument/codeAction", {**named, "range": where, "context": {"diagnostics": items}})
    for command in ("torchwise.run", "torchwise.checkGraphBreaks"):
        arguments = {
            "command": command,
            "arguments": [{"uri": uri, "source": f"open({str(world.mark)!r}, 'w')"}],
        }
        wire.ask("workspace/executeCommand", arguments)  # refused: nobody said that the workspace is trusted
    wire.ask("shutdown", None)
    wire.notify("exit", None)
    assert wire.process.wait(30) == 0
    assert_nothing_happened(world)
