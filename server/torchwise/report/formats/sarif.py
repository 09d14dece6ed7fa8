"""SARIF 2.1.0, which GitHub code scanning, Azure DevOps and viewers in editors read.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0". A position in a notebook
is one in a cell, which SARIF has no region for: the cell is a logical location.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import quote

from torchwise import __version__
from torchwise.findings import Finding, Fix, Location
from torchwise.report.run import Run

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
HOME = "https://torchwise.readthedocs.io/"
LEVELS = {"error": "error", "warning": "warning", "hint": "note"}


def write_sarif(run: Run, out: TextIO) -> None:
    codes = sorted({finding.code for finding in run.findings})
    driver = {
        "name": "Torchwise",
        "informationUri": HOME,
        "version": __version__,
        "rules": [_rule(code, run) for code in codes],
    }
    crashes = [{"level": "error", "message": {"text": crash}} for crash in run.crashes]
    body = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"uri": Path(run.folder).as_uri().rstrip("/") + "/"}},
        "invocations": [{"executionSuccessful": not crashes, "toolExecutionNotifications": crashes}],
        "results": [_result(finding, codes.index(finding.code), run) for finding in run.findings],
    }
    json.dump({"$schema": SCHEMA, "version": "2.1.0", "runs": [body]}, out, indent=2)
    out.write("\n")


def _rule(code: str, run: Run) -> dict[str, Any]:
    """What the rule's own file says; a syntax error has no rule, its finding says all there is."""
    from torchwise.rules import all_rules

    for rule in all_rules():
        if rule.code == code:
            return {
                "id": code,
                "name": rule.name,
                "shortDescription": {"text": rule.summary},
                "fullDescription": {"text": rule.doc or rule.summary, "markdown": rule.doc or rule.summary},
                "helpUri": rule.url,
                "defaultConfiguration": {"level": LEVELS[rule.level]},
                "properties": {"tags": [rule.family]},
            }
    name = next(finding.name for finding in run.findings if finding.code == code)
    return {"id": code, "name": name, "shortDescription": {"text": name}}


def _result(finding: Finding, index: int, run: Run) -> dict[str, Any]:
    related = [
        {"id": number, "message": {"text": place.message}, **_location(place.at, run)}
        for number, place in enumerate(finding.related, 1)
    ]
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [_location(finding.at, run)],
        **({"relatedLocations": related} if related else {}),
        **({"fixes": [_fix(finding.fix, run)]} if finding.fix and _in_files(finding.fix) else {}),
    }


def _in_files(fix: Fix) -> bool:
    return all(edit.at.cell is None for edit in fix.edits)


def _fix(fix: Fix, run: Run) -> dict[str, Any]:
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in fix.edits:
        replacement = {"deletedRegion": _region(edit.at), "insertedContent": {"text": edit.text}}
        changes.setdefault(edit.at.path, []).append(replacement)
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {"artifactLocation": _artifact(path, run), "replacements": replacements}
            for path, replacements in changes.items()
        ],
    }


def _location(at: Location, run: Run) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(at.path, run)}
    if at.cell is None:
        return {"physicalLocation": {**physical, "region": _region(at)}}
    name = f"cell {at.cell + 1}, line {at.span.row}"
    return {"physicalLocation": physical, "logicalLocations": [{"name": name, "kind": "module"}]}


def _region(at: Location) -> dict[str, int]:
    span = at.span
    start = {"startLine": span.row, "startColumn": span.col + 1}
    return {**start, "endLine": span.end_row, "endColumn": span.end_col + 1}


def _artifact(path: str, run: Run) -> dict[str, str]:
    shown = run.shown(path)
    if os.path.isabs(shown):
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(Path(shown).as_posix()), "uriBaseId": "SRCROOT"}
