"""The scripts in `run/inside` that pages send into the kernels of notebooks and lessons."""

from __future__ import annotations

from importlib.resources import files

SENT = {  # a script, and those that it uses the words of
    "observe": ("observe",),
    "explain": ("compile_report", "explain"),
    "lesson": ("lesson",),
}


def script(name: str) -> str | None:
    folder = files("torchwise.run") / "inside"
    parts = [(folder / f"{part}.py").read_text(encoding="utf-8") for part in SENT.get(name, ())]
    return "\n\n".join(parts) or None
