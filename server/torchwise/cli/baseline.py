"""Findings that a project knows of and lives with for now: only new ones are told.

A finding is recognised by its file, its rule and the text of its line, so that lines above it may come and
go.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click

from torchwise.cli.outcome import run_of
from torchwise.cli.scan import Loaded, Scan
from torchwise.findings import Finding
from torchwise.project.discovery import Trouble
from torchwise.report.run import Run, counted

NAME = "torchwise-baseline.json"  # where nobody says another
VERSION = 1


class Known(NamedTuple):
    """`line` is a hash of the line's text without its indent; `file` is relative to the baseline's folder."""

    file: str
    rule: str
    line: str


class BaselineError(Exception):
    """A baseline that cannot be read, with one line for the user."""


def write_baseline(projects: Sequence[Loaded], found: Scan, asked: str | None) -> Scan:
    """Writes what was found, and leaves nothing to tell but what could not be written."""
    left = replace(found, findings=[])
    for file, part in _parts(projects, found, asked, NAME):
        known = Counter(_keys(run_of(projects, part), file.parent))
        entries = [{**key._asdict(), "count": count} for key, count in sorted(known.items())]
        lines = ",\n".join(f"    {json.dumps(entry)}" for entry in entries)
        text = f'{{\n  "version": {VERSION},\n  "findings": [\n{lines}\n  ]\n}}\n'
        try:
            file.write_text(text, encoding="utf-8")
            click.echo(f"Wrote {counted(known.total(), 'finding')} to {_shown(file)}", err=True)
        except OSError as error:
            left.troubles.append(Trouble(_shown(file), error.strerror or str(error)))
    return left


def without_known(projects: Sequence[Loaded], found: Scan, asked: str | None) -> Scan:
    """What the baselines do not know of. Says how many of their entries are stale."""
    left = replace(found, findings=[])
    for file, part in _parts(projects, found, asked):
        try:
            known = _read(file)
        except BaselineError as error:
            left.troubles.append(Trouble(_shown(file), str(error)))
            known = Counter()
        for key, finding in zip(_keys(run_of(projects, part), file.parent), part.findings):
            if known[key]:
                known[key] -= 1
            else:
                left.findings.append(finding)
        looked_at = {_relative(path, file.parent) for project in projects for path in project.asked}
        stale = sum(count for key, count in known.items() if key.file in looked_at)
        if stale:
            what = counted(stale, "known finding")
            click.echo(f"{what} of {_shown(file)} gone: --write-baseline takes note", err=True)
    told_of = {id(finding) for _, part in _parts(projects, found, asked) for finding in part.findings}
    left.findings += [finding for finding in found.findings if id(finding) not in told_of]
    return left


def _parts(
    projects: Sequence[Loaded], found: Scan, asked: str | None, otherwise: str | None = None
) -> list[tuple[Path, Scan]]:
    """By baseline, the findings that are its business: one for all where the command line names it."""
    by_file: dict[Path, set[str]] = {}
    for project in projects:
        name = asked or project.settings.baseline or otherwise
        if name is not None:
            folder = project.settings.root if project.settings.baseline and not asked else ""
            by_file.setdefault(Path(os.path.abspath(os.path.join(folder, name))), set()).update(project.asked)
    return [(file, replace(found, findings=_in(found.findings, paths))) for file, paths in by_file.items()]


def _in(findings: Iterable[Finding], paths: set[str]) -> list[Finding]:
    return [finding for finding in findings if finding.at.path in paths]


def _keys(run: Run, folder: Path) -> list[Known]:
    keys = []
    for finding in run.findings:
        lines, row = run.lines(finding.at.path, finding.at.cell), finding.at.span.row
        text = lines[row - 1].strip() if row <= len(lines) else ""
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        keys.append(Known(_relative(finding.at.path, folder), finding.code, digest))
    return keys


def _relative(path: str, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()


def _shown(file: Path) -> str:
    return os.path.relpath(file)


def _read(file: Path) -> Counter[Known]:
    """Raises BaselineError."""
    try:
        table = json.loads(file.read_text(encoding="utf-8"))
        entries = table["findings"] if table["version"] == VERSION else None
        if entries is None:
            raise BaselineError(f"is of version {table['version']}, and this Torchwise knows {VERSION}")
        found = Counter[Known]()
        for entry in entries:
            found[Known(entry["file"], entry["rule"], entry["line"])] += int(entry["count"])
        return found
    except OSError as error:
        raise BaselineError(error.strerror or str(error)) from None
    except (ValueError, KeyError, TypeError):
        raise BaselineError("is no baseline of Torchwise: write it anew with --write-baseline") from None
