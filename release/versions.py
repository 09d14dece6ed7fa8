"""`python -m release.versions [--check]`: the version of the Python package, wherever else one must stand."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from torchwise import __version__

ROOT = Path(__file__).parents[1]
PACKAGES = ("package.json", "lab-extension/package.json", "vscode-extension/package.json")
LOCK = "package-lock.json"
OURS = ("", "lab-extension", "vscode-extension")  # by folder, as the lock file names them


def written() -> dict[str, str]:
    """By file, its text with the version in it."""
    texts = {}
    for name in PACKAGES:
        texts[name] = _with(name, lambda found: found.update(version=__version__))
    texts[LOCK] = _with(LOCK, _lock)
    return texts


def _lock(found: dict[str, Any]) -> None:
    found["version"] = __version__
    for folder in OURS:
        found["packages"][folder]["version"] = __version__


def _with(name: str, change: Any) -> str:
    found = json.loads((ROOT / name).read_text(encoding="utf-8"))
    change(found)
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    other = [name for name, text in written().items() if (ROOT / name).read_text(encoding="utf-8") != text]
    if "--check" in arguments:
        for name in other:
            print(f"{name} has another version than {__version__}: python -m release.versions writes it")
        return 1 if other else 0
    for name in other:
        (ROOT / name).write_text(written()[name], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
