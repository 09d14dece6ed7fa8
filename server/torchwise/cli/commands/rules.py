"""`torchwise rules`: all rules in a table."""

from __future__ import annotations

import json

import click


@click.command(short_help="List all rules.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def rules(output_format: str) -> None:
    """Lists all rules, by code."""
    from torchwise.rules import all_rules

    if output_format == "json":
        entries = [
            {
                "code": rule.code,
                "name": rule.name,
                "family": rule.family,
                "severity": rule.level,
                "summary": rule.summary,
                "lesson": rule.lesson,
                "url": rule.url,
            }
            for rule in all_rules()
        ]
        click.echo(json.dumps(entries, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("Code", "Name", "Severity", "Family", "What it finds", box=None, pad_edge=False)
    for rule in all_rules():
        table.add_row(rule.code, rule.name, rule.level, rule.family, rule.summary)
    Console(highlight=False, markup=False).print(table)
