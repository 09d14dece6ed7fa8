"""Runs programs of cells, each in a process of its own, for whoever writes jobs to it line by line.

A job is `{"cells": [{"name", "code", "raises"}], "folder", "seconds", "outputs"}`, an answer
`{"cells": [{"seconds", "stdout", "stderr", "error", "traceback", "pictures"}], "ended"}`. What takes long to
import is imported once, before the processes are forked; nothing else is shared between them.
"""

import base64
import builtins
import contextlib
import importlib
import io
import json
import linecache
import os
import signal
import sys
import tempfile
import time
import traceback
import types

MOST_WORDS = 2000


def main(imports):
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what is printed past `sys.stdout` does not mix with answers
    for name in imports:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for line in sys.stdin:
        answers.write(json.dumps(in_child(json.loads(line))) + "\n")
        answers.flush()


def in_child(job):
    """The answer of a forked process, or how it ended without one, and what it said last."""
    read, write = os.pipe()
    log = tempfile.TemporaryFile()  # noqa: SIM115 - what is written past Python's own streams
    child = os.fork()
    if child == 0:
        os.close(read)
        os.setsid()
        for stream in (1, 2):
            os.dup2(log.fileno(), stream)
        status = 1
        try:
            with os.fdopen(write, "w") as out:
                out.write(json.dumps(run(job)))
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        text, late = read_until(answer, time.monotonic() + job["seconds"])
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)  # those that it has started, too
    _, status = os.waitpid(child, 0)
    try:
        return json.loads(text)
    except ValueError:
        ended = f"took more than {job['seconds']} s" if late else f"ended with status {status}"
        return {"cells": [], "ended": f"{ended}{last_words(log)}"}
    finally:
        log.close()


def last_words(log):
    log.seek(0)
    text = log.read()[-MOST_WORDS:].decode(errors="replace").strip()
    return f"\n{text}" if text else ""


def read_until(pipe, end):
    import select

    parts = []
    while True:
        left = end - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            return b"".join(parts), True
        part = os.read(pipe.fileno(), 1 << 16)
        if not part:
            return b"".join(parts), False
        parts.append(part)


def run(job):
    os.chdir(job["folder"])
    sys.path.insert(0, job["folder"])
    sys.stdin = open(os.devnull)  # noqa: SIM115 - open as long as the process
    module = types.ModuleType("__main__")
    module.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = module
    told = []
    for cell in job["cells"]:
        told.append(run_cell(cell, module.__dict__, job.get("outputs")))
        if told[-1]["error"] and not cell.get("raises"):
            break
    return {"cells": told, "ended": None}


def run_cell(cell, space, outputs):
    begun, printed, said = time.perf_counter(), io.StringIO(), io.StringIO()
    told = {"name": cell["name"], "error": None, "traceback": None, "pictures": []}
    linecache.cache[cell["name"]] = (len(cell["code"]), None, cell["code"].splitlines(True), cell["name"])
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
            shown = execute(cell["code"], cell["name"], space)
        if shown is not None:
            printed.write(repr(shown) + "\n")
    except BaseException as error:
        told["error"] = {
            "classes": [each.__name__ for each in type(error).__mro__],
            "message": str(error),
        }
        told["traceback"] = "".join(traceback.format_exception(without_us(error)))
    told["stdout"], told["stderr"] = printed.getvalue(), said.getvalue()
    told["pictures"] = pictures(keep=outputs)
    told["seconds"] = time.perf_counter() - begun
    return told


def without_us(error):
    """The traceback begins in the cell."""
    while error.__traceback__ is not None and error.__traceback__.tb_frame.f_code.co_filename == __file__:
        error.__traceback__ = error.__traceback__.tb_next
    return error


def execute(code, name, space):
    """The value of the last line, if it is an expression: as notebooks show it."""
    import ast

    tree = ast.parse(code, name)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
        exec(compile(tree, name, "exec", dont_inherit=True), space)
        line = ast.Expression(last.value)
        return eval(compile(line, name, "eval", dont_inherit=True), space)
    exec(compile(tree, name, "exec", dont_inherit=True), space)
    return None


def pictures(keep):
    """The figures that a cell has left open, as PNG; they are closed as after a cell of a notebook."""
    plots = sys.modules.get("matplotlib.pyplot")
    if plots is None:
        return []
    found = []
    for number in plots.get_fignums() if keep else ():
        drawn = io.BytesIO()
        plots.figure(number).savefig(drawn, format="png", dpi=110, bbox_inches="tight")
        found.append(base64.b64encode(drawn.getvalue()).decode())
    plots.close("all")
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
