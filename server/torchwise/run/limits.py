"""How much a snippet may take: time, output, memory; and how long an unused kernel stays."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from torchwise.run.messages import Display, Notice, Output, Stream

MEGABYTE = 2**20


@dataclass(frozen=True)
class Limits:
    time_s: float = 600.0  # of one snippet; then it is interrupted
    output_bytes: int = 2 * MEGABYTE  # of one snippet: what comes after it is dropped
    memory_bytes: int | None = None  # of a kernel on this machine, where the platform can limit it
    idle_s: float = 1800.0  # then a kernel that runs nothing is stopped
    start_s: float = 90.0  # until a kernel answers
    grace_s: float = 3.0  # from an interrupt to the end, before the kernel is given up


class Bounded:
    """Passes output on until the limit, and then says once that the rest is dropped.

    Stateful: it counts. A stream is cut within its text; a picture is shown whole or not at all.
    """

    def __init__(self, most: int):
        self._left, self._most, self._full = most, most, False

    def pass_on(self, output: Output) -> list[Output]:
        size = _size(output)
        if self._full and size:
            return []
        if size <= self._left:
            self._left -= size
            return [output]
        self._full = True
        text = f"The output is longer than {_amount(self._most)}; the rest is not shown"
        notice = Notice(reason="output-limit", text=text)
        if isinstance(output, Stream) and self._left:
            kept = output.text.encode()[: self._left].decode(errors="ignore")
            return [Stream(name=output.name, text=kept), notice]
        return [notice]


def _size(output: Output) -> int:
    match output:
        case Stream(text=text):
            return len(text.encode(errors="replace"))
        case Display(content=content, text=text):
            return len(content) + len(text)
        case _:
            return 0


def _amount(count: int) -> str:
    return f"{count / MEGABYTE:.3g} MB" if count >= MEGABYTE else f"{count} bytes"


def memory_of_machine(share: float = 0.9) -> int | None:
    """Bytes that a kernel may have before the system begins to end processes; None where that is unknown."""
    known = []
    try:
        known.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return None
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            known.append(int(Path(path).read_text()))
        except (OSError, ValueError):  # no such file, or "max"
            continue
    return int(min(known) * share)
