"""The first thing that a kernel of ours runs: limits at the source, the lesson's `device`, names to report.

`OPTIONS` is put in by who sends it. Nothing of this stays in the user's namespace.
"""

import contextlib
import os
import sys
import types

from IPython import get_ipython

OPTIONS = globals().get("OPTIONS", {})
SHELL = get_ipython()
TOLD = types.ModuleType("torchwise_kernel")  # what can be asked of us later on


def show_devices():
    """On a server the environment cannot be given along, but torch has not looked at it yet."""
    for name, value in (OPTIONS.get("environment") or {}).items():
        os.environ[name] = value


def limit_memory():
    most = OPTIONS.get("memory_bytes")
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if most:
        # Of what is written to, not of what is only reserved: drivers and allocators reserve a lot.
        kind = resource.RLIMIT_DATA if sys.platform.startswith("linux") else resource.RLIMIT_AS
        resource.setrlimit(kind, (most, most))


class Budget:
    """What one snippet may still send. The exact limit is kept outside; this stops a flood at its source."""

    def __init__(self, most):
        self.most = self.left = most

    def reset(self, *_):
        self.left = self.most

    def become(self, most):
        self.most = most

    def takes(self, size):
        self.left -= size
        return self.left + size > 0


def bound_stream(stream, budget):
    write = stream.write

    def bounded(text):
        if not isinstance(text, str):
            return write(text)  # raises as it does
        left = max(budget.left, 0)
        if budget.takes(len(text)):
            write(text[: left + 1])  # one more than fits, so that the outside sees that there was more
        return len(text)

    stream.write = bounded
    stream.flush_interval = 0.05


def bound_displays(budget):
    def fits(message):
        content = message["content"].get("data") or {}
        size = sum(len(value) if isinstance(value, (str, bytes)) else 100 for value in content.values())
        if size <= budget.most and budget.takes(size):
            return message
        message["content"]["data"] = {"text/plain": "x" * min(budget.most + 1, size)}
        return message if budget.left + size > -budget.most else None

    for publisher in (SHELL.display_pub, SHELL.displayhook):
        if hasattr(publisher, "register_hook"):
            publisher.register_hook(fits)


def bound_output():
    if OPTIONS.get("output_bytes"):
        budget = Budget(OPTIONS["output_bytes"])
        SHELL.events.register("pre_run_cell", budget.reset)
        TOLD.most = budget.become
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "flush_interval"):
                bound_stream(stream, budget)
        bound_displays(budget)


def tell_crashes():
    """To the real standard error: Python's own is not sent any more when a process dies."""
    import faulthandler

    try:
        real = sys.stderr.fileno()
    except (OSError, ValueError, AttributeError):  # Python's own is the real one
        real = sys.__stderr__
    with contextlib.suppress(OSError, ValueError, AttributeError, RuntimeError):
        faulthandler.enable(file=real, all_threads=False)


def names_of(namespace, known):
    """What the user's code has bound so far, modules apart."""
    names = [
        name
        for name, value in list(namespace.items())
        if not name.startswith("_") and name not in known and not isinstance(value, types.ModuleType)
    ]
    return ",".join(names[:100])


def become(space, path):
    """What Python does for a file that is started."""
    space["__file__"] = path
    sys.argv = [path]
    folder = os.path.dirname(path)
    if folder not in sys.path:
        sys.path.insert(0, folder)


def main():
    show_devices()
    limit_memory()
    bound_output()
    tell_crashes()
    space = SHELL.user_ns
    if OPTIONS.get("device"):
        import torch

        space["device"] = torch.device(OPTIONS["device"])
    known = set(space) | {"In", "Out", "exit", "quit", "get_ipython"}
    TOLD.names = lambda: names_of(space, known)
    TOLD.become = lambda path: become(space, path)
    sys.modules["torchwise_kernel"] = TOLD


main()
