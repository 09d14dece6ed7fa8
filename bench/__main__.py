"""`python -m bench [PART ...]`: measures the budgets, prints the table, and writes it to
`docs/benchmarks.md`."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable, Iterable

from bench import editing, rivals, scaling, scans
from bench.budget import ROOT, Row
from torchwise import __version__

PARTS: dict[str, list[Callable[[], Row]]] = {
    "scan": [scans.against_torchfix, scans.against_bare_parse, scans.warm_against_cold],
    "keystroke": [
        lambda: editing.keystroke_in_the_engine(1_000),
        lambda: editing.keystroke_in_the_engine(10_000),
        lambda: editing.keystroke_over_stdio(1_000),
        lambda: editing.keystroke_over_stdio(10_000),
    ],
    "start": [editing.start_to_first_diagnostics],
    "memory": [editing.memory_of_a_workspace],
}

PAGE = ROOT / "docs" / "benchmarks.md"
INTRODUCTION = f"""# Benchmarks

Written by `make bench`. Each figure stands beside a yardstick that was measured in the same run on the same
machine, so that their ratio means something elsewhere too. Torchwise {__version__}, Python
{platform.python_version()}.

"""


def table(rows: Iterable[Row]) -> str:
    lines = ["| what | measured | beside | ratio | budget | held |", "|---|---|---|---|---|---|"]
    for row in rows:
        held = "yes" if row.held else "**no**"
        lines.append(f"| {row.what} | {row.figure} | {row.yardstick} | {row.ratio} | {row.budget} | {held} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "parts",
        nargs="*",
        metavar="PART",
        help=f"only some, and the page stays: {', '.join(PARTS)}; or scaling",
    )
    parser.add_argument(
        "--most", type=int, default=10_000, metavar="FILES", help="of `scaling`, which takes an hour: no more"
    )
    arguments = parser.parse_args()
    chosen = arguments.parts
    if chosen == ["scaling"]:  # a table of its own, and not among the budgets
        return scaling.measure(arguments.most)
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")

    rows = []
    for part in chosen or PARTS:
        for measure in PARTS[part]:
            row = measure()
            rows.append(row)
            mark = "held" if row.held else "NOT HELD"
            print(
                f"{row.what}: {row.figure} ({row.yardstick}; {row.ratio}; budget {row.budget}) {mark}",
                flush=True,
            )
    print("\n" + table(rows))
    if not chosen:
        PAGE.parent.mkdir(exist_ok=True)
        before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        PAGE.write_text(
            INTRODUCTION + table(rows) + scaling.kept(before) + rivals.kept(before), encoding="utf-8"
        )
    return 0 if all(row.held for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
