"""Comments that silence findings: `# noqa`, `# noqa: TW301`, `# torchwise:
ignore[view-on-non-contiguous]`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from torchwise.findings import Edit, Finding, Fix, Location
from torchwise.syntax.source import Source
from torchwise.syntax.span import Span

NOQA = re.compile(r"#\s*noqa\b(?P<codes>:\s*[A-Za-z]+[0-9]+(?:[,\s]+[A-Za-z]+[0-9]+)*)?", re.IGNORECASE)
IGNORE = re.compile(r"#\s*torchwise:\s*ignore(?:\[(?P<names>[\w\s,-]*)\])?", re.IGNORECASE)
PLAIN = re.compile(  # nothing else stands in it
    r"#\s*(noqa\s*:\s*[a-z]+[0-9]+(?:[,\s]+[a-z]+[0-9]+)*|torchwise:\s*ignore\[[^\]]*\])\s*", re.IGNORECASE
)
NAMED = re.compile(r"#\s*(noqa\s*:[^#\n]*\bTW|torchwise:\s*ignore\[)", re.IGNORECASE)
UNUSED, UNUSED_NAME = "TW001", "unused-noqa"
FILE = re.compile(r"^#\s*torchwise:\s*ignore-file\b", re.IGNORECASE)


@dataclass(frozen=True)
class Silence:
    """`keys`: codes and names in lower case; None silences all."""

    keys: frozenset[str] | None

    def covers(self, finding: Finding) -> bool:
        return self.keys is None or finding.code.lower() in self.keys or finding.name in self.keys


def silence_of(comment: str) -> Silence | None:
    if (found := NOQA.search(comment)) is not None:
        codes = found.group("codes")
        return Silence(None if codes is None else frozenset(re.split(r"[,:\s]+", codes.lower().strip(": "))))
    if (found := IGNORE.search(comment)) is not None:
        names = found.group("names")
        return Silence(None if names is None else frozenset(n.strip().lower() for n in names.split(",")))
    return None


def silenced(source: Source, findings: list[Finding]) -> list[Finding]:
    """The findings that no comment on one of their rows silences."""
    if not findings:
        return findings
    comments = source.comments
    if any(FILE.match(text) for text, _ in comments.values()):
        return []
    by_row = {row: s for row, (text, _) in comments.items() if (s := silence_of(text)) is not None}
    if not by_row:
        return findings
    return [f for f in findings if not any(r in by_row and by_row[r].covers(f) for r in _rows(source, f))]


def names_rules(source: Source) -> bool:
    """Whether comments may silence rules of ours by name, and not the whole file."""
    named = NAMED.search(source.text) is not None
    return named and not any(FILE.match(text) for text, _ in source.comments.values())


def unused(
    source: Source,
    path: str,
    findings: list[Finding],
    is_on: Callable[[str], bool],
    is_ours: Callable[[str], bool],
) -> list[Finding]:
    """One finding for each comment that names rules which it silences nothing of. `findings`: unsilenced.

    A rule that is off says nothing, so a comment about it is not judged; nor is one that names no rule.
    """
    out = []
    rows = [(finding, _rows(source, finding)) for finding in findings]
    for row, (text, span) in source.comments.items():
        silence = silence_of(text)
        for_row = [finding for finding, where in rows if row in where]
        keys = sorted(silence.keys or ()) if silence is not None else []
        idle = [k for k in keys if is_ours(k) and is_on(k) and not any(_named(f, k) for f in for_row)]
        if idle:
            names = " and ".join(f"`{key.upper() if key.startswith('tw') else key}`" for key in idle)
            at = _located(source, path, span)
            whole = idle == keys and PLAIN.fullmatch(text)
            fix = Fix("Remove the comment", (Edit(_with_space(source, path, span), ""),)) if whole else None
            out.append(Finding(UNUSED, UNUSED_NAME, "hint", f"silences nothing of {names}", at, fix=fix))
    return out


def _named(finding: Finding, key: str) -> bool:
    return key in (finding.code.lower(), finding.name)


def _located(source: Source, path: str, span: Span) -> Location:
    cell, inner = source.in_cell(span) if source.cells else (None, span)
    return Location(path, inner, cell)


def _with_space(source: Source, path: str, span: Span) -> Location:
    """The comment with the blanks before it."""
    line = source.slice(Span(span.row, 0, span.row, span.col))
    return _located(source, path, Span(span.row, len(line.rstrip()), span.end_row, span.end_col))


def _rows(source: Source, finding: Finding) -> range:
    span: Span | None = finding.at.span
    if finding.at.cell is not None:
        span = source.from_cell(finding.at.cell, finding.at.span)
    return range(span.row, span.end_row + 1) if span is not None else range(0)
