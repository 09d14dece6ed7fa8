"""The page of a rule for editors, with two whole programs: one that has the fault, and one that has not."""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Callable

from torchwise.lessons.messages import RulePage
from torchwise.lessons.shelf import NotThere
from torchwise.rules import all_rules
from torchwise.rules.rule import Rule

_CARETS = re.compile(r"^ *\^+( .*)?$")
_LESSON = re.compile(r"^Lesson: (\S+)$", re.M)


def rule_page(asked: str, page: Callable[[Rule], str]) -> RulePage:
    """`page` writes it in markdown. Raises NotThere."""
    rule = _rule(asked)
    example = rule.examples[0]
    return RulePage(
        code=rule.code,
        name=rule.name,
        title=rule.summary,
        severity=rule.level,
        family=rule.family,
        markdown=_LESSON.sub(r"Lesson: [\1](lesson:\1)", page(rule)),
        bad=_program(example.setup, example.bad),
        good=_program(example.setup, example.good),
        files={name: _clean(text) for name, text in example.files.items()},
        lesson=rule.lesson,
    )


def _rule(asked: str) -> Rule:
    rules = all_rules()
    for rule in rules:
        if asked.lower() in (rule.name, rule.code.lower()):
            return rule
    near = difflib.get_close_matches(asked, [rule.name for rule in rules], 3, 0.5)
    hint = f"; near it: {', '.join(near)}" if near else ""
    raise NotThere(f"there is no rule `{asked}`{hint}")


def _program(setup: str, code: str) -> str:
    """Without the lines of carets that say what is flagged."""
    lines = (_clean(setup) + _clean(code)).splitlines()
    return "\n".join(line for line in lines if not _CARETS.match(line)) + "\n"


def _clean(text: str) -> str:
    return textwrap.dedent(text).strip("\n") + "\n" if text.strip() else ""
