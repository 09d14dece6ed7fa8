"""Notebook documents: one program over all cells."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from tests.lsp.session import REAL, Session, connected, range_of, until

KIND = types.NotebookCellKind


def cell(
    session: Session, name: str, language: str, text: str
) -> tuple[types.NotebookCell, types.TextDocumentItem]:
    uri = f"vscode-notebook-cell:{session.root}/train.ipynb#{name}"
    kind = KIND.Code if language != "markdown" else KIND.Markup
    return types.NotebookCell(kind, uri), types.TextDocumentItem(uri, language, 1, text)


def open_notebook(session: Session, *texts: tuple[str, str]) -> list[str]:
    made = [cell(session, f"c{index}", language, text) for index, (language, text) in enumerate(texts)]
    notebook = types.NotebookDocument(session.uri("train.ipynb"), "jupyter-notebook", 1, [c for c, _ in made])
    items = [item for (_, item), (language, _) in zip(made, texts) if language == "python"]
    session.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))
    return [item.uri for _, item in made]


def change_notebook(session: Session, version: int, cells: types.NotebookDocumentCellChanges) -> None:
    document = types.VersionedNotebookDocumentIdentifier(version=version, uri=session.uri("train.ipynb"))
    change = types.NotebookDocumentChangeEvent(cells=cells)
    session.client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(document, change))


def typed(uri: str, version: int, text: str) -> types.NotebookDocumentCellChanges:
    document = types.VersionedTextDocumentIdentifier(version=version, uri=uri)
    content = types.NotebookDocumentCellContentChanges(
        document=document, changes=[types.TextDocumentContentChangeWholeDocument(text)]
    )
    return types.NotebookDocumentCellChanges(text_content=[content])


async def test_each_cell_is_told_its_own_findings(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        first, _, last = open_notebook(
            session, ("python", "%matplotlib inline\nold(1)"), ("markdown", "old(1)"), ("python", "x = 1")
        )
        (found,) = await session.diagnostics(first, 1)
        assert found.range == range_of(1, 0, 1, 3)
        assert await session.codes(last, 1) == []
        change_notebook(session, 2, typed(last, 2, "risky(1)"))
        assert await session.codes(last, 2) == ["TW902"]


async def test_cells_come_go_and_move(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        first, last = open_notebook(session, ("python", "old(1)"), ("python", "x = 1"))
        assert await session.codes(first, 1) == ["TW901"]
        new, item = cell(session, "new", "python", "risky(1)")
        structure = types.NotebookDocumentCellChangeStructure(
            types.NotebookCellArrayChange(start=0, delete_count=1, cells=[new]),
            did_open=[item],
            did_close=[types.TextDocumentIdentifier(first)],
        )
        change_notebook(session, 2, types.NotebookDocumentCellChanges(structure=structure))
        assert await session.codes(item.uri, 1) == ["TW902"]
        await until(lambda: session.client.diagnostics[first] == ())
        notebook = types.NotebookDocumentIdentifier(session.uri("train.ipynb"))
        closed = [types.TextDocumentIdentifier(uri) for uri in (item.uri, last)]
        session.client.notebook_document_did_close(types.DidCloseNotebookDocumentParams(notebook, closed))
        await until(lambda: session.client.diagnostics[item.uri] == ())


async def test_fixes_hover_and_hints_in_cells(tmp_path: Path) -> None:
    async with connected(tmp_path) as session:
        first, last = open_notebook(session, ("python", "x = 1"), ("python", "y = old(1)\nold(2)"))
        fix, *_ = await session.actions(last, (0, 4, 0, 4))
        assert fix.edit and fix.edit.document_changes
        (document,) = fix.edit.document_changes
        assert document.text_document.uri == last  # type: ignore[union-attr]
        only = ["notebook.source.fixAll.torchwise"]
        (everything,) = await session.actions(first, (0, 0, 0, 0), only=only)
        assert everything.edit and everything.edit.document_changes
        assert [change.text_document.uri for change in everything.edit.document_changes] == [last]  # type: ignore[union-attr]
        hover = await session.hover(last, 1, 1)
        assert hover and hover.range == range_of(1, 0, 1, 3)


async def test_an_exercise_of_a_lesson_is_a_program_of_its_own(tmp_path: Path) -> None:
    async with connected(tmp_path, command=REAL) as session:
        texts = ["import torch\nx = torch.zeros(2, 3)", "y = x.T.view(6)", "y = x.T.view(6)"]
        made = [cell(session, f"c{index}", "python", text) for index, text in enumerate(texts)]
        made[2][0].metadata = {"torchwise": {"program": "a-view"}}
        notebook = types.NotebookDocument(
            session.uri("views.torchwise-lesson"), "torchwise-lesson", 1, [c for c, _ in made]
        )
        items = [item for _, item in made]
        session.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))
        assert await session.codes(items[1].uri, 1) == ["TW301"]
        assert await session.codes(items[2].uri, 1) == []
        assert await session.hover(items[1].uri, 0, 0) is not None
        assert await session.hover(items[2].uri, 0, 0) is None
        session.client.notebook_document_did_close(
            types.DidCloseNotebookDocumentParams(
                types.NotebookDocumentIdentifier(notebook.uri),
                [types.TextDocumentIdentifier(item.uri) for item in items],
            )
        )
        assert await until(lambda: not session.client.diagnostics[items[1].uri])
