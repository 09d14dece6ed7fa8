"""`python dynamo.py PROGRAM ...`: runs each, and prints as JSON what Dynamo did with it.

The lines on which it broke its graph, each with the reason: the innermost one of the program itself, and for
a break within a library the one that led there. And what the program raised, if it did.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import runpy
import sys

import torch
import torch._dynamo

from torchwise.run.inside.compile_report import told

# What one program sets must not reach the next.
SET_BY_PROGRAMS = {"capture_scalar_outputs": False}
_FRAME = re.compile(r'^  File "(.*)", line (\d+), in ', re.M)


class Breaks(logging.Handler):
    """Hears where the graph is broken."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path, self.lines = path, dict[int, str]()

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if not text.startswith("Graph break in"):  # others announce one
            return
        found = told(text, self.path)
        frames = [int(row) for file, row in _FRAME.findall(text) if os.path.abspath(file) == self.path]
        own = found["row"] if found["path"] is None else None
        line = own or (frames[-1] if frames else None)
        if line is not None:
            self.lines.setdefault(line, found["reason"])


def heard(path: str) -> Breaks:
    torch._logging.set_logs(graph_breaks=True)
    breaks = Breaks(path)
    for name in list(logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        if name.startswith("torch._dynamo"):
            logger.handlers[:], logger.propagate = [breaks], False
    return breaks


def done_with(path: str) -> dict:
    torch._dynamo.reset()
    torch.manual_seed(0)
    breaks, raised = heard(path), None
    with contextlib.redirect_stdout(sys.stderr), torch._dynamo.config.patch(**SET_BY_PROGRAMS):
        try:
            runpy.run_path(path, run_name="__main__")
        except Exception as error:
            raised = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return {"breaks": breaks.lines, "raised": raised}


if __name__ == "__main__":
    print(json.dumps({path: done_with(os.path.abspath(path)) for path in sys.argv[1:]}))
