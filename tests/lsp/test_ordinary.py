"""What happens to every client that types quickly is not told as trouble."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.session import FAKE, capabilities, connected


@pytest.mark.parametrize(("level", "told"), [("warning", False), ("debug", True)])
async def test_questions_that_typing_overtakes(tmp_path: Path, level: str, told: bool) -> None:
    log = tmp_path / "log.txt"
    command = ["sh", "-c", f'exec "$@" --log-level {level} 2>"$0"', str(log), *FAKE]
    async with connected(tmp_path, capabilities(pulls=True), command) as session:
        uri = session.open("a.py", "SLEEP\n")
        asked = asyncio.create_task(session.pull(uri))
        await asyncio.sleep(0.25)
        session.change(uri, 2, "old(1)\n")
        with pytest.raises(JsonRpcException):
            await asked
        session.client.protocol.notify("$/cancelRequest", types.CancelParams(id=12345))
        assert (await session.pull(uri)).items
    written = log.read_text()
    assert ("12345" in written) == told
    assert ("the document has changed" in written or "Exception occurred" in written) == told
    assert "Traceback" not in written
