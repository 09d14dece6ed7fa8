"""`torchwise compile-report`: what torch.compile makes of a function, asked of Dynamo itself."""

from __future__ import annotations

import asyncio
import json
import os
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from torchwise.run.messages import CompileReport, CompileRequest

_ENTRY = re.compile(r"(?P<entry>[\w.]+)(?:\((?P<call>.*)\))?", re.S)


@click.command(name="compile-report", short_help="Ask Dynamo where it breaks.")
@click.argument("target", metavar="FILE::ENTRY")
@click.option("--device", default="cpu", show_default=True, help="cpu, cuda:0, mps or xpu:0.")
@click.option("--python", metavar="PATH", help="The interpreter; otherwise that of the environment.")
@click.option("--time", type=click.FloatRange(min=0.1), metavar="SECONDS", help="The most that it may take.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def compile_report(ctx: click.Context, target: str, output_format: str, **asked: Any) -> None:
    """Runs torch.compile on ENTRY, a function, class or object of FILE, and shows graph breaks, guards and
    what is compiled again for larger batches. Its arguments are made of the inferred shapes, or written down:
    FILE::ENTRY(torch.randn(2, 3)).

    Exit 0 no breaks, 1 breaks, 2 trouble.
    """
    from torchwise.run.messages import CompileRequest

    path, _, entry = target.partition("::")
    found = _ENTRY.fullmatch(entry)
    if not found or not os.path.isfile(path):
        raise click.UsageError(f"`{target}` is not FILE::ENTRY of a file that is there")
    report = _report(
        CompileRequest(
            path=os.path.abspath(path),
            entry=found["entry"],
            call=found["call"],
            interpreter=asked["python"],
            device=asked["device"],
            time_s=asked["time"],
        )
    )
    click.echo(json.dumps(report.model_dump(), indent=2) if output_format == "json" else _shown(report))
    ctx.exit(2 if report.problem or report.error else 1 if report.breaks else 0)


def _report(request: CompileRequest) -> CompileReport:
    from torchwise.run.compiled import compiled, unclear
    from torchwise.run.messages import CompileInput

    if request.call is None:
        found = _inferred(request)
        if isinstance(found, str):
            return unclear(request, found)
        given = [CompileInput.model_validate(asdict(row)) for row in found]
        request = request.model_copy(update={"inputs": given})
    return asyncio.run(compiled(request))


def _inferred(request: CompileRequest) -> Any:
    from torchwise.cli.analysis import Checker
    from torchwise.cli.options import Asked

    (project,), _ = Asked(paths=(request.path,)).load()
    return Checker(project.settings, project.documents).engine.inputs(request.path, request.entry)


def _shown(report: CompileReport) -> str:
    if report.problem:
        return "\n".join(text for text in (report.problem.what, report.problem.remedy) if text)
    lines = [f"{report.entry}({', '.join(report.inputs)})"]
    lines.append(f"{_count(report.graphs, 'graph')} of {_count(report.operations, 'operation')}")
    for row in report.breaks:
        at = f"line {row.row}" if row.path is None else f"{row.path}:{row.row}"
        via = f", by way of {', '.join(map(str, row.via))}" if row.via else ""
        lines.append(
            f"break at {at}{via}: {row.reason}{'; the function is not compiled' if row.skipped else ''}"
        )
        lines += [f"    {text}" for text in [row.explanation, *row.hints[:2]] if text]
    for again in report.recompiles:
        lines.append(f"compiled again: {again.function}, line {again.row}: {'; '.join(again.reasons)}")
    lines.append(f"{_count(len(report.guards), 'guard')} on what the code reads")
    return "\n".join(lines + ([report.error] if report.error else []))


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
