"""What the engine says to the outside: findings, and the edits that would settle them.

Positions are spans of the text as it is now; `cell` is the index of a notebook's cell (from 0, all cells
counted), and
the rows of its span count from that cell's first row.
"""

from __future__ import annotations

from typing import Literal

from torchwise.record import record
from torchwise.syntax.span import Span

Severity = Literal["error", "warning", "hint"]


@record
class Location:
    path: str
    span: Span
    cell: int | None = None


@record
class Related:
    """A second place that explains the first: where the layout was changed, where the layer was made."""

    at: Location
    message: str


@record
class Edit:
    """Replaces the text at `at`; an empty span inserts."""

    at: Location
    text: str


@record
class Fix:
    """`safe`: nothing changes but the fault. All edits belong together and lie in files of the project."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


@record
class Finding:
    code: str  # "TW301"
    name: str  # "view-on-non-contiguous"
    severity: Severity
    message: str
    at: Location
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    url: str | None = None
    tags: tuple[Literal["unnecessary", "deprecated"], ...] = ()


@record
class Hint:
    """An inlay hint: `label` is shown after the character at the end of `at`."""

    at: Location
    label: str
    tooltip: str = ""


@record
class Hover:
    at: Location
    markdown: str


@record
class Called:
    """An API that is called: `at` is where its name stands, `names` are its full names (several where paths
    differ), and what is known of arguments and result is shown as hovers show it.
    """

    at: Location
    names: tuple[str, ...]
    arguments: tuple[tuple[str, str], ...] = ()
    result: str = ""


@record
class ShapeRow:
    """What one assignment binds. A size is an int, the text of a symbolic size, or None where it is
    unknown.
    """

    row: int
    name: str
    shape: tuple[int | str | None, ...] | None
    dtype: str | None
    device: str | None
    requires_grad: bool | None
    cell: int | None = None
