"""The settings as VS Code's manifest declares them, from the server's own: `python -m torchwise.lsp.declared
[--check]`.

Every setting of a project is `null` unless the user says otherwise: what an editor fills in by itself would
override the project's file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from torchwise.lsp.preferences import Preferences, camel
from torchwise.report.schema import schema

MANIFEST = Path(__file__).parents[3] / "vscode-extension" / "package.json"

# Fields of Preferences, in the words of the user.
ABOUT = {
    "inlay_hints": "Show inferred shapes beside assignments.",
    "workspace_diagnostics": "Check the files of the workspace that are not open, too.",
    "delay_ms": "Milliseconds, at most, from the last keystroke to the analysis: a file that is quick to"
    " analyse is looked at with each.",
    "most_files": "How many files are read when a workspace is opened.",
}

# What the extension itself reads.
_TEXTS = {"type": "array", "items": {"type": "string"}, "default": []}
OF_THE_EXTENSION: dict[str, dict[str, Any]] = {
    "interpreter": {
        **_TEXTS,
        "scope": "machine-overridable",
        "markdownDescription": "The Python that the server and your code run in: its path, and arguments if"
        " it needs any. Empty: the one that the Python extension has selected, a `.venv` of the workspace, or"
        " the first on the `PATH`.",
    },
    "importStrategy": {
        "type": "string",
        "enum": ["useBundled", "fromEnvironment"],
        "enumDescriptions": [
            "The Torchwise that comes with the extension.",
            "The Torchwise that is installed in the interpreter; the bundled one where there is none.",
        ],
        "default": "useBundled",
        "scope": "machine-overridable",
        "markdownDescription": "Which Torchwise is run.",
    },
    "device": {
        "type": "string",
        "default": "cpu",
        "scope": "machine-overridable",
        "markdownDescription": "Where code is run: `cpu`, `cuda:0`, `mps`, `xpu:0`, or the address of a"
        " Jupyter server as in `https://host:8888#cuda:0`. The status bar has a picker.",
    },
    "timeLimit": {
        "type": "number",
        "default": 600,
        "minimum": 1,
        "scope": "resource",
        "markdownDescription": "Seconds that a run may take before it is stopped.",
    },
    "trace.server": {
        "type": "string",
        "enum": ["off", "messages", "verbose"],
        "default": "off",
        "scope": "window",
        "markdownDescription": "How much of what the editor and the server say to each other is written"
        " into the output channel *Torchwise* while its log level is *Trace*. Tokens are left out.",
    },
}


def properties() -> dict[str, Any]:
    """In the order that the settings page shows."""
    found = {f"torchwise.{key}": {**value} for key, value in OF_THE_EXTENSION.items()}
    for name, default in vars(Preferences()).items():
        kind = "integer" if isinstance(default, int) and not isinstance(default, bool) else "boolean"
        found[f"torchwise.{camel(name)}"] = {
            "type": [kind, "null"] if default is None else kind,
            "default": default,
            "scope": "window",
            "markdownDescription": ABOUT[name],
        }
    for key, value in json.loads(schema())["properties"].items():
        found[f"torchwise.{camel(key)}"] = _of_project(key, value)
    return found


def _of_project(key: str, declared: dict[str, Any]) -> dict[str, Any]:
    about = f"{declared['description']} Not set: as the project's file says (`{key}`)."
    rest = {
        name: _without_words(value) for name, value in declared.items() if name not in ("description", "type")
    }
    kind = [declared["type"], "null"]
    return {"type": kind, "default": None, "scope": "resource", "markdownDescription": about, **rest}


def _without_words(value: Any) -> Any:
    """Prefixes of codes are allowed, so the list of all rules, which is long, would refuse nothing."""
    return {"type": "string"} if isinstance(value, dict) and "anyOf" in value else value


def manifest(text: str) -> str:
    """With the settings in their place; everything else as it was."""
    table = json.loads(text)
    table["contributes"]["configuration"] = {"title": "Torchwise", "properties": properties()}
    return json.dumps(table, indent=2, ensure_ascii=False) + "\n"


def main(check: bool) -> int:
    text = MANIFEST.read_text(encoding="utf-8")
    made = manifest(text)
    if made == text:
        return 0
    if check:
        print("vscode-extension/package.json does not declare what `make gen` writes")
        return 1
    MANIFEST.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
