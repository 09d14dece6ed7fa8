"""A code quality report, as GitLab reads it from a job.

Source: "Code Quality report format" of GitLab's documentation. A fingerprint must stay when lines move: it is
made from the text of the line, and counts equal ones.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TextIO

from torchwise.report.run import Run

SEVERITIES = {"error": "critical", "warning": "major", "hint": "minor"}


def write_gitlab(run: Run, out: TextIO) -> None:
    seen: Counter[str] = Counter()
    entries = []
    for finding in run.findings:
        at, path = finding.at.span, run.shown(finding.at.path)
        same = "\0".join([path, finding.code, finding.message, run.line(finding.at).strip()])
        seen[same] += 1
        begin, end = {"line": at.row, "column": at.col + 1}, {"line": at.end_row, "column": at.end_col + 1}
        if finding.at.cell is not None:
            begin = end = {"line": 1, "column": 1}
        entries.append(
            {
                "description": f"{finding.message} ({finding.name})",
                "check_name": finding.code,
                "fingerprint": hashlib.sha256(f"{same}\0{seen[same]}".encode(errors="replace")).hexdigest(),
                "severity": SEVERITIES[finding.severity],
                "location": {"path": path, "positions": {"begin": begin, "end": end}},
            }
        )
    json.dump(entries, out, indent=2)
    out.write("\n")
