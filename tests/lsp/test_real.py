"""The server with the engine that users get."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from tests.lsp.session import REAL, connected, range_of
from tests.lsp.test_code_actions import applied

FIXTURE = Path(__file__).parent / "fixtures" / "model.py"


async def test_a_true_finding_its_fix_its_shapes(tmp_path: Path) -> None:
    async with connected(tmp_path, command=REAL) as session:
        uri = session.open("model.py", FIXTURE.read_text())
        (found,) = await session.diagnostics(uri, 1)
        assert (found.code, found.severity) == ("TW301", types.DiagnosticSeverity.Error)
        assert found.code_description and found.code_description.href.endswith("view-on-non-contiguous")
        assert found.related_information and found.related_information[0].location.uri == uri
        fix, *_ = await session.actions(uri, (4, 20, 4, 20))
        text = FIXTURE.read_text()
        assert fix.is_preferred and applied(text, fix) == text.replace(".view(", ".reshape(")
        session.change(uri, 2, "reshape", (4, 19, 4, 23))
        assert await session.codes(uri, 2) == []
        hover = await session.hover(uri, 3, 2)
        assert hover and isinstance(hover.contents, types.MarkupContent) and "64" in hover.contents.value
        params = types.InlayHintParams(types.TextDocumentIdentifier(uri), range_of(0, 0, 5, 0))
        hints = await session.client.text_document_inlay_hint_async(params)
        assert any("64, 10" in str(hint.label) and hint.position.line == 3 for hint in hints or [])
        assert session.client.messages == []
