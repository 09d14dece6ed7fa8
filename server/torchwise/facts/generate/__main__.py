"""Writes the facts of the installed torch: `python -m torchwise.facts.generate`; `--check` only compares."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import torch

from torchwise.facts.generate.composites import composite_saves
from torchwise.facts.generate.deprecations import deprecations
from torchwise.facts.generate.derivatives import saves
from torchwise.facts.generate.earlier import as_lines, difference
from torchwise.facts.generate.names import classes, dtypes, names
from torchwise.facts.generate.schemas import aliases, composites, mutations, tags, views

FOLDER = Path(__file__).parents[1]


def collected() -> dict[str, Any]:
    return {
        "version": torch.__version__.partition("+")[0],
        "saves": saves(),
        "composite_saves": composite_saves(),
        "composites": composites(),
        "views": views(),
        "aliases": aliases(),
        "mutations": mutations(),
        "tags": tags(),
        "deprecations": deprecations(),
        "dtypes": dtypes(),
        "classes": classes(),
        "names": names(),
    }


def written(facts: dict[str, Any]) -> str:
    """One line for each entry: compact, and a new torch version shows as a readable difference."""
    sections = []
    for section, entries in facts.items():
        if isinstance(entries, str):
            sections.append(f"{json.dumps(section)}: {json.dumps(entries)}")
            continue
        is_table = isinstance(entries, dict)
        lines = (
            [f"{json.dumps(key)}: {compact(entries[key])}" for key in sorted(entries)]
            if is_table
            else [compact(entry) for entry in entries]
        )
        opening, closing = "{}" if is_table else "[]"
        sections.append(f"{json.dumps(section)}: {opening}\n" + ",\n".join(lines) + f"\n{closing}")
    return "{\n" + ",\n".join(sections) + "\n}\n"


def compact(entry: object) -> str:
    return json.dumps(entry, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def write_earlier(folder: Path) -> int:
    found = difference(folder)
    path = FOLDER / f"torch-{'.'.join(found['version'].split('.')[:2])}.json"
    path.write_text(as_lines(found), encoding="utf-8")
    print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m torchwise.facts.generate", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail where the file is out of date"
    )
    parser.add_argument(
        "--earlier", type=Path, metavar="FOLDER", help="an unpacked wheel of an earlier torch: write its file"
    )
    arguments = parser.parse_args()
    if arguments.earlier:
        return write_earlier(arguments.earlier)

    major, minor = torch.__version__.split(".")[:2]
    path = FOLDER / f"torch-{major}.{minor}.json"
    text = written(collected())
    if arguments.check:
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path.name} is out of date: run `make gen`", file=sys.stderr)
            return 1
        return 0
    path.write_text(text, encoding="utf-8")
    print(f"{path.name}: {len(text) / 1e3:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
