"""What torch.compile makes of a function or module: Dynamo is asked in a process of its own."""

from __future__ import annotations

import os

from torchwise.run.choice import BadChoice, choice
from torchwise.run.interpreters import Unavailable, default_interpreter
from torchwise.run.messages import CompileReport, CompileRequest, Problem
from torchwise.run.script import written_by

TIME_S = 180.0
GIVE_A_CALL = "write the call whose arguments it shall be made with: {file}::{entry}(torch.randn(2, 3))"


async def compiled(request: CompileRequest) -> CompileReport:
    """Never raises: what cannot be made or run stands in `problem`, what the code raised in `error`."""
    try:
        place = choice(request.device)
        if place.url:
            raise BadChoice("a report of the compiler is made on this machine")
    except BadChoice as error:
        return CompileReport(entry=request.entry, problem=Problem(about="python", what=str(error)))
    path = os.path.abspath(request.path)
    own = request.model_copy(update={"path": path, "device": place.inside})
    interpreter = request.interpreter or default_interpreter(os.path.dirname(path))
    time_s = request.time_s or TIME_S
    try:
        written, in_time = await written_by(
            "compile_report", own.model_dump_json(), interpreter, place, time_s
        )
    except Unavailable as error:
        return CompileReport(entry=request.entry, problem=error.problem)
    if reason := written.pop("impossible", None):
        return CompileReport(entry=request.entry, problem=Problem(about="python", what=reason))
    found = CompileReport.model_validate({"entry": request.entry, **written})
    late = f"it took longer than {time_s:g} s, and was interrupted"
    return found if in_time else found.model_copy(update={"error": late})


def unclear(request: CompileRequest, reason: str) -> CompileReport:
    """Where the arguments are not known, so that nothing is run."""
    remedy = GIVE_A_CALL.format(file=os.path.basename(request.path), entry=request.entry)
    return CompileReport(entry=request.entry, problem=Problem(about="python", what=reason, remedy=remedy))
