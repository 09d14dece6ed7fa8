"""Finds the rules: every module `rules/<family>/<rule>.py` is one. There is no list to keep.

A module that says `SINCE = "2.7"` speaks of what is so from that version of torch on: code for an earlier one
is left alone, and the page says so.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil

from torchwise.rules.rule import Example, Rule

__all__ = ["Example", "Rule", "all_rules"]

DOCS = "https://torchwise.readthedocs.io/rules/"


@functools.cache
def all_rules() -> tuple[Rule, ...]:
    """All rules, by code."""
    found = []
    for info in pkgutil.walk_packages(__path__, f"{__name__}."):
        parts = info.name.split(".")
        if not info.ispkg and len(parts) == 4 and parts[2] != "vocabulary":
            found.append(_rule(info.name, parts[2], parts[3].replace("_", "-")))
    return tuple(sorted(found, key=lambda rule: rule.code))


def _rule(module_name: str, family: str, name: str) -> Rule:
    module = importlib.import_module(module_name)
    summary, _, doc = (module.__doc__ or "").strip().partition("\n")
    since = getattr(module, "SINCE", None)
    if since is not None:
        doc = doc.replace("\nSource: ", f"\nSo it is from torch {since} on (`--target-torch`).\n\nSource: ")
    return Rule(
        code=module.CODE,
        name=name,
        family=family,
        level=module.LEVEL,
        summary=summary,
        doc=doc.strip(),
        check=module.check,
        examples=tuple(module.EXAMPLES),
        silent=tuple(getattr(module, "SILENT", ())),
        lesson=getattr(module, "LESSON", None),
        url=f"{DOCS}{family}/{name}",
        since=since,
    )
