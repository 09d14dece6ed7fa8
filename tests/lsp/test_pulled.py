"""Diagnostics that the client asks for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.session import Session, capabilities, connected, until


async def workspace(
    session: Session, known: dict[str, str]
) -> dict[str, types.WorkspaceDocumentDiagnosticReport]:
    previous = [types.PreviousResultId(uri, value) for uri, value in known.items()]
    asked = session.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(previous))
    report = await asyncio.wait_for(asked, 20)
    return {item.uri: item for item in report.items}


async def test_a_client_that_asks_is_told_nothing_unasked(tmp_path: Path) -> None:
    async with connected(tmp_path, capabilities(pulls=True)) as session:
        assert session.result and session.result.capabilities.diagnostic_provider
        uri = session.open("a.py", "old(1)\n")
        report = await session.pull(uri)
        assert [item.code for item in report.items] == ["TW901"]
        again = await session.pull(uri, report.result_id)
        assert again.kind == "unchanged"
        session.change(uri, 2, "new(1)\n")
        assert (await session.pull(uri, report.result_id)).items == ()
        assert session.told == []


async def test_a_question_that_an_edit_overtakes_is_asked_again(tmp_path: Path) -> None:
    async with connected(tmp_path, capabilities(pulls=True)) as session:
        uri = session.open("a.py", "SLEEP\n")
        asked = asyncio.create_task(session.pull(uri))
        await asyncio.sleep(0.25)
        session.change(uri, 2, "old(1)\n")
        with pytest.raises(JsonRpcException) as refused:
            await asked
        assert refused.value.code == types.LSPErrorCodes.ServerCancelled.value
        assert [item.code for item in (await session.pull(uri)).items] == ["TW901"]


async def test_the_workspace_is_told_what_is_new(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.py").write_text("old(1)\n" if name != "c" else "new(1)\n")
    async with connected(tmp_path, capabilities(pulls=True)) as session:
        items = await workspace(session, {})
        assert set(items) == {session.uri("a.py"), session.uri("b.py")}
        known = {uri: item.result_id or "" for uri, item in items.items()}
        (tmp_path / "a.py").write_text("new(1)\n")
        (tmp_path / "b.py").unlink()
        changes = [
            types.FileEvent(session.uri("a.py"), types.FileChangeType.Changed),
            types.FileEvent(session.uri("b.py"), types.FileChangeType.Deleted),
        ]
        session.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes))
        news = await workspace(session, known)
        assert {uri: list(item.items) for uri, item in news.items()} == {uri: [] for uri in known}  # type: ignore[union-attr]


async def test_a_change_of_files_asks_the_client_to_ask_again(tmp_path: Path) -> None:
    async with connected(tmp_path, capabilities(pulls=True)) as session:
        uri = session.open("a.py", "from b import shared\n")
        assert types.WORKSPACE_DID_CHANGE_WATCHED_FILES in await until(lambda: session.requests)
        await asyncio.sleep(0.2)
        before = session.client.diagnostic_refresh_count
        (tmp_path / "b.py").write_text("shared = bad\n")
        event = types.FileEvent(session.uri("b.py"), types.FileChangeType.Created)
        session.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        await until(lambda: session.client.diagnostic_refresh_count > before)
        assert [item.code for item in (await session.pull(uri)).items] == ["TW905"]


async def test_reading_the_workspace_shows_progress(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    async with connected(tmp_path) as session:
        reports = await until(lambda: list(session.client.progress_reports.values()))
        await until(lambda: len(reports[0]) >= 2)
        assert reports[0][0].kind == "begin" and reports[0][-1].message == "1 files"
