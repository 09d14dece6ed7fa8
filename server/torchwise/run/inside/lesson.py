"""What a lesson's kernel has to begin with, and programs that stand beside the lesson's own.

The lesson runs in a folder that goes with the kernel. `device` is what its snippets compute on.
"""

import atexit
import linecache
import os
import shutil
import sys
import tempfile


def begin(space):
    folder = tempfile.mkdtemp(prefix="torchwise-lesson-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chdir(folder)
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    try:
        import torch
    except ImportError:
        return
    device = os.environ.get("TORCHWISE_DEVICE", "cpu")
    space["device"] = torch.device("cuda:0" if device.startswith("cuda") else "cpu")


def program(parts, files):
    """Runs texts one after another in a namespace of their own; modules that they import lie beside them."""
    for name, text in files.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
        sys.modules.pop(os.path.splitext(name)[0], None)
    if files and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    space = {"__name__": "__main__"}
    for name, text in parts:
        path = f"<{name}>"
        linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
        exec(compile(text, path, "exec"), space)


class Stopped(BaseException):
    """Carries what a program raised past our frames, which tell its reader nothing."""


def run(space, parts, files):
    from IPython import get_ipython

    get_ipython().set_custom_exc((Stopped,), show_stopped)
    try:
        program(parts, files)
    except BaseException as error:
        raise Stopped(error) from None


def show_stopped(shell, kind, stopped, trace, tb_offset=None):
    (error,) = stopped.args
    frames = error.__traceback__
    while frames.tb_next and frames.tb_frame.f_globals is program.__globals__:
        frames = frames.tb_next
    shell.showtraceback((type(error), error, frames), tb_offset=0)
