"""How long a schedule is, as it is written where the scheduler is made: in epochs or batches, or a few."""

from __future__ import annotations

import re

SPANS = "total_steps|T_max|step_size|total_iters|T_0"
EPOCHS = r"[\w.]*?epochs?|[\w.]+\[['\"]\w*?epochs?['\"]\]"  # `max_epochs`, `cfg.epochs`, `cfg["epochs"]`
IN_EPOCHS = re.compile(rf"\b({SPANS})\s*=\s*({EPOCHS})\s*[,)]|^[\w.]+\(\s*[\w.]+,\s*({EPOCHS})\s*[,)]")
FEW = re.compile(
    r"\b(step_size|T_max)\s*=\s*([1-9]\d?)\b|(?:StepLR|AnnealingLR)\(\s*[\w.]+,\s*([1-9]\d?)\s*[,)]"
)
IN_BATCHES = re.compile(rf"\b({SPANS}|steps_per_epoch)\s*=\s*(\w[^=]*\blen\(\s*[\w.]+\s*\))")


def in_epochs(text: str) -> str | None:
    return _found(IN_EPOCHS, text)


def in_batches(text: str) -> str | None:
    return _found(IN_BATCHES, text)


def few(text: str) -> str | None:
    """A number of two digits at most."""
    return _found(FEW, text)


def _found(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return next((g for g in found.groups()[1:] if g), None) if found else None
