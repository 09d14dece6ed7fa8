"""The pages and the table of rules, from the rule files themselves: `python -m torchwise.report.pages
[--check]`.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

from torchwise.report.catalogue import catalogue
from torchwise.report.from_torchfix import from_torchfix
from torchwise.report.operators import operators
from torchwise.report.schema import schema
from torchwise.rules import Rule, all_rules

DOCS = Path(__file__).parents[3] / "docs"
FOLDER = DOCS / "rules"


def page(rule: Rule) -> str:
    """One rule, in markdown."""
    parts = [
        f"# {rule.name} ({rule.code})",
        f"*{rule.level}, family `{rule.family}`*",
        rule.summary,
        rule.doc,
    ]
    for example in rule.examples:
        parts += ["**Instead of**", _code(example.bad), "**write**", _code(example.good)]
    parts.append(f"Silence it on a line with `# noqa: {rule.code}` or `# torchwise: ignore[{rule.name}]`.")
    if rule.lesson:
        parts.append(f"Lesson: {rule.lesson}")
    return "\n\n".join(parts)


def _code(text: str) -> str:
    return f"```python\n{textwrap.dedent(text).strip()}\n```"


def table() -> str:
    """All rules, by family."""
    rows = ["# Rules", "", f"{len(all_rules())} rules, each proven by running its examples under torch.", ""]
    families: dict[str, list[Rule]] = {}
    for rule in all_rules():
        families.setdefault(rule.family, []).append(rule)
    for family, rules in sorted(families.items(), key=lambda pair: pair[1][0].code):
        rows += [f"## {family}", "", "| code | rule | level | fix | what it finds |", "|---|---|---|---|---|"]
        for rule in rules:
            fix = "yes" if _has_fix(rule) else ""
            link = f"[{rule.name}]({family}/{rule.name}.md)"
            rows.append(f"| {rule.code} | {link} | {rule.level} | {fix} | {rule.summary} |")
        rows.append("")
    return "\n".join(rows)


def _has_fix(rule: Rule) -> bool:
    code = rule.check.__code__
    return any(
        name.startswith(("replace_with", "insert_", "append_", "delete_", "wrap_")) for name in _names(code)
    )


def _names(code: object) -> set[str]:
    found = set(getattr(code, "co_names", ()))
    for inner in getattr(code, "co_consts", ()):
        if hasattr(inner, "co_names"):
            found |= _names(inner)
    return found


def files() -> Mapping[Path, str]:
    """Every generated page with its text."""
    pages = {FOLDER / rule.family / f"{rule.name}.md": page(rule) + "\n" for rule in all_rules()}
    more = {
        DOCS / "catalogue.md": catalogue(),
        DOCS / "from-torchfix.md": from_torchfix(),
        DOCS / "ops.md": operators(),
        DOCS / "torchwise.schema.json": schema(),
    }
    return {FOLDER / "README.md": table(), **pages, **more}


def main(check: bool) -> int:
    wanted = files()
    there = {*FOLDER.rglob("*.md"), *(path for path in wanted if path.exists())}
    stale = [p for p, text in wanted.items() if p not in there or p.read_text() != text]
    stale += sorted(there - wanted.keys())
    if check:
        for path in stale:
            print(f"{path.relative_to(FOLDER.parents[1])} is not what `make gen` writes")
        return 1 if stale else 0
    for path in stale:
        if path in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path])
        else:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
