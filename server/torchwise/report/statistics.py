"""How often each rule spoke, the most frequent first."""

from __future__ import annotations

import json
from collections import Counter
from typing import TextIO

from torchwise.findings import Severity
from torchwise.report.run import Run

Row = tuple[str, str, Severity]


def write_statistics(run: Run, out: TextIO) -> None:
    counts, fixable = _counts(run)
    width = max((len(str(count)) for count in counts.values()), default=1)
    for (code, name, severity), count in _ordered(counts):
        mark = "[*]" if fixable[code] == count else "[-]" if fixable[code] else "   "
        out.write(f"{count:>{width}}  {code}  {mark}  {severity:7}  {name}\n")
    out.write(f"{run.summary()}\n")


def write_statistics_json(run: Run, out: TextIO) -> None:
    counts, fixable = _counts(run)
    entries = [
        {"code": code, "name": name, "severity": severity, "count": count, "fixable": fixable[code]}
        for (code, name, severity), count in _ordered(counts)
    ]
    json.dump(entries, out, indent=2)
    out.write("\n")


def _counts(run: Run) -> tuple[Counter[Row], Counter[str]]:
    counts = Counter((finding.code, finding.name, finding.severity) for finding in run.findings)
    return counts, Counter(finding.code for finding in run.findings if finding.fix and finding.fix.safe)


def _ordered(counts: Counter[Row]) -> list[tuple[Row, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
