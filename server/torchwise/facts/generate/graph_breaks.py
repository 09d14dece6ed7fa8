"""Dynamo's registry of graph breaks: what each is called, why it happens, and what torch advises."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path


def graph_breaks() -> dict[str, dict[str, object]]:
    """`{"GB0059": {"title": ..., "explanation": ..., "hints": [...]}}`, the newest wording of each."""
    spec = find_spec("torch")
    assert spec is not None and spec.origin is not None, "torch is installed where facts are generated"
    return registered(Path(spec.origin).parent)


def registered(root: Path) -> dict[str, dict[str, object]]:
    """The registry in a folder of torch's sources."""
    registry = json.loads((root / "_dynamo" / "graph_break_registry.json").read_text())
    return {
        code: {
            "title": wordings[0]["Gb_type"],
            "explanation": wordings[0]["Explanation"],
            "hints": [hint.strip() for hint in wordings[0]["Hints"] if "report an issue" not in hint],
        }
        for code, wordings in registry.items()
    }
