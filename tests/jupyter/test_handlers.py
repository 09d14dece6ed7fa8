"""The routes, in a real Jupyter server with a real language server."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from tornado.httpclient import HTTPClientError

from tests.jupyter.talk import Talk, on_jupyters_loop
from torchwise import __version__
from torchwise.jupyter.inside import SENT

FAULTY = "import torch\nx = torch.zeros(2, 3).t().view(6)\n"


@on_jupyters_loop
async def test_info_tells_the_root(jp_fetch: Any, jp_root_dir: Path) -> None:
    told = json.loads((await jp_fetch("torchwise", "info")).body)
    assert told["rootUri"] == jp_root_dir.resolve().as_uri()
    assert told["version"] == __version__


@pytest.mark.parametrize("route", [("info",), ("inside", "observe"), ("lsp",)])
@on_jupyters_loop
async def test_nothing_is_told_without_the_token(jp_fetch: Any, route: tuple[str, ...]) -> None:
    with pytest.raises(HTTPClientError) as refused:
        await jp_fetch("torchwise", *route, headers={"Authorization": "token another"})
    assert refused.value.code == 403


@on_jupyters_loop
async def test_the_websocket_takes_the_right_to_execute(
    jp_fetch: Any, jp_serverapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def is_authorized(handler: Any, user: Any, action: str, resource: str) -> bool:
        asked.append((action, resource))
        return action != "execute"

    monkeypatch.setattr(jp_serverapp.authorizer, "is_authorized", is_authorized)
    with pytest.raises(HTTPClientError) as refused:
        await jp_fetch("torchwise", "lsp")
    assert refused.value.code == 403
    assert ("execute", "torchwise") in asked


@on_jupyters_loop
async def test_scripts_for_kernels_are_handed_out(jp_fetch: Any) -> None:
    for name in SENT:
        text = json.loads((await jp_fetch("torchwise", "inside", name)).body)["text"]
        compile(text, name, "exec")


@pytest.mark.parametrize("name", ["probe", "nothing"])
@on_jupyters_loop
async def test_only_scripts_for_notebooks_are_handed_out(jp_fetch: Any, name: str) -> None:
    with pytest.raises(HTTPClientError) as refused:
        await jp_fetch("torchwise", "inside", name)
    assert refused.value.code == 404


@on_jupyters_loop
async def test_findings_come_over_the_websocket(jp_ws_fetch: Any, jp_root_dir: Path) -> None:
    talk = Talk(await jp_ws_fetch("torchwise", "lsp"))
    hello = await talk.greet()
    assert "notebookDocumentSync" in hello["result"]["capabilities"]
    uri = (jp_root_dir.resolve() / "a b.py").as_uri()
    await talk.open(uri, FAULTY)
    assert [row["data"]["name"] for row in await talk.found(uri)] == ["view-on-non-contiguous"]
    talk.socket.close()


@on_jupyters_loop
async def test_two_pages_have_one_server(jp_ws_fetch: Any, jp_fetch: Any, jp_root_dir: Path) -> None:
    uri = (jp_root_dir.resolve() / "a.py").as_uri()
    pids = []
    talks = [Talk(await jp_ws_fetch("torchwise", "lsp")) for _ in range(2)]
    for talk in talks:
        await talk.greet()
        pids.append(json.loads((await jp_fetch("torchwise", "info")).body)["languageServer"])
    await talks[0].open(uri, FAULTY)
    assert len(await talks[0].found(uri)) == 1
    await talks[1].open(uri, "x = 1\n")
    assert await talks[1].found(uri) == []
    await talks[0].open(uri, FAULTY)
    assert len(await talks[0].found(uri)) == 1
    assert len(set(pids)) == 1
    for talk in talks:
        talk.socket.close()


@on_jupyters_loop
async def test_two_pages_with_the_same_text_are_both_told(jp_ws_fetch: Any, jp_root_dir: Path) -> None:
    uri = (jp_root_dir.resolve() / "a.py").as_uri()
    for _ in range(2):
        talk = Talk(await jp_ws_fetch("torchwise", "lsp"))
        await talk.greet()
        await talk.open(uri, FAULTY)
        assert len(await talk.found(uri)) == 1


@on_jupyters_loop
async def test_a_server_that_dies_is_replaced_and_finds_again(
    jp_ws_fetch: Any, jp_fetch: Any, jp_root_dir: Path
) -> None:
    talk = Talk(await jp_ws_fetch("torchwise", "lsp"))
    await talk.greet()
    uri = (jp_root_dir.resolve() / "a.py").as_uri()
    await talk.open(uri, FAULTY)
    assert len(await talk.found(uri)) == 1
    pid = json.loads((await jp_fetch("torchwise", "info")).body)["languageServer"]
    os.kill(pid, signal.SIGKILL)
    assert len(await talk.found(uri)) == 1
    states = [row["params"]["state"] for row in talk.passed if row.get("method") == "torchwise/server"]
    assert states[-2:] == ["ended", "ready"]
    assert json.loads((await jp_fetch("torchwise", "info")).body)["languageServer"] != pid
    talk.socket.close()


@on_jupyters_loop
async def test_no_server_outlives_jupyter(jp_ws_fetch: Any, jp_fetch: Any, jp_serverapp: Any) -> None:
    talk = Talk(await jp_ws_fetch("torchwise", "lsp"))
    await talk.greet()
    pid = json.loads((await jp_fetch("torchwise", "info")).body)["languageServer"]
    await jp_serverapp.extension_manager.stop_all_extensions()
    with pytest.raises(ProcessLookupError):
        for _ in range(100):
            os.kill(pid, 0)
            await asyncio.sleep(0.05)


@on_jupyters_loop
async def test_frames_that_are_no_messages_are_dropped(jp_ws_fetch: Any) -> None:
    talk = Talk(await jp_ws_fetch("torchwise", "lsp"))
    for frame in ("{", "[]", "3", '"text"', "{}", "null"):
        await talk.socket.write_message(frame)
    assert "result" in await talk.greet()
    talk.socket.close()
