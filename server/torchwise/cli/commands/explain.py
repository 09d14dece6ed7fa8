"""`torchwise explain`: the page of a rule."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from torchwise.project.settings import nearest

if TYPE_CHECKING:
    from torchwise.rules import Rule


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

    Console().print(Markdown(page(found)))


def page(rule: Rule) -> str:
    """In markdown."""
    parts = [
        f"# {rule.name} ({rule.code})",
        f"*{rule.level}, family `{rule.family}`*",
        rule.summary,
        rule.doc,
    ]
    for example in rule.examples:
        parts += ["**Instead of**", _code(example.bad), "**write**", _code(example.good)]
    parts.append(f"Silence it on a line with `# noqa: {rule.code}`.")
    if rule.lesson:
        parts.append(f"Lesson: {rule.lesson}")
    return "\n\n".join([*parts, rule.url])


def _code(text: str) -> str:
    return f"```python\n{textwrap.dedent(text).strip()}\n```"
