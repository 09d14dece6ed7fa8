"""`torchwise explain`: the page of a rule."""

from __future__ import annotations

import click

from torchwise.project.settings import nearest


@click.command(short_help="Show the page of a rule.")
@click.argument("rule")
def explain(rule: str) -> None:
    """Shows the page of RULE, a code or a name: what it finds, why, and what to write instead."""
    from torchwise.rules import all_rules

    named = {word: found for found in all_rules() for word in (found.code, found.name)}
    found = named.get(rule) or named.get(rule.upper()) or named.get(rule.lower().replace("_", "-"))
    if found is None:
        near = nearest(rule.lower(), named)
        raise click.UsageError(f"there is no rule `{rule}`{near or '; `torchwise rules` lists all'}")
    from rich.console import Console
    from rich.markdown import Markdown

    from torchwise.report.pages import page

    Console().print(Markdown(f"{page(found)}\n\n{found.url}"))
