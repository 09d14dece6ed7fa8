"""One server for many pages: numbers, texts, deaths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.jupyter.talk import Desk, desk
from torchwise.jupyter import hub as hub_module


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path.resolve()


@pytest.fixture
def made(root: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(hub_module, "DELAYS_S", (0.0,))
    return desk(str(root))


def opening(uri: str, text: str, version: int = 1) -> dict[str, Any]:
    return {"textDocument": {"uri": uri, "languageId": "python", "version": version, "text": text}}


def change(uri: str, text: str, version: int) -> dict[str, Any]:
    return {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]}


def notebook(uri: str, texts: dict[str, str]) -> dict[str, Any]:
    return {
        "notebookDocument": {
            "uri": uri,
            "notebookType": "jupyter-notebook",
            "version": 1,
            "cells": [{"kind": 2, "document": cell} for cell in texts],
        },
        "cellTextDocuments": [
            {"uri": cell, "languageId": "python", "version": 1, "text": text} for cell, text in texts.items()
        ],
    }


def at(uri: str) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}


async def test_answers_go_to_the_page_that_asked(made: Desk, root: Path) -> None:
    first, second = made.page(), made.page()
    uri = (root / "a.py").as_uri()
    await made.say(first, "textDocument/hover", at(uri), 7)
    await made.say(second, "textDocument/hover", at(uri), 7)
    asked = [message for message in made.process.told if message["method"] == "textDocument/hover"]
    assert asked[0]["id"] != asked[1]["id"]
    made.process.heard({"jsonrpc": "2.0", "id": asked[1]["id"], "result": "second"})
    made.process.heard({"jsonrpc": "2.0", "id": asked[0]["id"], "result": "first"})
    assert [message["result"] for message in made.told_to(first) if "result" in message] == ["first"]
    assert [message["result"] for message in made.told_to(second) if "result" in message] == ["second"]


async def test_the_server_is_told_hello_once(made: Desk) -> None:
    first, second = made.page(), made.page()
    await made.say(first, "initialize", {}, 1)
    await made.say(second, "initialize", {}, 1)
    assert made.process.methods().count("initialize") == 1
    for page in (first, second):
        assert made.told_to(page)[-1] == {"jsonrpc": "2.0", "id": 1, "result": {"capabilities": {}}}


async def test_the_text_of_who_speaks_is_the_one_the_server_has(made: Desk, root: Path) -> None:
    first, second = made.page(), made.page()
    uri = (root / "a.py").as_uri()
    await made.say(first, "textDocument/didOpen", opening(uri, "one = 1"))
    await made.say(second, "textDocument/didOpen", opening(uri, "two = 2"))
    await made.say(first, "textDocument/hover", at(uri), 1)
    opened = [
        message["params"]["textDocument"]["text"]
        for message in made.process.told
        if message["method"] == "textDocument/didOpen"
    ]
    assert opened == ["one = 1", "two = 2", "one = 1"]
    assert made.process.methods().count("textDocument/didClose") == 2


async def test_a_question_about_a_text_that_was_replaced_is_answered_as_such(made: Desk, root: Path) -> None:
    first, second = made.page(), made.page()
    uri = (root / "a.py").as_uri()
    await made.say(first, "textDocument/didOpen", opening(uri, "one = 1"))
    await made.say(first, "textDocument/hover", at(uri), 5)
    await made.say(second, "textDocument/didOpen", opening(uri, "two = 2"))
    assert made.told_to(first)[-1]["error"]["code"] == -32801
    late = made.process.last("textDocument/hover")["id"]
    made.process.heard({"jsonrpc": "2.0", "id": late, "result": "about another text"})
    assert "about another text" not in str(made.told)


async def test_pages_that_edit_together_share_one_state(made: Desk, root: Path) -> None:
    first, second = made.page(), made.page()
    uri = (root / "a.py").as_uri()
    await made.say(first, "textDocument/didOpen", opening(uri, "one = 1", 4))
    await made.say(second, "textDocument/didOpen", opening(uri, "one = 1", 9))
    found = {"uri": uri, "version": 4, "diagnostics": [{"message": "m"}]}
    publish = {"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics"}
    made.process.heard({**publish, "params": found})
    assert made.told_to(first)[-1]["params"]["version"] == 4
    assert made.told_to(second)[-1]["params"] == {**found, "version": 9}

    await made.say(first, "textDocument/didChange", change(uri, "one = 2", 5))
    made.process.heard({**publish, "params": {**found, "version": 5}})
    assert made.told_to(second)[-1]["params"]["version"] == 9, "its text is another one still"
    await made.say(second, "textDocument/didChange", change(uri, "one = 2", 10))
    assert made.told_to(second)[-1]["params"]["version"] == 10
    assert "textDocument/didClose" not in made.process.methods()

    await made.say(second, "textDocument/codeAction", at(uri), 3)
    number = made.process.last("textDocument/codeAction")["id"]
    edit = {"documentChanges": [{"textDocument": {"uri": uri, "version": 5}, "edits": []}]}
    made.process.heard({"jsonrpc": "2.0", "id": number, "result": [{"title": "t", "edit": edit}]})
    (action,) = made.told_to(second)[-1]["result"]
    assert action["edit"]["documentChanges"][0]["textDocument"]["version"] == 10


async def test_findings_are_told_to_the_page_whose_text_they_are_in(made: Desk, root: Path) -> None:
    first, second = made.page(), made.page()
    uri = (root / "n.ipynb").as_uri()
    cell = uri.replace("file:", "vscode-notebook-cell:") + "#c1"
    await made.say(first, "notebookDocument/didOpen", notebook(uri, {cell: "x = 1"}))
    params = {"uri": cell, "version": 1, "diagnostics": [{"message": "m"}]}
    made.process.heard({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params})
    assert made.told_to(first)[-1]["params"] == params
    assert "diagnostics" not in str(made.told_to(second))


async def test_a_page_that_comes_later_learns_what_was_found_in_closed_files(made: Desk, root: Path) -> None:
    made.page()
    await made.hub._capabilities()
    params = {"uri": (root / "b.py").as_uri(), "diagnostics": [{"message": "m"}]}
    made.process.heard({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params})
    late = made.page()
    await made.say(late, "initialize", {}, 1)
    assert params in [message.get("params") for message in made.told_to(late)]


async def test_a_page_that_goes_leaves_the_text_of_the_other(made: Desk, root: Path) -> None:
    first, second = made.page(), made.page()
    uri = (root / "a.py").as_uri()
    await made.say(first, "textDocument/didOpen", opening(uri, "one = 1"))
    await made.say(second, "textDocument/didOpen", opening(uri, "two = 2"))
    made.hub.leave(second)
    assert made.process.told[-1]["params"]["textDocument"]["text"] == "one = 1"
    made.hub.leave(first)
    assert made.process.told[-1]["method"] == "textDocument/didClose"


async def test_after_a_death_all_is_opened_again_as_it_was(made: Desk, root: Path) -> None:
    page = made.page()
    uri = (root / "n.ipynb").as_uri()
    cells = [uri.replace("file:", "vscode-notebook-cell:") + f"#c{index}" for index in range(3)]
    await made.say(page, "notebookDocument/didOpen", notebook(uri, {cells[0]: "a = 1", cells[1]: "b = 2"}))
    added = {"uri": cells[2], "languageId": "python", "version": 1, "text": "c = 3"}
    structure = {
        "array": {"start": 1, "deleteCount": 1, "cells": [{"kind": 2, "document": cells[2]}]},
        "didOpen": [added],
        "didClose": [{"uri": cells[1]}],
    }
    named = {"uri": uri, "version": 2}
    changed = {"notebookDocument": named, "change": {"cells": {"structure": structure}}}
    await made.say(page, "notebookDocument/didChange", changed)
    text = {"document": {"uri": cells[0], "version": 2}, "changes": [{"text": "a = 10"}]}
    changed = {
        "notebookDocument": {"uri": uri, "version": 3},
        "change": {"cells": {"textContent": [text]}},
    }
    await made.say(page, "notebookDocument/didChange", changed)
    await made.say(page, "torchwise/trust", {"trusted": True})
    await made.say(page, "textDocument/hover", at(cells[0]), 3)

    made.process.ended()
    assert made.told_to(page)[-2]["error"]["message"].startswith("the language server has ended")
    await made.hub._capabilities()
    assert len(made.processes) == 2
    methods = made.process.methods()
    assert methods == ["initialize", "initialized", "torchwise/trust", "notebookDocument/didOpen"]
    again = made.process.told[-1]["params"]
    assert [cell["document"] for cell in again["notebookDocument"]["cells"]] == [cells[0], cells[2]]
    texts = {item["uri"]: item["text"] for item in again["cellTextDocuments"]}
    assert texts == {cells[0]: "a = 10", cells[2]: "c = 3"}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", {"textDocument": {"uri": "file:///etc/passwd"}}),
        ("textDocument/hover", {"textDocument": {"uri": "vscode-notebook-cell:///etc/n.ipynb#c"}}),
        ("workspace/executeCommand", {"command": "x", "arguments": [{"path": "/etc/passwd"}]}),
        ("workspace/executeCommand", {"command": "x", "arguments": [{"folder": "../.."}]}),
        ("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": []}}),
        ("shutdown", None),
    ],
)
async def test_what_is_out_of_bounds_never_reaches_the_server(made: Desk, method: str, params: Any) -> None:
    page = made.page()
    await made.say(page, method, params, 1)
    assert made.told_to(page)[-1]["error"]["code"] == -32602
    assert method not in made.process.methods()


async def test_a_link_out_of_the_root_is_outside(made: Desk, root: Path) -> None:
    (root / "out").symlink_to("/etc")
    page = made.page()
    await made.say(page, "textDocument/hover", at((root / "out" / "passwd").as_uri()), 1)
    assert "outside of the root" in made.told_to(page)[-1]["error"]["message"]


@pytest.mark.parametrize(
    "params", [None, 3, [], {}, {"textDocument": 1}, {"textDocument": {"uri": 5}}, {"contentChanges": {}}]
)
async def test_malformed_messages_do_no_harm(made: Desk, root: Path, params: Any) -> None:
    page = made.page()
    for method in ("textDocument/didOpen", "textDocument/didChange", "notebookDocument/didChange"):
        await made.say(page, method, params)
    uri = (root / "a.py").as_uri()
    await made.say(page, "textDocument/didOpen", opening(uri, "a = 1"))
    await made.say(page, "textDocument/didChange", change(uri, "a = 2", 2))
    assert made.process.told[-1]["params"]["contentChanges"] == [{"text": "a = 2"}]
