"""Running code on kernels: commands with typed messages, and notifications of what runs.

`docs/protocol.md` lists them. Nothing that belongs to running is loaded before the first command, and nothing
is run before the client has said that the user trusts the workspace: settings may come from the workspace
itself, so they cannot say so.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from torchwise.lsp.commanding import handler, wire
from torchwise.lsp.plain import plain
from torchwise.lsp.server import Server
from torchwise.lsp.worker import Urgency
from torchwise.run.catalogue import COMMANDS

if TYPE_CHECKING:
    from torchwise.engine.inputs import Input
    from torchwise.run.messages import (
        CompileInput,
        CompileRequest,
        Problem,
        RunRequest,
        RunResult,
    )
    from torchwise.run.sessions import Sessions
    from torchwise.wire.message import Message

MESSAGES = "torchwise.run.messages"
UNTRUSTED = "the workspace is not trusted, so nothing is run in it"
TRUST_IT = "trust the workspace in the editor, and run it again"


def running(server: Server) -> None:
    desk = _Desk(server)
    for command in COMMANDS:
        answer = getattr(desk, f"_{command.name}")
        server.command(command.full_name)(handler(command, MESSAGES, answer))

    @server.feature("torchwise/trust")
    def trust(params: Any) -> None:
        desk.trusted = plain(params).get("trusted") is True

    @server.feature(types.SHUTDOWN)
    async def shutdown(params: None) -> None:
        await desk.close()


class _Desk:
    """Stateful: the kernels of this client, once there is one."""

    def __init__(self, server: Server):
        self.trusted = False
        self._server = server
        self._made: Sessions | None = None

    @property
    def sessions(self) -> Sessions:
        if self._made is None:
            from torchwise.run.messages import OutputTold
            from torchwise.run.sessions import Sessions

            self._made = Sessions(
                lambda run, output: self._tell("torchwise/output", OutputTold(run=run, output=output)),
                lambda told: self._tell("torchwise/kernel", told),
            )
        return self._made

    def _tell(self, method: str, message: Message) -> None:
        self._server.protocol.notify(method, wire(message))

    async def close(self) -> None:
        if self._made is not None:
            await self._made.close()

    # -- one for each command --------------------------------------------------------------------------------

    async def _devices(self, request: Any) -> Message:
        from torchwise.run import messages
        from torchwise.run.choice import BadChoice, choice
        from torchwise.run.devices import devices_of, devices_of_server
        from torchwise.run.tokens import token_for

        interpreter = self._interpreter(request.interpreter)
        if not self.trusted:
            return messages.Devices(where=interpreter, problems=[_refusal()])
        if not request.url:
            return await devices_of(interpreter, request.fresh)
        try:
            url = choice(request.url).url or ""
        except BadChoice as error:
            problem = messages.Problem(about="server", what=str(error))
            return messages.Devices(where="the server", problems=[problem])
        token = request.token.get_secret_value() if request.token else None
        return await devices_of_server(url, token_for(url, token))

    async def _run(self, request: RunRequest) -> RunResult:
        from torchwise.run.messages import RunResult

        if not self.trusted:
            return RunResult(run=request.run, ended="refused", message=UNTRUSTED, remedy=TRUST_IT)
        folder = request.folder or self._root()
        own = {"interpreter": self._interpreter(request.interpreter), "folder": folder}
        try:
            return await self.sessions.run(request.model_copy(update=own))
        except ModuleNotFoundError as error:
            what = f"running needs more than analysis does: {error.name} is missing"
            remedy = "python -m pip install 'torchwise[run]'"
            return RunResult(run=request.run, ended="unavailable", message=what, remedy=remedy)

    async def _interrupt(self, request: Any) -> Message:
        return _done(self._made is not None and await self._made.interrupt(request.run))

    async def _restart(self, request: Any) -> Message:
        return _done(self._made is not None and await self._made.restart(request.kernel))

    async def _stop(self, request: Any) -> Message:
        return _done(self._made is not None and await self._made.stop(request.kernel))

    async def _list(self) -> Message:
        from torchwise.run.messages import Kernels

        return Kernels(kernels=self._made.kernels if self._made else [])

    async def _compile(self, request: CompileRequest) -> Message:
        from torchwise.run import messages
        from torchwise.run.compiled import compiled, unclear

        if not self.trusted:
            return messages.CompileReport(entry=request.entry, problem=_refusal())
        own: dict[str, Any] = {"interpreter": self._interpreter(request.interpreter)}
        if not request.call and not request.inputs:
            found = await self._inputs(request.path, request.entry)
            if isinstance(found, str):
                return unclear(request, found)
            own["inputs"] = found
        return await compiled(request.model_copy(update=own))

    async def _inputs(self, path: str, entry: str) -> list[CompileInput] | str:
        """What the entry is called with; or why that is not clear."""
        from torchwise.run.messages import CompileInput

        analysis = self._server.analysis
        nothing: list[Input] | str = f"`{path}` is not known to the server"
        found = await analysis.ask(
            Urgency.POINTED_AT,
            lambda: analysis.guarded(path, lambda engine: engine.inputs(path, entry), nothing),
        )
        if isinstance(found, str):
            return found
        return [CompileInput.model_validate(asdict(row)) for row in found]

    async def _trace(self, request: Any) -> Message:
        from torchwise.run import messages
        from torchwise.run.choice import BadChoice, choice
        from torchwise.run.traced import TIME_S, traced

        if not self.trusted:
            return messages.Traced(problem=_refusal())
        try:
            place = choice(request.device)
        except BadChoice as error:
            return messages.Traced(problem=messages.Problem(about="python", what=str(error)))
        interpreter = self._interpreter(request.interpreter)
        return await traced(request.path, interpreter, place, request.time_s or TIME_S)

    # -- what the workspace says -----------------------------------------------------------------------------

    def _root(self) -> str | None:
        return next(iter(self._server.analysis.configuration.roots), None)

    def _interpreter(self, asked: str | None) -> str:
        from torchwise.run.interpreters import default_interpreter

        return asked or default_interpreter(self._root())


def _done(done: bool) -> Message:
    from torchwise.run.messages import Done

    return Done(done=done)


def _refusal() -> Problem:
    from torchwise.run.messages import Problem

    return Problem(about="python", what=UNTRUSTED, remedy=TRUST_IT)
