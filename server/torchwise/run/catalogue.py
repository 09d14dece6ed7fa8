"""Which commands and notifications there are: names, and the names of their messages.

It imports nothing, since the language server reads it when it starts, and the messages only when one comes.
"""

from __future__ import annotations

from typing import NamedTuple

PREFIX = "torchwise.kernel."


class Command(NamedTuple):
    """Of `workspace/executeCommand`, with the request as its one argument."""

    name: str
    request: str | None
    result: str
    text: str

    @property
    def full_name(self) -> str:
        return PREFIX + self.name


class Notification(NamedTuple):
    method: str
    message: str
    text: str


COMMANDS = (
    Command("devices", "DevicesRequest", "Devices", "Which devices an interpreter or a server has."),
    Command(
        "run",
        "RunRequest",
        "RunResult",
        "Runs code, and answers when it has ended; its output is told meanwhile.",
    ),
    Command("interrupt", "InterruptRequest", "Done", "Interrupts a run, also one that waits for its turn."),
    Command("restart", "KernelRequest", "Done", "Ends a kernel and starts it anew; its variables are lost."),
    Command("stop", "KernelRequest", "Done", "Ends a kernel; the next run on its device starts another."),
    Command("list", None, "Kernels", "The kernels there are, and what they are doing."),
    Command("compile", "CompileRequest", "CompileReport", "Where torch.compile breaks and compiles anew."),
    Command(
        "trace", "TraceRequest", "Traced", "Runs a file, and answers what tensors its assignments bound."
    ),
)

TOLD_BY_SERVER = (
    Notification("torchwise/output", "OutputTold", "Something that a run printed, showed or raised."),
    Notification(
        "torchwise/kernel", "KernelTold", "A kernel starts, is busy or idle, has died or was stopped."
    ),
)

TOLD_BY_CLIENT = (
    Notification(
        "torchwise/trust", "TrustTold", "Whether the user trusts the workspace. Until then nothing is run."
    ),
)
