"""Devices by name: "cpu", "cuda", "cuda:1", and "cpu|cuda" for the one or the other, as `"cuda" if ...
else "cpu"` gives it.

Of a choice, every alternative is taken by somebody: what fails for one of them fails.
"""

from __future__ import annotations

import re

_DEVICE = re.compile(r"(?:cpu|(?:cuda|mps|xpu|npu)(?::\d+)?)(?:\|(?:cpu|cuda|mps|xpu|npu))*$")


def either(a: str, b: str) -> str | None:
    """The one or the other, where a choice between the CPU and something faster is left open."""
    if not _DEVICE.match(a) or not _DEVICE.match(b):
        return None
    kinds = {name.partition(":")[0] for name in (*a.split("|"), *b.split("|"))}
    return "|".join(sorted(kinds)) if "cpu" in kinds and len(kinds) > 1 else None


def is_choice(name: object) -> bool:
    return isinstance(name, str) and "|" in name


def accelerator(name: str) -> str:
    """Of a choice, what is not the CPU."""
    return next((part for part in name.split("|") if part != "cpu"), name)


def clashing(a: str | None, b: str | None) -> bool:
    """Whether a kernel that wants one device surely refuses these two.

    Those of products, convolutions and look-ups take a "meta" tensor with any other, seen with torch 2.13;
    those of sums and norms do not (`ops.agreement.layer_device`).
    """
    return same_device(a, b) is False and "meta" not in (a, b)


def same_device(a: str | None, b: str | None) -> bool | None:
    """Whether two devices are one. "cuda" is the current one of several; None where that is not known."""
    if a == b:
        return None if a is None else True
    if a is None or b is None:
        return None
    if is_choice(a) or is_choice(b):
        return False if "cpu" in (a, b) else None
    (kind, _, index), (other, _, another) = a.partition(":"), b.partition(":")
    if kind != other:
        return False
    return True if kind == "cpu" else False if index and another else None
