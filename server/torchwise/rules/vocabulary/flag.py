"""What a rule says."""

from __future__ import annotations

from dataclasses import dataclass

from torchwise.domain.value import Site
from torchwise.findings import Severity
from torchwise.fixes.edits import FixPlan

CALLER = Site("^", 0, 0, "graph")  # the call, in the scope of who calls


@dataclass(frozen=True)
class Flag:
    """What a rule says: where, what, why, and how to mend it. `part`: underline all of it, or its head or
    name only.
    """

    at: Site
    message: str
    because: tuple[tuple[Site, str], ...] = ()
    fix: FixPlan | None = None
    level: Severity | None = None
    part: str = "whole"
