"""Kernels of a real Jupyter server on loopback: tokens, broken connections, and a server that dies."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run.cutting import cable_to
from tests.run.desk import desk
from tests.run.jupyter import TOKEN, Jupyter, jupyter_server
from torchwise.run.devices import devices_of_server
from torchwise.run.tokens import Token, token_for

SLOW = "import time\nfor i in range(6):\n    print(i, flush=True)\n    time.sleep(0.5)"


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jupyter]:
    with jupyter_server(tmp_path_factory.mktemp("jupyter")) as server:
        yield server


@pytest.fixture(autouse=True)
def no_token_but_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    for name in ("JUPYTER_TOKEN", "TORCHWISE_TOKEN"):
        monkeypatch.delenv(name, raising=False)


async def test_a_wrong_token_is_refused_and_not_repeated(
    jupyter: Jupyter, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        async with desk(device=jupyter.url) as at:
            result = await at.run("1", token="wr0ng")
            assert result.ended == "unavailable" and "refuses the token (403)" in (result.message or "")
            result = await at.run("1", token=TOKEN)  # the same choice, once the user has found the right one
            assert result.ended == "done"
            told = "".join(str(message) for message in [result, *at.kernels, *at.outputs])
    assert "wr0ng" not in told + caplog.text and TOKEN not in told + caplog.text


async def test_without_a_token_one_is_asked_for(jupyter: Jupyter) -> None:
    async with desk(device=jupyter.url) as at:
        result = await at.run("1")
        assert "wants a token" in (result.message or "") and "TORCHWISE_TOKEN" in (result.remedy or "")


async def test_the_token_of_a_running_server_is_found(
    jupyter: Jupyter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(jupyter.runtime))
    assert token_for(jupyter.url).headers == {"Authorization": f"token {TOKEN}"}


async def test_a_remote_run_streams_shows_and_raises(jupyter: Jupyter) -> None:
    async with desk(device=jupyter.url, token=TOKEN) as at:
        run = at.begin(SLOW + "\n6 * 7")
        await at.until(lambda: at.text() == "0\n")
        assert not run.done() and (await run).ended == "done"
        assert (at.text(), at.displays[0].content) == ("0\n1\n2\n3\n4\n5\n", "42")
        await at.run("\n1 / 0", name="a.py", first_row=5)
        assert [(frame.snippet, frame.row) for frame in at.failure.frames] == [("a.py", 6)]
        assert (await at.run("input()")).ended == "failed"
        assert "nothing can be typed in here" in at.failure.message


async def test_devices_of_a_server_are_listed_the_same_way(jupyter: Jupyter) -> None:
    found = await devices_of_server(jupyter.url, Token(TOKEN))
    assert found.torch and found.devices[0].id == "cpu" and found.where == jupyter.url


async def test_a_remote_lesson_has_its_device(jupyter: Jupyter) -> None:
    async with desk(device=jupyter.url, token=TOKEN, lesson=True) as at:
        await at.run("import os\nprint(device, repr(os.environ['CUDA_VISIBLE_DEVICES']))")
        assert at.text() == "cpu ''\n"


async def test_a_remote_cuda_choice_runs_there_or_says_why_not(jupyter: Jupyter) -> None:
    async with desk(device=f"{jupyter.url}#cuda:0", token=TOKEN) as at:
        result = await at.run("import torch\nprint(torch.cuda.device_count())")
        if result.ended == "done":
            assert at.text() == "1\n"
        else:
            assert result.ended == "unavailable" and result.message and result.remedy


async def test_a_remote_busy_loop_is_interrupted_within_two_seconds(jupyter: Jupyter) -> None:
    async with desk(device=jupyter.url, token=TOKEN) as at:
        run = at.begin("print('on')\nwhile True: pass")
        await at.until(at.text)
        began = time.monotonic()
        await at.sessions.interrupt(run.get_name())
        assert (await run).ended == "interrupted" and time.monotonic() - began < 2.0


async def test_a_remote_kernel_that_dies_is_replaced(jupyter: Jupyter) -> None:
    async with desk(device=jupyter.url, token=TOKEN) as at:
        await at.run("weights = 1")
        result = await at.run("import os; os._exit(1)")
        assert result.ended == "died" and result.lost and result.lost.names == ["weights"]
        assert (await at.run("1")).ended == "done"


async def test_a_broken_connection_is_resumed_with_nothing_lost(jupyter: Jupyter) -> None:
    async with cable_to(jupyter.url) as cable, desk(device=cable.url, token=TOKEN) as at:
        run = at.begin(SLOW)
        await at.until(lambda: "1\n" in at.text())
        cable.cut()
        await asyncio.sleep(0.7)
        cable.mend()
        assert (await run).ended == "done" and at.text() == "0\n1\n2\n3\n4\n5\n"
        assert [told.reason for told in at.notices] == ["connection", "connection"]
        assert f"token {TOKEN}".encode() in cable.seen  # in a header
        assert f"token={TOKEN}".encode() not in cable.seen  # and in no address


async def test_no_server_at_all_is_said_at_once() -> None:
    async with desk() as at:
        began = time.monotonic()
        result = await at.run("1", device="http://127.0.0.1:9")
        assert result.ended == "unavailable" and "cannot be reached" in (result.message or "")
        assert time.monotonic() - began < 5.0


async def test_what_is_no_jupyter_server_is_said_to_be_none() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwords")
        writer.close()

    other = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with other, desk() as at:
        result = await at.run("1", device=f"http://127.0.0.1:{other.sockets[0].getsockname()[1]}")
        assert "is no Jupyter server" in (result.message or "")


async def test_a_server_that_dies_in_mid_run_keeps_nobody_waiting(tmp_path: Path) -> None:
    with jupyter_server(tmp_path) as server:
        async with desk(device=server.url, token=TOKEN) as at:
            run = at.begin("kept = 1\nprint('on')\nimport time; time.sleep(600)")
            await at.until(at.text)
            server.kill()
            began = time.monotonic()
            result = await run
            assert result.ended == "disconnected" and "could not be made again" in (result.message or "")
            assert time.monotonic() - began < 20.0 and at.notices[0].reason == "connection"
            again = await at.run("1")
            assert again.ended == "unavailable" and "cannot be reached" in (again.message or "")
