"""Files as they were read: the bytes, and the text or the cells in them."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from torchwise.findings import Finding, Location
from torchwise.project.links import mentioned
from torchwise.syntax.encoding import decode
from torchwise.syntax.notebook import BrokenNotebook, Cell, notebook_cells
from torchwise.syntax.span import Span

LARGEST_BYTES = 16 * 1024 * 1024


class Unreadable(Exception):
    """Why a file cannot be read or written, for the user."""


@dataclass(frozen=True)
class Document:
    """One file. Everything but its bytes is worked out when it is asked for: a warm run asks for nothing."""

    path: str  # absolute
    raw: bytes

    @property
    def is_notebook(self) -> bool:
        return self.path.endswith(".ipynb")

    @cached_property
    def text(self) -> str:
        return decode(self.raw)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Of a notebook, in order; none where its JSON is broken."""
        return self._notebook[0]

    @cached_property
    def mentions(self) -> frozenset[str]:
        """The modules that it may import."""
        if not self.is_notebook:
            return frozenset(mentioned(self.text))
        return frozenset(name for cell in self.cells if cell.kind == "code" for name in mentioned(cell.text))

    @property
    def broken(self) -> Finding | None:
        """A notebook that is none."""
        return self._notebook[1] if self.is_notebook else None

    @cached_property
    def _notebook(self) -> tuple[tuple[Cell, ...], Finding | None]:
        try:
            return tuple(notebook_cells(self.text)), None
        except BrokenNotebook as error:
            at = Location(self.path, Span(error.row, error.col, error.row, error.col + 1))
            message = f"not a notebook: {error.reason}"
            return (), Finding("TW000", "syntax-error", "error", message, at)


def read_document(path: str) -> Document:
    """Raises Unreadable."""
    try:
        size = os.stat(path).st_size
        if size > LARGEST_BYTES:
            raise Unreadable(f"larger than {LARGEST_BYTES >> 20} MiB, not checked")
        return Document(path, Path(path).read_bytes())
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from None


def write_document(document: Document, raw: bytes) -> None:
    """Replaces the file whole, if it is still the one that was read. Raises Unreadable."""
    target = os.path.realpath(document.path)
    try:
        if Path(target).read_bytes() != document.raw:
            raise Unreadable("changed while it was being checked, left alone")
        handle, beside = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".torchwise-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(raw)
            shutil.copymode(target, beside)
            os.replace(beside, target)
        except BaseException:
            os.unlink(beside)
            raise
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from None
