"""The JSON schema of the settings, for editors that complete and check TOML."""

from __future__ import annotations

import json
from typing import Any

from torchwise.project import settings
from torchwise.rules import all_rules

ABOUT = {
    "select": "Rules that are on: codes, names, families, prefixes of codes, or ALL.",
    "extend-select": "Rules that are on beside those of `select`.",
    "ignore": "Rules that are off.",
    "per-file-ignores": "By glob below the project's root: rules that are off in these files.",
    "severity": "By rule: how loud it is, or off.",
    "include": "Globs of the files that are checked.",
    "exclude": "Globs of what is left out; they take the place of the usual ones.",
    "extend-exclude": "Globs of what is left out beside the usual ones.",
    "respect-gitignore": "Whether what git ignores is left out.",
    "target-torch": "The version of torch that the code will run on, like 2.9.",
    "cache-dir": "The folder for what is remembered between runs.",
    "baseline": "A file of known findings, below the project's root: only others are told.",
}


def schema() -> str:
    """As it is published: of a `torchwise.toml`, and of the table `tool.torchwise`."""
    kinds = _kinds()
    keys = {key: {**kinds[key], "description": ABOUT[key]} for key in settings.KEYS}
    table = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Torchwise settings",
        "type": "object",
        "properties": keys,
        "additionalProperties": False,
    }
    return json.dumps(table, indent=2) + "\n"


def _kinds() -> dict[str, dict[str, Any]]:
    """What each key may hold. Prefixes of codes are allowed too, so other words than the known ones pass."""
    words = sorted({word for rule in all_rules() for word in (rule.code, rule.name, rule.family)} | {"ALL"})
    texts = {"type": "array", "items": {"type": "string"}}
    rules = {"type": "array", "items": {"anyOf": [{"enum": words}, {"type": "string"}]}}
    return {
        **dict.fromkeys(("select", "extend-select", "ignore"), rules),
        **dict.fromkeys(("include", "exclude", "extend-exclude"), texts),
        **{key: {"type": "string"} for key in ("cache-dir", "baseline")},
        "per-file-ignores": {"type": "object", "additionalProperties": rules},
        "severity": {"type": "object", "additionalProperties": {"enum": list(settings.LEVELS)}},
        "respect-gitignore": {"type": "boolean"},
        "target-torch": {"type": "string", "pattern": "^[0-9]+[.][0-9]+([.][0-9]+)?"},
    }
