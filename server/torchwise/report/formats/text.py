"""Findings for people: message, place, the lines of source that matter, and what can be done."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.style import Style
from rich.text import Text

from torchwise.findings import Finding
from torchwise.report.frame import frame
from torchwise.report.run import Run, printable

WIDTH = 140  # of what is shown of a line where no terminal has one
STYLES = {"error": "bold red", "warning": "bold yellow", "hint": "bold cyan"}


def write_text(run: Run, out: TextIO) -> None:
    console = Console(file=out, highlight=False, soft_wrap=True, markup=False, emoji=False)
    for finding in run.findings:
        for line in _lines(finding, run, console.width if console.is_terminal else WIDTH):
            console.print(line)
        console.print()
    console.print(Text(run.summary(), "bold"))


def _lines(finding: Finding, run: Run, width: int) -> list[Text]:
    style = STYLES[finding.severity]
    code = Style.parse(style) + Style(link=finding.url)
    lines = [
        Text.assemble((finding.severity, style), " ", (finding.code, code), f" {finding.name}"),
        Text.assemble("  ", (printable(finding.message), "bold")),
        Text.assemble(("   --> ", "blue"), run.place(finding.at)),
        *frame(run, finding.at, "^", style, width),
    ]
    for related in finding.related:
        if (related.at.path, related.at.cell) != (finding.at.path, finding.at.cell):
            lines.append(Text.assemble(("   ::: ", "blue"), run.place(related.at)))
        shown = frame(run, related.at, "-", "blue", width, related.message)
        lines += shown or [Text(f"       {run.place(related.at)}: {printable(related.message)}", "blue")]
    if finding.fix:
        kind = "fix" if finding.fix.safe else "unsafe fix"
        lines.append(Text.assemble(("     = ", "blue"), (f"{kind}: ", "green"), printable(finding.fix.title)))
    return lines
