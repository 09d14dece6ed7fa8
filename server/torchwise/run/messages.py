"""What the run layer is asked, answers and tells: typed messages, as the command line and both editors use
them.

On the wire their names are in camel case. `docs/protocol.md` and the TypeScript types are made of this.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from torchwise.wire.message import Message

Kind = Literal["cpu", "cuda", "mps", "xpu"]


# -- devices -------------------------------------------------------------------------------------------------


class Device(Message):
    """A device that a kernel can be had on."""

    id: str = Field(description="what `device` of a run request takes: `cpu`, `cuda:0`, `mps`, `xpu:0`")
    kind: Kind
    name: str = Field(description="as its maker calls it")
    memory_free: int | None = Field(default=None, description="bytes")
    memory_total: int | None = Field(default=None, description="bytes")


class Problem(Message):
    """Why something cannot be had, and what to do about it."""

    about: Literal["python", "torch", "kernel", "cuda", "mps", "xpu", "server"]
    what: str
    remedy: str | None = None


class DevicesRequest(Message):
    interpreter: str | None = Field(
        default=None, description="a Python to ask; the workspace's where none is named"
    )
    url: str | None = Field(default=None, description="a Jupyter server to ask instead")
    token: SecretStr | None = Field(
        default=None, description="of that server, from the editor's secret storage"
    )
    fresh: bool = Field(default=False, description="ask again, although the answer is known")


class Devices(Message):
    """What an interpreter, or a kernel of a server, has."""

    where: str = Field(description="the interpreter's path, or the server's URL")
    python: str | None = None
    torch: str | None = Field(default=None, description="its version; null where it cannot be imported")
    built_for: str | None = Field(default=None, description="`cpu`, `cuda 12.6`, `rocm 6.2` ...")
    kernel: str | None = Field(default=None, description="the version of ipykernel; null where there is none")
    devices: list[Device] = []
    problems: list[Problem] = []


# -- output --------------------------------------------------------------------------------------------------


class Stream(Message):
    """Text that was printed; it comes in pieces."""

    kind: Literal["stream"] = "stream"
    name: Literal["stdout", "stderr"]
    text: str


class Display(Message):
    """A value or a picture, in its richest form that is safe to show, and as plain text."""

    kind: Literal["display"] = "display"
    format: Literal["png", "jpeg", "svg", "html", "markdown", "latex", "text"]
    content: str = Field(
        description="base64 of a picture, otherwise text. `html` and `svg` are clean of scripts and of what "
        "loads from elsewhere; HTML within `markdown` is not, and is not to be rendered",
    )
    text: str = Field(default="", description="the plain form")
    result: bool = Field(default=False, description="the value of the snippet's last line")
    display_id: str | None = None
    update: bool = Field(
        default=False, description="takes the place of what was shown under this `displayId`"
    )


class Frame(Message):
    """A place in a traceback; the outermost comes first."""

    snippet: str | None = Field(default=None, description="the `name` of the snippet that it is in")
    path: str | None = Field(
        default=None, description="the file that it is in, if it is in none of the snippets"
    )
    row: int | None = Field(
        default=None, description="from 1; in a snippet it counts from `firstRow` of its request"
    )
    function: str | None = None
    line: str = Field(default="", description="the source line")


class Failure(Message):
    """An exception that ended the snippet."""

    kind: Literal["error"] = "error"
    name: str = Field(description="its class")
    message: str
    frames: list[Frame] = []
    text: str = Field(
        description="the traceback without colours and without the frames of kernel and library"
    )


class Notice(Message):
    """What is said by us and not by the code."""

    kind: Literal["notice"] = "notice"
    reason: Literal["output-limit", "connection", "output-lost"]
    text: str


class Cleared(Message):
    """What was shown so far goes."""

    kind: Literal["clear"] = "clear"
    wait: bool = Field(default=False, description="not before the next output comes")


Output = Stream | Display | Failure | Notice | Cleared


class OutputTold(Message):
    """Sent while a snippet runs."""

    run: str
    output: Annotated[Output, Field(discriminator="kind")]


# -- runs ----------------------------------------------------------------------------------------------------


class RunRequest(Message):
    run: str = Field(description="a name of the client's for this run; each output carries it")
    code: str
    name: str = Field(default="snippet", description="a path, or lesson and snippet: what tracebacks call it")
    first_row: int = Field(default=1, description="the row in `name` that the code begins at")
    device: str = Field(
        default="cpu", description="`cpu`, `cuda:0`, `mps`, `xpu:0`, or `https://server#cuda:0`"
    )
    interpreter: str | None = None
    token: SecretStr | None = Field(
        default=None, description="of the server, from the editor's secret storage"
    )
    file: str | None = Field(default=None, description="its `__file__`; modules beside it can be imported")
    folder: str | None = Field(default=None, description="to run in; lessons run in a scratch folder")
    lesson: bool = Field(default=False, description="a kernel where `device` is defined, in a scratch folder")
    time_s: float | None = Field(default=None, description="the most that it may take")
    output_bytes: int | None = Field(default=None, description="the most that it may print")


class Lost(Message):
    """What went with a kernel that ended."""

    snippets: list[str] = Field(default=[], description="that had run in it, oldest first")
    names: list[str] = Field(default=[], description="variables that it held")


Ended = Literal[
    "done", "failed", "interrupted", "timed-out", "died", "disconnected", "refused", "unavailable", "stopped"
]


class RunResult(Message):
    """How a run ended.

    `failed`: by an exception. `died`: with its kernel, which is being replaced. `disconnected`: the server
    cannot be reached any more. `refused`: the workspace is not trusted. `unavailable`: there is no such
    kernel. `stopped`: the kernel was stopped or restarted by the user.
    """

    run: str
    ended: Ended
    seconds: float = 0.0
    kernel: str | None = Field(default=None, description="its id")
    message: str | None = None
    remedy: str | None = None
    lost: Lost | None = None


class InterruptRequest(Message):
    run: str


class KernelRequest(Message):
    kernel: str = Field(description="its id")


class Done(Message):
    """Whether there was such a run or kernel."""

    done: bool


# -- kernels -------------------------------------------------------------------------------------------------


class KernelTold(Message):
    """Sent whenever a kernel begins to be something else."""

    kernel: str = Field(description="its id")
    device: str
    state: Literal["starting", "idle", "busy", "died", "stopped"]
    where: str = Field(description="the interpreter, or the server's URL")
    lesson: bool = False
    message: str | None = Field(default=None, description="why it died or was stopped")
    lost: Lost | None = None


class Kernels(Message):
    kernels: list[KernelTold] = []


class TraceRequest(Message):
    """Runs a file and writes down what its assignments bound."""

    path: str
    interpreter: str | None = None
    device: str = "cpu"
    time_s: float | None = None


class TracedRow(Message):
    """A tensor that an assignment bound; one row for each form that it had."""

    row: int = Field(description="of the statement, from 1")
    name: str
    shape: list[int]
    dtype: str
    device: str
    requires_grad: bool


class Traced(Message):
    rows: list[TracedRow] = []
    error: str | None = Field(default=None, description="the exception that ended the file")
    problem: Problem | None = Field(default=None, description="why it could not be run")


class CompileInput(Message):
    name: str
    shape: list[int] | None = Field(default=None, description="of a tensor; null for a plain value")
    dtype: str | None = None
    value: bool | int | float | str | None = None


class CompileRequest(Message):
    """Asks Dynamo what it does with a function or module of a file."""

    path: str
    entry: str = Field(
        description="a function, a class or an object at the top of the file; `Class.method`, too"
    )
    call: str | None = Field(
        default=None, description="arguments, as in a call: `torch.randn(2, 3), scale=2`"
    )
    inputs: list[CompileInput] = Field(
        default=[], description="arguments by their form, where there is no call"
    )
    interpreter: str | None = None
    device: str = "cpu"
    time_s: float | None = None


class CompileBreak(Message):
    """Where a graph ends."""

    row: int | None
    path: str | None = Field(default=None, description="where it is not the file that was asked about")
    reason: str
    explanation: str = ""
    hints: list[str] = []
    skipped: bool = Field(default=False, description="the whole function is run without the compiler")
    via: list[int] = Field(default=[], description="rows of the calls that lead there, outermost first")


class Recompile(Message):
    """A function that was compiled again: with the same inputs, or with a larger first axis."""

    function: str
    row: int | None
    reasons: list[str] = []


class CompileReport(Message):
    entry: str
    inputs: list[str] = Field(default=[], description="what it was called with")
    graphs: int = 0
    operations: int = 0
    breaks: list[CompileBreak] = []
    guards: list[str] = Field(
        default=[], description="what has to hold for the compiled code to be used again"
    )
    recompiles: list[Recompile] = []
    error: str | None = Field(default=None, description="what the code raised, or that it took too long")
    problem: Problem | None = Field(default=None, description="why it could not be called")


class TrustTold(Message):
    """Sent by the client: nothing is run before the workspace is trusted."""

    trusted: bool
