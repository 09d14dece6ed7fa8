"""Asks Dynamo what it does with a function or module of a file: `compile_report.py REQUEST OUT`.

REQUEST is JSON; OUT is a file, and gets JSON.

The file is run under a name that is not `__main__`, so what it does when it is started is left out.
"""

import importlib
import json
import logging
import os
import re
import runpy
import signal
import sys

MOST = 100  # guards and recompiles that are told
CALLS = 3  # after the first, to see what is compiled again

_AT = re.compile(r"in user code at (.*)")
_FRAME = re.compile(r'^  File "(.*)", line (\d+), in ', re.M)


class Impossible(Exception):
    """Something that the entry needs cannot be made; the text says what."""


# -- what is asked about


def namespace_of(path):
    """What a file defines. One of a package is run as that, so that it can import from the others."""
    folder, parts = os.path.dirname(path), [os.path.splitext(os.path.basename(path))[0]]
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder, name = os.path.split(folder)
        parts.insert(0, name)
    sys.path[0] = folder
    if len(parts) == 1:
        return runpy.run_path(path, run_name="__torchwise__")
    return runpy.run_module(".".join(parts), run_name="__torchwise__")


def entry_in(space, name, path):
    """A function or module, and the first of its arguments that have to be given."""
    found = space
    for part in name.split("."):
        before, found = found, found.get(part) if isinstance(found, dict) else getattr(found, part, None)
        if found is None:
            raise Impossible(f"`{name}` is not in {os.path.basename(path)}")
        if isinstance(found, type):
            found = instance_of(found, space)
    if not callable(found):
        raise Impossible(f"`{name}` cannot be called: it is {type(before).__name__}")
    return found


def instance_of(cls, space):
    """One that the file has made, or a new one."""
    for value in space.values():
        if type(value) is cls:
            return value
    try:
        return cls()
    except TypeError as error:
        raise Impossible(
            f"`{cls.__name__}()` cannot be made: {error}; make one at the top of the file"
        ) from None


def call_of(request, space):
    """What is called, and a function that makes its arguments for a batch that is larger by so many rows."""
    torch = sys.modules["torch"]
    if request.get("call"):
        kept = []

        def keep(*args, **kwargs):
            kept.append((args, kwargs))

        entry = entry_in(space, request["entry"], request["path"])
        eval(f"__torchwise_keep__({request['call']})", {**space, "__torchwise_keep__": keep})
        args, kwargs = kept[0]
        return entry, lambda more: ([grown(value, more) for value in args], kwargs)
    entry = entry_in(space, request["entry"], request["path"])
    made = [input_of(row, torch, request["device"]) for row in request["inputs"]]
    return entry, lambda more: ([grown(value, more) for value in made], {})


def input_of(row, torch, device):
    if row["shape"] is None:
        return row["value"]
    dtype = getattr(torch, row["dtype"] or "float32")
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(row["shape"], dtype=dtype, device=device)
    return torch.zeros(row["shape"], dtype=dtype, device=device)  # an index that is always there


def grown(value, more):
    torch = sys.modules["torch"]
    if more and isinstance(value, torch.Tensor) and value.dim():
        return torch.cat([value, value[:1].expand(more, *value.shape[1:])]).detach()
    return value


def shown(value):
    torch = sys.modules["torch"]
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).replace('torch.', '')}{list(value.shape)} on {value.device}"
    return type(value).__name__ if isinstance(value, torch.nn.Module) else repr(value)[:100]


# -- what Dynamo says


class Heard(logging.Handler):
    def __init__(self, path):
        super().__init__()
        self.path, self.breaks, self.recompiles = path, [], []

    def emit(self, record):
        text = record.getMessage()
        if text.startswith("Graph break in"):  # "Graph break from" and "Graph break:" announce it
            self.take(told(text, self.path))
        elif text.startswith("Recompiling function") and len(self.recompiles) < MOST:
            self.recompiles.append(recompiled(text))

    def take(self, row):
        """A break that is met again is told without its stack."""
        for known in self.breaks:
            if all(known[part] == row[part] for part in ("row", "path", "reason")):
                known["via"] = known["via"] or row["via"]
                known["skipped"] = known["skipped"] or row["skipped"]
                return
        self.breaks.append(row)


def told(text, path):
    """A graph break: where, why, and what would help."""
    at = _AT.search(text)
    head, _, rest = text.partition("Graph Break Reason:")
    before = re.split(r"^  Explanation:", rest or text, maxsplit=1, flags=re.M)[0].strip().splitlines()
    explanation = re.search(r"^  Explanation: (.*)$", text, re.M)
    via = [
        int(outer)
        for place, outer in _FRAME.findall(text.partition("User code traceback:")[2])
        if place == path
    ]
    file, _, row = at[1].rpartition(":") if at else ("", "", "")
    row = int(row) if row.isdigit() else None
    own = row is not None and os.path.abspath(file) == path
    return {
        "row": row,
        "path": None if own or row is None else file,
        "reason": before[-1].strip() if before else head.strip(),
        "explanation": explanation[1].strip() if explanation else "",
        "hints": re.findall(r"^  Hint: (.*)$", text, re.M),
        "skipped": "Skipping the function" in text,
        "via": [outer for outer in via if outer != row],
    }


def recompiled(text):
    function = re.match(r"Recompiling function (\S+) in (.*):(\d+)", text)
    reasons = re.findall(r"^[ \t]*- (?:\d+/\d+: )?(.*)$", text, re.M)
    return {
        "function": function[1] if function else "",
        "row": int(function[3]) if function else None,
        "reasons": reasons,
    }


def listen(path):
    torch = sys.modules["torch"]
    torch._logging.set_logs(graph_breaks=True, recompiles=True)
    heard = Heard(path)
    for name, logger in list(logging.root.manager.loggerDict.items()):
        if isinstance(logger, logging.Logger) and name.startswith("torch._dynamo"):
            logger.handlers[:] = [heard]
            logger.propagate = False
    return heard


def guards_of(explained):
    """Those on what the user's code reads; the many on torch's own state say nothing."""
    lines = {line for guard in explained.out_guards or () for line in guard.code_list or ()}
    return sorted(line for line in lines if not re.search(r"_dynamo_|__import_torch|^torch\.|^utils_", line))[
        :MOST
    ]


def compile_again(entry, arguments, heard):
    """With the same inputs, and with larger batches: what of it is compiled anew, and why."""
    torch, dynamo = sys.modules["torch"], sys.modules["torch._dynamo"]
    dynamo.reset()
    breaks = list(heard.breaks)
    compiled = torch.compile(entry, backend="eager")
    for more in (0, *range(CALLS)):
        args, kwargs = arguments(more)
        compiled(*args, **kwargs)
    heard.breaks[:] = breaks


def report(request):
    path = os.path.abspath(request["path"])
    importlib.import_module("torch").manual_seed(0)  # the same report each time, whichever branch it takes
    space = namespace_of(path)
    entry, arguments = call_of(request, space)
    args, kwargs = arguments(0)
    found = {"inputs": [shown(value) for value in [*args, *kwargs.values()]]}
    entry(*args, **kwargs)  # what fails without the compiler is no matter of the compiler
    dynamo = importlib.import_module("torch._dynamo")
    heard = listen(path)
    explained = dynamo.explain(entry)(*args, **kwargs)
    found.update(
        graphs=explained.graph_count,
        operations=explained.op_count,
        guards=guards_of(explained),
        breaks=heard.breaks,
    )
    try:
        compile_again(entry, arguments, heard)
    except Exception as error:
        found["error"] = f"{type(error).__name__}: {str(error)[:300]}"
    found["recompiles"] = heard.recompiles
    return found


def main(request, out):
    asked = json.loads(request)
    sys.argv = [asked["path"]]
    try:
        found = report(asked)
    except Impossible as error:
        found = {"impossible": str(error)}
    except BaseException as error:
        found = {"error": f"{type(error).__name__}: {str(error)[:500]}"}
    with open(out, "w") as file:
        json.dump(found, file)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who started us may have been told to ignore it
    main(*sys.argv[1:])
