"""Remembers the findings of a run, by the contents of everything that they follow from.

The key is a hash of the version, the settings, and all paths and bytes of the project: nothing is ever
stale. An entry is one JSON file (data from a folder that came with a repository must not be able to run
code), written whole or not at all, so that runs side by side do not meet. Where nothing can be written,
nothing is remembered.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from torchwise import __version__
from torchwise.findings import Edit, Finding, Fix, Location, Related
from torchwise.project.documents import Document
from torchwise.project.settings import Settings
from torchwise.syntax.span import Span

FORMAT = 1  # of an entry
MOST_ENTRIES = 32
MOST_BYTES = 64 * 1024 * 1024
TAG = (
    "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of Torchwise. See https://bford.info/cachedir/\n"
)


def key_of(settings: Settings, documents: Mapping[str, Document], asked: Iterable[str]) -> str:
    """`asked`: the files whose findings are remembered; the others are there for their definitions."""
    whole = hashlib.sha256(f"{FORMAT} {__version__} {_built()} {settings!r}".encode(errors="surrogatepass"))
    for path in (*sorted(asked), "", *sorted(documents)):
        whole.update(f"\0{path}\0".encode(errors="surrogatepass"))
    for path in sorted(documents):
        whole.update(hashlib.sha256(documents[path].raw).digest())
    return whole.hexdigest()


def _built() -> int:
    """Changes with the code of an editable install, whose version stays."""
    package = Path(__file__).parent.parent
    return max(entry.stat().st_mtime_ns for entry in package.rglob("*.py"))


def recall(folder: Path, key: str) -> list[Finding] | None:
    entry = folder / f"{key}.json"
    try:
        findings = [_finding(item) for item in json.loads(entry.read_bytes())]
        os.utime(entry)  # the oldest in use goes last
        return findings
    except (OSError, ValueError, TypeError, KeyError, IndexError):
        return None


def remember(folder: Path, key: str, findings: Iterable[Finding]) -> None:
    try:
        _prepare(folder)
        handle, beside = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                json.dump([_plain(finding) for finding in findings], file, separators=(",", ":"))
            os.replace(beside, folder / f"{key}.json")
        except BaseException:
            os.unlink(beside)
            raise
        _prune(folder)
    except OSError:  # a full disk, a folder that is not ours to write: then the next run is a cold one
        pass


def _prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if folder.is_symlink():
        raise OSError("a link could lead out of the workspace")
    for name, text in (("CACHEDIR.TAG", TAG), (".gitignore", "*\n")):
        if not (folder / name).exists():
            (folder / name).write_text(text)


def _prune(folder: Path) -> None:
    entries = sorted(folder.glob("*.json"), key=lambda entry: entry.stat().st_mtime_ns, reverse=True)
    total = 0
    for index, entry in enumerate(entries):
        total += entry.stat().st_size
        if index >= MOST_ENTRIES or (index and total > MOST_BYTES):
            entry.unlink(missing_ok=True)


# -- a finding in JSON ---------------------------------------------------------------------------------------


def _plain(finding: Finding) -> list[Any]:
    fix = finding.fix
    return [
        *(finding.code, finding.name, finding.severity, finding.message, _place(finding.at)),
        [[_place(related.at), related.message] for related in finding.related],
        fix and [fix.title, [[_place(edit.at), edit.text] for edit in fix.edits], fix.safe],
        *(finding.url, finding.tags),
    ]


def _place(at: Location) -> list[Any]:
    span = at.span
    return [at.path, span.row, span.col, span.end_row, span.end_col, at.cell]


def _finding(item: list[Any]) -> Finding:
    code, name, severity, message, at, related, fix, url, tags = item
    return Finding(
        *(code, name, severity, message, _location(at)),
        related=tuple(Related(_location(place), text) for place, text in related),
        fix=fix and Fix(fix[0], tuple(Edit(_location(place), text) for place, text in fix[1]), fix[2]),
        url=url,
        tags=tuple(tags),
    )


def _location(place: list[Any]) -> Location:
    path, row, col, end_row, end_col, cell = place
    return Location(path, Span(row, col, end_row, end_col), cell)
