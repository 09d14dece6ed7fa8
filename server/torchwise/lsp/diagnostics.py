"""Findings as diagnostics."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.workspace import PositionCodec

from torchwise.findings import Finding, Location, Related
from torchwise.lsp.paths import uri_of
from torchwise.lsp.positions import range_of
from torchwise.lsp.snapshot import Snapshot
from torchwise.lsp.worker import Urgency

if TYPE_CHECKING:
    from torchwise.lsp.server import Server

SOURCE = "torchwise"
SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "hint": types.DiagnosticSeverity.Information,  # a Hint of LSP is shown by no list of problems
}
TAGS = {"unnecessary": types.DiagnosticTag.Unnecessary, "deprecated": types.DiagnosticTag.Deprecated}

Snapshots = Mapping[str, Snapshot]


@dataclass(frozen=True)
class Found:
    """What was found in a document as it was; diagnostics by cell, a list for each."""

    snapshot: Snapshot
    findings: tuple[Finding, ...]
    diagnostics: Mapping[int | None, list[types.Diagnostic]]


def found_in(server: Server, path: str) -> Found | None:
    """On the engine's thread. None for a document that is not known any more."""
    snapshot = server.analysis.snapshots.get(path)
    if snapshot is None:
        return None
    findings = server.analysis.findings(path)
    codec = server.workspace.position_codec
    return Found(snapshot, tuple(findings), diagnostics(snapshot, findings, server.analysis.snapshots, codec))


async def look(server: Server, urgency: Urgency, path: str) -> Found | None:
    return await server.analysis.ask(urgency, lambda: found_in(server, path))


def diagnostics(
    snapshot: Snapshot, findings: Sequence[Finding], others: Snapshots, codec: PositionCodec
) -> dict[int | None, list[types.Diagnostic]]:
    """By cell, an empty list for one without any; {None: ...} for a file. `others`: where related places
    are.
    """
    found: dict[int | None, list[types.Diagnostic]] = {cell: [] for cell in snapshot.parts}
    for finding in findings:
        if finding.at.cell in found:
            found[finding.at.cell].append(_diagnostic(finding, snapshot, others, codec))
    return found


def _diagnostic(
    finding: Finding, snapshot: Snapshot, others: Snapshots, codec: PositionCodec
) -> types.Diagnostic:
    related = [_related(place, others, codec) for place in finding.related]
    return types.Diagnostic(
        range=range_of(finding.at.span, snapshot.parts[finding.at.cell].lines, codec),
        message=finding.message,
        severity=SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(finding.url) if finding.url else None,
        source=SOURCE,
        tags=[TAGS[tag] for tag in finding.tags] or None,
        related_information=[place for place in related if place] or None,
        data={"name": finding.name},
    )


def _related(
    place: Related, others: Snapshots, codec: PositionCodec
) -> types.DiagnosticRelatedInformation | None:
    location = location_of(place.at, others, codec)
    return types.DiagnosticRelatedInformation(location, place.message) if location else None


def location_of(at: Location, snapshots: Snapshots, codec: PositionCodec) -> types.Location | None:
    """None for a cell that the client does not know: there is no address for it."""
    snapshot = snapshots.get(at.path)
    part = snapshot.parts.get(at.cell) if snapshot else None
    if part is not None:
        return types.Location(part.uri, range_of(at.span, part.lines, codec))
    return types.Location(uri_of(at.path), range_of(at.span, (), codec)) if at.cell is None else None


def fingerprint(items: Sequence[types.Diagnostic]) -> str:
    """The same for equal diagnostics."""
    return hashlib.sha256(repr(items).encode(errors="replace")).hexdigest()[:16]
