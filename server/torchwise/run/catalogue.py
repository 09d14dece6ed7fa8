"""Which commands and notifications there are: names, and the names of their messages.

It imports no messages, since the language server reads it when it starts.
"""

from __future__ import annotations

from functools import partial

from torchwise.wire.command import Command, Notification

GROUP = "torchwise.kernel"
_command = partial(Command, GROUP)

COMMANDS = (
    _command("devices", "DevicesRequest", "Devices", "Which devices an interpreter or a server has."),
    _command(
        "run",
        "RunRequest",
        "RunResult",
        "Runs code, and answers when it has ended; its output is told meanwhile.",
    ),
    _command("interrupt", "InterruptRequest", "Done", "Interrupts a run, also one that waits for its turn."),
    _command("restart", "KernelRequest", "Done", "Ends a kernel and starts it anew; its variables are lost."),
    _command("stop", "KernelRequest", "Done", "Ends a kernel; the next run on its device starts another."),
    _command("list", None, "Kernels", "The kernels there are, and what they are doing."),
    _command("compile", "CompileRequest", "CompileReport", "Where torch.compile breaks and compiles anew."),
    _command(
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
