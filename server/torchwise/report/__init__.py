"""Findings as text for people and for machines. Each module of `formats/` is one format."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import TextIO, cast

from torchwise.report import formats
from torchwise.report.run import Run

Write = Callable[[Run, TextIO], None]


def format_names() -> tuple[str, ...]:
    return tuple(sorted(info.name for info in pkgutil.iter_modules(formats.__path__)))


def format_named(name: str) -> Write:
    module = importlib.import_module(f"{formats.__name__}.{name}")
    return cast(Write, getattr(module, f"write_{name}"))
