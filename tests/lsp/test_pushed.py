"""Diagnostics that the server sends by itself."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types

from tests.lsp.session import connected, range_of, until

DOCS = "https://torchwise.readthedocs.io/rules/words/"


async def test_an_opened_file_is_told_its_findings(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        uri = session.open("a.py", "import torch\n\ny = old(1)\n")
        (found,) = await session.diagnostics(uri, 1)
        assert (found.code, found.source) == ("TW901", "torchwise")
        assert found.severity == types.DiagnosticSeverity.Warning
        assert found.range == range_of(2, 4, 2, 7)
        assert list(found.tags or []) == [types.DiagnosticTag.Deprecated]
        assert found.code_description == types.CodeDescription(f"{DOCS}old-call")
        (related,) = found.related_information or []
        assert (related.location.uri, related.message) == (uri, "the file begins here")


async def test_a_file_that_is_closed_and_opened_at_once_is_told_its_findings_again(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        uri = session.open("a.py", "y = old(1)\n")
        assert await session.codes(uri, 1) == ["TW901"]
        session.told.clear()
        session.close(uri)
        session.open("a.py", "y = old(1)\n")
        assert await session.codes(uri, 1) == ["TW901"]


async def test_severities(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        uri = session.open("a.py", "risky(slow(old(1)))\n")
        found = {item.code: item.severity for item in await session.diagnostics(uri)}
        level = types.DiagnosticSeverity
        assert found == {"TW901": level.Warning, "TW902": level.Error, "TW903": level.Information}


async def test_half_typed_code_is_a_syntax_error_until_it_is_whole(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        uri = session.open("a.py", "x = (\n")
        assert await session.codes(uri, 1) == ["TW000"]
        session.change(uri, 2, "1)\n", (0, 5, 1, 0))
        assert await session.codes(uri, 2) == []


async def test_columns_count_in_the_units_of_the_client(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:  # without a choice: UTF-16, where 🍎 is two
        uri = session.open("a.py", 'x = "🍎é"; old(1)\n')
        (found,) = await session.diagnostics(uri, 1)
        assert found.range == range_of(0, 11, 0, 14)
        session.change(uri, 2, "new", (0, 11, 0, 14))
        assert await session.codes(uri, 2) == []


async def test_lines_end_where_lsp_says(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        uri = session.open("a.py", 'x = "\u2028"\r\n\f\r\ny = 1\rz = old(1)')
        (found,) = await session.diagnostics(uri, 1)
        assert found.range == range_of(3, 4, 3, 7)
        session.change(uri, 2, "old(2); old(3)", (3, 4, 3, 999))
        assert await session.codes(uri, 2) == ["TW901", "TW901"]


async def test_an_answer_about_an_old_version_is_dropped(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        uri = session.open("a.py", "SLEEP; old(1)\n")
        await asyncio.sleep(0.25)  # the engine is at it
        session.change(uri, 2, "new(1)\n")
        assert await session.codes(uri, 2) == []
        assert [told.version for told in session.told if told.uri == uri] == [2]


async def test_keys_in_a_file_that_takes_long_gather_until_typing_pauses(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        uri = session.open("a.py", "# SLEEP\n")
        await session.diagnostics(uri, 1)
        for version, letter in enumerate("old(1)\n", 2):
            session.change(uri, version, letter, (1, version - 2, 1, version - 2))
        assert await session.codes(uri, 8) == ["TW901"]
        assert [told.version for told in session.told] == [1, 8]


async def test_a_key_in_a_file_that_is_quick_does_not_wait_for_a_pause(tmp_path: Path) -> None:
    async with connected(tmp_path, options={"delayMs": 1_000_000}) as session:
        uri = session.open("a.py", "")
        await session.pull(uri)
        for version, letter in enumerate("old(1)\n", 2):
            session.change(uri, version, letter, (0, version - 2, 0, version - 2))
            await session.diagnostics(uri, version)
        assert await session.codes(uri, 8) == ["TW901"]


async def test_a_closed_file_has_no_findings(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        uri = session.open("a.py", "old(1)\n")
        assert await session.codes(uri, 1) == ["TW901"]
        session.close(uri)
        await until(lambda: not session.told[-1].diagnostics)
        session.open("a.py", "risky(1)\n", 7)
        assert await session.codes(uri, 7) == ["TW902"]


async def test_an_edit_of_one_file_refreshes_the_others(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("shared = bad\n")
    async with connected(tmp_path) as session:
        a = session.open("a.py", "from b import shared\n")
        await until(lambda: session.client.diagnostics.get(a))  # found with what stands on disk
        b = session.open("b.py", "shared = good\n")
        await until(lambda: session.client.diagnostics[a] == ())
        session.close(b)
        await until(lambda: session.client.diagnostics[a])


async def test_a_crash_is_shown_once_and_all_goes_on(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        bad = session.open("bad.py", "old(1)\nCRASH\n")
        assert await session.codes(bad, 1) == []
        session.change(bad, 2, "old(1)\nCRASH\nCRASH\n")
        good = session.open("good.py", "old(1)\nCRASHING_RULE\n")
        assert await session.codes(bad, 2) == []
        assert await session.codes(good, 1) == ["TW901"]
        assert len(session.client.messages) == 1
        logged = [entry.message for entry in session.client.log_messages]
        assert sum("crashed on purpose" in text for text in logged) == 1
        assert sum("raised ValueError" in text for text in logged) == 1


async def test_excluded_files_and_other_languages_are_silent(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        excluded = session.open("build/a.py", "old(1)\n")
        item = types.TextDocumentItem(session.uri("a.md"), "markdown", 1, "old(1)\n")
        session.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        untitled = types.TextDocumentItem("untitled:Untitled-1", "python", 1, "old(1)\n")
        session.client.text_document_did_open(types.DidOpenTextDocumentParams(untitled))
        assert await session.codes("untitled:Untitled-1", 1) == ["TW901"]
        assert await session.codes(excluded, 1) == []
        assert session.uri("a.md") not in session.client.diagnostics


async def test_files_that_are_not_open_are_looked_at_on_request(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("old(1)\n")
    async with connected(tmp_path, options={"workspaceDiagnostics": True}) as session:
        assert await session.codes(session.uri("b.py")) == ["TW901"]
