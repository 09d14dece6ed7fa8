"""Whatever a client sends, the server stays and answers the next question."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.session import FAKE
from tests.lsp.wire import Wire


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    wire = Wire(FAKE)
    wire.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    wire.notify("initialized", {})
    yield wire
    wire.ask("shutdown", None)
    wire.notify("exit", None)
    assert wire.process.wait(20) == 0


def assert_it_answers(wire: Wire) -> None:
    uri = wire.open("probe.py", "weight = 1\n")
    place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 2}}
    assert wire.ask("textDocument/hover", place)["result"]["contents"]["value"] == "**weight**"


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b"null",
        b'"hi"',
        b"\xff\xfe\x00",
        b"{}",
        b'{"jsonrpc": "1.0"}',
        b'{"jsonrpc": "2.0"}',
        b"[" * 5000,
    ],
    ids=lambda body: repr(body[:12]),
)
def test_broken_messages(wire: Wire, body: bytes) -> None:
    wire.send_bytes(body)
    assert_it_answers(wire)


def test_noise_between_messages(wire: Wire) -> None:
    assert wire.process.stdin
    wire.process.stdin.write(b"noise\r\n\r\nX-Header: 1\r\n")
    assert_it_answers(wire)


def test_a_question_that_makes_no_sense_is_refused(wire: Wire) -> None:
    assert wire.ask("textDocument/hover", {"textDocument": 3})["error"]["code"] == -32602
    assert wire.ask("textDocument/teleport", {})["error"]["code"] == -32601
    assert_it_answers(wire)


NO_FILE = {"uri": "file:///no.py", "version": 2}
NO_NOTEBOOK = {"uri": "file:///no.ipynb", "version": 2}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/didChange", {"textDocument": NO_FILE, "contentChanges": [{"text": ""}]}),
        ("textDocument/didClose", {"textDocument": NO_FILE}),
        ("notebookDocument/didChange", {"notebookDocument": NO_NOTEBOOK, "change": {}}),
        ("workspace/didChangeConfiguration", {"settings": 7}),
        ("workspace/didChangeConfiguration", {"settings": {"torchwise": {"select": 7, "delayMs": "soon"}}}),
        ("workspace/didChangeWatchedFiles", {"changes": [{"uri": "nonsense", "type": 9}]}),
        ("$/cancelRequest", {"id": 99999}),
        ("$/unheardOf", None),
    ],
)
def test_news_of_what_was_never_there(wire: Wire, method: str, params: Any) -> None:
    wire.notify(method, params)
    assert_it_answers(wire)


def test_a_huge_document(wire: Wire) -> None:
    uri = wire.open("huge.py", "old(1)\n" * 100_000)
    where = {"start": {"line": 5, "character": 0}, "end": {"line": 6, "character": 0}}
    change = [{"range": where, "text": ""}]
    wire.notify(
        "textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": change}
    )
    wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert_it_answers(wire)


def test_edits_in_any_order_at_any_place(wire: Wire) -> None:
    """Ranges that are reversed, far outside, or in the middle of a character of two units."""
    chance = random.Random(7)
    uri = wire.open("wild.py", "x = '🍎'\r\n")
    for version in range(2, 200):
        ends = [{"line": chance.randrange(4), "character": chance.randrange(12)} for _ in range(2)]
        text = chance.choice(["", "old(1)", "\n", "🍎", "\r", "\f", "\0", "x = (", "'''", "\ud800"])
        change = [{"range": {"start": ends[0], "end": ends[1]}, "text": text}]
        wire.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": change},
        )
        if version % 20 == 0:
            ask = {"textDocument": {"uri": uri}, "range": {"start": ends[0], "end": ends[1]}}
            wire.ask("textDocument/codeAction", {**ask, "context": {"diagnostics": []}})
            wire.ask("textDocument/inlayHint", ask)
            wire.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    assert_it_answers(wire)


def test_a_server_whose_client_is_gone_ends() -> None:
    wire = Wire(FAKE)
    wire.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert wire.process.stdin
    wire.process.stdin.close()
    assert wire.process.wait(20) is not None


def test_paths_of_all_kinds(wire: Wire, tmp_path: Path) -> None:
    for uri in (
        "untitled:Untitled-1",
        "file:///with%20space/é.py",
        "vscode-vfs://github/a/b.py",
        "zip:",
        "::",
    ):
        document = {"uri": uri, "languageId": "python", "version": 1, "text": "x = old(1)\n"}
        wire.notify("textDocument/didOpen", {"textDocument": document})
        report = wire.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})["result"]
        assert [item["code"] for item in report["items"]] == ["TW901"], uri
