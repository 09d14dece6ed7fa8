"""The texts in a document that can be changed, and the document with changed texts in it."""

from __future__ import annotations

from torchwise.fixes.moved import Place, Texts
from torchwise.fixes.notebook import with_cells
from torchwise.project.documents import Document, Unreadable
from torchwise.syntax.encoding import decoded


def texts_of(document: Document) -> dict[Place, str]:
    """What can be changed: the text of a file, or that of each code cell. Raises Unreadable."""
    if document.is_notebook:
        code = ((index, cell) for index, cell in enumerate(document.cells) if cell.kind == "code")
        own: dict[Place, str] = {(document.path, index): cell.text for index, cell in code}
        if with_texts(document, own).cells != document.cells:
            raise Unreadable("a notebook of an old format, it can only be changed by hand")
        return own
    own = {(document.path, None): document.text}
    if with_texts(document, own).raw != document.raw:
        raise Unreadable("its bytes are not quite text, it can only be changed by hand")
    return own


def with_texts(document: Document, texts: Texts) -> Document:
    """The document with other texts in it, the rest byte for byte as it was. Raises Unreadable."""
    own = {cell: text for (path, cell), text in texts.items() if path == document.path}
    if document.is_notebook:
        cells = {cell: text for cell, text in own.items() if cell is not None}
        return Document(document.path, _encoded(document, with_cells(document.text, cells)))
    return Document(document.path, _encoded(document, own.get(None, document.text)))


def _encoded(document: Document, text: str) -> bytes:
    """In the encoding of the file, with its byte order mark."""
    was = decoded(document.raw)
    try:
        mark = document.raw.removesuffix(was.text.encode(was.encoding)) if was.text else document.raw
        return mark + text.encode(was.encoding)
    except UnicodeEncodeError:
        raise Unreadable(f"the new text cannot be written in {was.encoding}") from None
