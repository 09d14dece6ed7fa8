"""Lessons, rules and notes through the language server, as an editor asks for them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lessons.here import course
from tests.lsp.session import REAL
from tests.lsp.wire import Wire
from torchwise.lessons import messages
from torchwise.lessons.catalogue import COMMANDS, GROUP


class Reader(Wire):
    def __init__(self) -> None:
        super().__init__(REAL)
        answer = self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.commands = answer["result"]["capabilities"]["executeCommandProvider"]["commands"]
        self.notify("initialized", {})

    def command(self, name: str, request: dict[str, Any] | None = None) -> Any:
        arguments = [] if request is None else [request]
        answer = self.ask("workspace/executeCommand", {"command": f"{GROUP}.{name}", "arguments": arguments})
        return answer.get("result", answer.get("error"))


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        made = Reader()
    yield made
    made.ask("shutdown", None)
    made.notify("exit", None)
    assert made.process.wait(20) == 0


def test_every_command_is_advertised_and_every_message_exists(reader: Reader) -> None:
    assert {command.full_name for command in COMMANDS} <= set(reader.commands)
    named = {name for row in COMMANDS for name in (row.request, row.result) if name}
    assert all(hasattr(messages, name) for name in named)


def test_the_list_has_all_lessons_and_show_has_their_cells(reader: Reader) -> None:
    rows = [row for module in reader.command("list")["modules"] for row in module["lessons"]]
    assert [row["id"] for row in rows] == list(course().lessons)
    row = rows[0]
    shown = reader.command("show", {"id": row["id"]})
    assert shown["lesson"] == row and Path(shown["path"]).is_file()
    cells = shown["cells"]
    roles = [cell["role"] for cell in cells]
    assert roles.count("start") == roles.count("check") == row["exercises"]
    assert sum(role in ("snippet", "cuda", "shadow") for role in roles) == row["snippets"]
    lines = Path(shown["path"]).read_text().splitlines()
    assert all(lines[cell["row"] - 1] == cell["source"].splitlines()[0] for cell in cells if cell["source"])
    anchors = {section["anchor"] for section in row["sections"]}
    assert {cell["anchor"] for cell in cells if cell["kind"] == "code"} <= anchors


def test_progress_is_noted_and_shown(reader: Reader) -> None:
    row = reader.command("list")["modules"][0]["lessons"][0]
    lesson, anchor = row["id"], row["sections"][0]["anchor"]
    assert reader.command("progress", {"lesson": lesson}) == {"lesson": lesson, "done": False, "read": []}
    reader.command("progress", {"lesson": lesson, "read": anchor})
    noted = reader.command("progress", {"lesson": lesson, "done": True})
    assert noted == {"lesson": lesson, "done": True, "read": [anchor]}
    row = reader.command("list")["modules"][0]["lessons"][0]
    assert row["done"] and row["sections"][0]["read"] and not row["sections"][1]["read"]
    assert reader.command("progress", {"lesson": lesson, "done": False})["done"] is False


def test_search_finds_sections_that_can_be_opened(reader: Reader) -> None:
    hits = reader.command("search", {"text": "strides", "most": 5})["hits"]
    assert 0 < len(hits) <= 5
    for hit in hits:
        lesson = course().lessons[hit["lesson"]]
        assert not hit["anchor"] or lesson.section(hit["anchor"])
        assert hit["excerpt"]


def test_a_rule_has_a_page_and_two_programs(reader: Reader) -> None:
    found = reader.command("rulePage", {"rule": "tw301"})
    assert (found["code"], found["name"], found["severity"]) == ("TW301", "view-on-non-contiguous", "error")
    assert found == reader.command("rulePage", {"rule": "view-on-non-contiguous"})
    assert "^^" in found["markdown"] and "^^" not in found["bad"]
    assert "import torch" in found["bad"] and ".view(" in found["bad"] and ".reshape(" in found["good"]
    assert found["files"] == {}
    assert f"[{found['lesson']}](lesson:{found['lesson']})" in found["markdown"]


def test_a_note_is_found_under_the_names_that_people_use(reader: Reader) -> None:
    found = reader.command("note", {"symbol": "torch.tensor"})
    assert found["symbol"] == "torch.tensor" and "dtype" in found["markdown"]
    assert reader.command("note", {"symbol": "torch.no_such_thing"})["markdown"] is None


@pytest.mark.parametrize(
    ("command", "request_", "said"),
    [
        (
            "show",
            {"id": "02-tensors/viewz"},
            "there is no lesson `02-tensors/viewz`; near it: 02-tensors/views",
        ),
        ("show", {}, "torchwise.lessons.show: id: Field required"),
        ("progress", {"lesson": "02-tensors/views", "read": "nowhere"}, "has no section `nowhere`"),
        (
            "rulePage",
            {"rule": "view-non-contiguous"},
            "there is no rule `view-non-contiguous`; near it: view-on",
        ),
        ("search", {"text": "a", "most": 0}, "torchwise.lessons.search: most:"),
    ],
)
def test_what_is_not_there_is_said(reader: Reader, command: str, request_: dict[str, Any], said: str) -> None:
    error = reader.command(command, request_)
    assert error["code"] == -32602 and said in error["message"]


def test_lessons_cost_nothing_before_they_are_asked_for() -> None:
    code = "import sys, torchwise.lsp.server as s; s.make_server(); "
    code += "print({'pydantic', 'jupytext', 'yaml', 'platformdirs', 'torch'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
