"""A document as it was at one moment: what the engine is given, and what its answers are measured against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from torchwise.fixes.lines import lines_of
from torchwise.lsp.paths import uri_of
from torchwise.project.documents import Unreadable, read_document
from torchwise.syntax.notebook import Cell


@dataclass(frozen=True)
class Part:
    """A text that the client knows by its own address: a file, or a cell of a notebook."""

    uri: str
    version: int | None
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return lines_of(self.text)


@dataclass(frozen=True)
class Snapshot:
    """`parts` by cell: {None: ...} for a file. A cell that is not Python has no part."""

    path: str
    parts: Mapping[int | None, Part]
    cells: tuple[Cell, ...] | None = None  # of a notebook, all of them

    def cell_of(self, uri: str) -> int | None:
        """Which cell has this address; None for a file."""
        return next((cell for cell, part in self.parts.items() if part.uri == uri), None)

    def same_versions(self, other: Snapshot) -> bool:
        return [part.version for part in self.parts.values()] == [
            part.version for part in other.parts.values()
        ]


def snapshot_from_disk(path: str) -> Snapshot | None:
    """None where there is no file to read. A notebook that no client has open has no addresses for its
    cells.
    """
    try:
        document = read_document(path)
    except Unreadable:
        return None
    if document.is_notebook:
        return Snapshot(path, {}, document.cells)
    return Snapshot(path, {None: Part(uri_of(path), None, document.text)})
