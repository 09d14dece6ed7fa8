"""What is known of values, under the pointer and beside the code."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from tests.lsp.session import Session, connected, range_of


async def hints(session: Session, uri: str, where: tuple[int, int, int, int]) -> list[types.InlayHint]:
    params = types.InlayHintParams(types.TextDocumentIdentifier(uri), range_of(*where))
    return list(await session.client.text_document_inlay_hint_async(params) or [])


async def test_hover_says_what_is_there(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        uri = session.open("a.py", 'x = "🍎"; weight = 1\n')
        found = await session.hover(uri, 0, 11)
        assert found and found.contents == types.MarkupContent(types.MarkupKind.Markdown, "**weight**")
        assert found.range == range_of(0, 10, 0, 16)
        assert await session.hover(uri, 0, 9) is None
        assert await session.hover(uri, 99, 99) is None
        assert await session.hover(session.uri("unknown.py"), 0, 0) is None


async def test_hints_stand_behind_names(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        uri = session.open("a.py", "x = 1\ny = 2\nz = 3\n")
        found = await hints(session, uri, (0, 0, 1, 5))
        assert [(hint.position, hint.label) for hint in found] == [
            (types.Position(0, 1), "[2, 3]"),
            (types.Position(1, 1), "[2, 3]"),
        ]
        assert found[0].tooltip == types.MarkupContent(types.MarkupKind.Markdown, "a guess")


async def test_hints_can_be_turned_off(tmp_path: Path) -> None:
    async with connected(tmp_path, options={"inlayHints": False}) as session:
        uri = session.open("a.py", "x = old(1)\n")
        await session.diagnostics(uri)
        assert await hints(session, uri, (0, 0, 1, 0)) == []
