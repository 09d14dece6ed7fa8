"""Quick fixes, fixing all, and comments that silence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types

from tests.lsp.session import capabilities, connected

EDIT_LATER = types.CodeActionClientCapabilities(
    resolve_support=types.ClientCodeActionResolveOptions(properties=["edit"])
)


def applied(text: str, action: types.CodeAction) -> str:
    """For edits of one document, in columns of characters."""
    assert action.edit and action.edit.document_changes
    (document,) = action.edit.document_changes
    assert isinstance(document, types.TextDocumentEdit)
    return with_edits(text, document.edits)


def with_edits(text: str, edits: Sequence[object]) -> str:
    lines = text.splitlines(True)

    def offset(at: types.Position) -> int:
        return sum(map(len, lines[: at.line])) + at.character

    def place(edit: object) -> int:
        assert isinstance(edit, types.TextEdit)
        return offset(edit.range.start)

    for edit in sorted(edits, key=place, reverse=True):
        assert isinstance(edit, types.TextEdit)
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


async def test_a_safe_fix_is_preferred_and_works(tmp_path: Path) -> None:
    text = "x = 1\ny = old(x)\n"
    async with connected(tmp_path) as session:
        uri = session.open("a.py", text, 3)
        fix, ignore, everything = await session.actions(uri, (1, 5, 1, 5))
        assert (fix.title, fix.kind, fix.is_preferred) == ("Use `new`", types.CodeActionKind.QuickFix, True)
        assert fix.diagnostics and fix.diagnostics[0].code == "TW901"
        assert applied(text, fix) == "x = 1\ny = new(x)\n"
        assert fix.edit and fix.edit.document_changes
        assert fix.edit.document_changes[0].text_document.version == 3  # type: ignore[union-attr]
        assert ignore.title == "Ignore TW901 on this line" and not ignore.is_preferred
        assert applied(text, ignore) == "x = 1\ny = old(x)  # noqa: TW901\n"
        assert everything.kind == "source.fixAll.torchwise"
        assert await session.actions(uri, (0, 0, 0, 0), only=["quickfix"]) == []


async def test_an_unsafe_fix_says_so(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        uri = session.open("a.py", "risky(1)  # noqa: E501\n")
        fix, ignore = await session.actions(uri, (0, 0, 0, 0))
        assert (fix.title, fix.is_preferred) == ("Use `calm` (unsafe)", None)
        assert applied("risky(1)  # noqa: E501\n", ignore) == "risky(1)  # noqa: E501, TW902\n"


async def test_fixing_all_applies_the_safe_ones(tmp_path: Path) -> None:
    text = 'a = "🍎"\nb = old(old(1))\n\nrisky(1)\nc = old(2)'
    async with connected(tmp_path) as session:
        uri = session.open("a.py", text)
        (action,) = await session.actions(uri, (0, 0, 0, 0), only=["source.fixAll"])
        assert applied(text, action) == 'a = "🍎"\nb = new(new(1))\n\nrisky(1)\nc = new(2)'
        assert await session.codes(uri) == [
            "TW901",
            "TW901",
            "TW902",
            "TW901",
        ]  # nothing has changed by asking


async def test_a_fix_that_ruins_the_file_is_left_out(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        uri = session.open("a.py", "old(1)\nruin(1)\n")
        (action,) = await session.actions(uri, (0, 0, 0, 0), only=["source"])
        assert applied("old(1)\nruin(1)\n", action) == "new(1)\nruin(1)\n"


async def test_a_client_that_can_wait_is_given_the_edit_later(tmp_path: Path) -> None:
    async with connected(tmp_path, capabilities(code_action=EDIT_LATER)) as session:
        uri = session.open("a.py", "old(1)\n")
        (action,) = await session.actions(uri, (0, 0, 0, 0), only=["source.fixAll.torchwise"])
        assert action.edit is None
        assert applied("old(1)\n", await session.client.code_action_resolve_async(action)) == "new(1)\n"


async def test_nothing_is_offered_where_nothing_was_found(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        uri = session.open("a.py", "x = 1\n")
        assert await session.actions(uri, (0, 0, 0, 5)) == []
        assert await session.actions(session.uri("unknown.py"), (0, 0, 0, 5)) == []
