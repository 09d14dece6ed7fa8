"""The scripts in `run/inside` that pages send into the kernels of notebooks."""

from __future__ import annotations

from importlib.resources import files

SENT = ("observe",)


def script(name: str) -> str | None:
    if name not in SENT:
        return None
    return (files("torchwise.run") / "inside" / f"{name}.py").read_text(encoding="utf-8")
