"""A command or notification: its name, and the names of its messages.

It imports nothing: the language server reads such lists when it starts, and messages only when one comes.
"""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """Of `workspace/executeCommand`, with the request as its one argument."""

    group: str  # "torchwise.kernel"
    name: str
    request: str | None
    result: str
    text: str

    @property
    def full_name(self) -> str:
        return f"{self.group}.{self.name}"


class Notification(NamedTuple):
    method: str
    message: str
    text: str
