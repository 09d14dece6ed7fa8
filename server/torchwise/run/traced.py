"""What a file's assignments bind when it really runs: traced in a process of its own."""

from __future__ import annotations

import os

from torchwise.run.choice import Choice
from torchwise.run.interpreters import Unavailable
from torchwise.run.messages import Traced
from torchwise.run.script import written_by

TIME_S = 300.0


async def traced(path: str, interpreter: str, place: Choice, time_s: float = TIME_S) -> Traced:
    """Never raises. What the file prints is dropped."""
    try:
        written, in_time = await written_by("trace", os.path.abspath(path), interpreter, place, time_s)
    except Unavailable as error:
        return Traced(problem=error.problem)
    found = Traced.model_validate(written)
    late = f"it took longer than {time_s:g} s, and was interrupted"
    return found if in_time else found.model_copy(update={"error": late})
