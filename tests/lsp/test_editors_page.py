"""The snippets of docs/editors.md for editors that are not run here parse, and start a server."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.lsp.session import REAL
from tests.lsp.wire import Wire

PAGE = (Path(__file__).parents[2] / "docs" / "editors.md").read_text(encoding="utf-8")


def snippet(heading: str) -> str:
    """The first one below a heading."""
    section = PAGE.split(f"\n## {heading}", 1)[1].split("\n## ", 1)[0]
    lines = re.search(r"(?:^    .*\n|^\n)+", section.split(":\n", 1)[1], re.M)
    assert lines is not None
    return re.sub(r"^    ", "", lines[0], flags=re.M)


def of_helix() -> list[str]:
    read = tomllib.loads(snippet("Helix"))
    (language,) = read["language"]
    (server,) = read["language-server"]
    assert language["name"] == "python" and server in language["language-servers"]
    found = read["language-server"][server]
    assert found.keys() == {"command", "args"}
    return [found["command"], *found["args"]]


def of_sublime() -> list[str]:
    (found,) = json.loads(f"{{{snippet('Sublime Text')}}}")["clients"].values()
    assert found["enabled"] is True and found["selector"] == "source.python"
    assert found.keys() == {"enabled", "command", "selector"}
    return found["command"]


@pytest.mark.parametrize("command_of", [of_helix, of_sublime])
def test_a_snippet_starts_the_server(command_of: object) -> None:
    program, *arguments = command_of()  # type: ignore[operator]
    assert program == "torchwise"
    wire = Wire([*REAL[:-1], *arguments])
    params = {"processId": None, "rootUri": None, "capabilities": {}}
    assert wire.ask("initialize", params)["result"]["serverInfo"]["name"] == "torchwise"
    wire.ask("shutdown", None)
    wire.notify("exit", None)
