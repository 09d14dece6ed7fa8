"""A list of findings for programs. Cells, rows and columns count from 1, columns in characters."""

from __future__ import annotations

import json
from typing import Any, TextIO

from torchwise.findings import Finding, Fix
from torchwise.report.run import Run, as_json


def write_json(run: Run, out: TextIO) -> None:
    json.dump([entry(finding) for finding in run.findings], out, indent=2)
    out.write("\n")


def entry(finding: Finding) -> dict[str, Any]:
    place = as_json(finding.at)
    return {
        "filename": place["filename"],
        "cell": place["cell"],
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "message": finding.message,
        "location": place["location"],
        "end_location": place["end_location"],
        "related": [{**as_json(related.at), "message": related.message} for related in finding.related],
        "fix": _fix(finding.fix) if finding.fix else None,
        "url": finding.url,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [{**as_json(edit.at), "content": edit.text} for edit in fix.edits]
    return {"title": fix.title, "safe": fix.safe, "edits": edits}
