"""Lowers the syntax trees of a file to the small language of `ir.nodes`."""

from __future__ import annotations

from torchwise.ir.lower import fallback as _fallback  # noqa: F401  the tables are complete from here on
from torchwise.ir.lower.pieces import lower_source
from torchwise.ir.module import Module
from torchwise.syntax.source import Source


def lower(source: Source, previous: Module | None = None) -> Module:
    """Lowers a file. Scopes of an earlier version of it that stand for the same code are taken over."""
    return lower_source(source, previous)
