"""Remembers the findings of runs, by the contents of everything that they follow from.

A part of a project has a key: a hash of the version, the settings, and the paths and bytes of its files. So
nothing is ever stale. An entry is one JSON file for runs with the same arguments (data from a folder that
came with a repository must not be able to run code), written whole or not at all, so that runs side by side
do not meet. Where nothing can be written, nothing is remembered.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchwise import __version__
from torchwise.findings import Edit, Finding, Fix, Location, Related
from torchwise.project.settings import Settings
from torchwise.syntax.span import Span

if TYPE_CHECKING:
    from torchwise.cli.scan import Loaded

FORMAT = 1  # of an entry
MOST_ENTRIES = 32
MOST_BYTES = 64 * 1024 * 1024
TAG = (
    "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of Torchwise. See https://bford.info/cachedir/\n"
)


@dataclass
class Store:
    """Stateful: the entry as it was found, and as it will be written."""

    folder: Path | None
    name: str = ""
    salt: bytes = b""
    old: dict[str, list[Any]] = field(default_factory=dict)
    new: dict[str, list[Any]] = field(default_factory=dict)

    @staticmethod
    def nowhere() -> Store:
        return Store(None)

    @staticmethod
    def of(project: Loaded) -> Store:
        salt = _bytes(f"{FORMAT} {__version__} {_built()} {project.settings!r}")
        name = hashlib.sha256(_bytes("\0".join(project.arguments)) + salt).hexdigest()[:32]
        store = Store(cache_folder(project.settings), name, salt)
        store.old = store._read()
        return store

    def recall(self, part: Loaded) -> list[Finding] | None:
        if self.folder is None:
            return None
        key = self._key(part)
        try:
            findings = [_finding(item) for item in self.old[key]]
        except (KeyError, ValueError, TypeError, IndexError):
            return None
        self.new[key] = self.old[key]
        return findings

    def remember(self, part: Loaded, findings: Iterable[Finding]) -> None:
        if self.folder is not None:
            self.new[self._key(part)] = [_plain(finding) for finding in findings]

    def write(self) -> None:
        """What was not asked for in this run is gone with it."""
        if self.folder is None or self.new == self.old:
            return
        try:
            _prepare(self.folder)
            _write_whole(self.folder / f"{self.name}.json", self.new)
            _prune(self.folder)
        except OSError:  # a full disk, a folder that is not ours to write: then the next run is a cold one
            pass

    def _key(self, part: Loaded) -> str:
        whole = hashlib.sha256(self.salt)
        for path in (*part.asked, "", *part.documents):
            whole.update(_bytes(f"\0{path}\0"))
        for document in part.documents.values():
            whole.update(hashlib.sha256(document.raw).digest())
        return whole.hexdigest()

    def _read(self) -> dict[str, list[Any]]:
        assert self.folder is not None
        try:
            entry = json.loads((self.folder / f"{self.name}.json").read_bytes())
        except (OSError, ValueError):
            return {}
        return entry if isinstance(entry, dict) else {}


def cache_folder(settings: Settings) -> Path:
    root = settings.root or os.getcwd()
    return Path(root, os.environ.get("TORCHWISE_CACHE_DIR") or settings.cache_dir or ".torchwise_cache")


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def _built() -> int:
    """Changes with the code of an editable install, whose version stays."""
    package = Path(__file__).parent.parent
    return max(entry.stat().st_mtime_ns for entry in package.rglob("*.py"))


def _write_whole(path: Path, entry: object) -> None:
    handle, beside = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            json.dump(entry, file, separators=(",", ":"))
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


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
