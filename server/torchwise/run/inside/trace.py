"""Runs a file, and writes down the tensors that its assignments bind: `trace.py FILE OUT`.

A row is read when the statement has ended: that is when the frame goes on to a line outside it, or returns.
"""

import ast
import importlib
import json
import os
import runpy
import signal
import sys

MOST_FORMS = 20  # of one name at one statement


def names_in(target):
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Starred):
        yield from names_in(target.value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from names_in(element)


def bound_by(node):
    """Names that a simple statement binds; a loop or `with` binds them in its header."""
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.For, ast.AsyncFor)):
        targets = [node.target]
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
    else:
        targets = []
    names = [name for target in targets for name in names_in(target)]
    heads = [getattr(node, part) for part in ("test", "iter") if hasattr(node, part)]
    own = heads if hasattr(node, "body") else [node]
    inner = [found for part in own for found in ast.walk(part)]
    return names + [found.target.id for found in inner if isinstance(found, ast.NamedExpr)]


def statements(tree):
    """By first row: the last row of what is run as one (a header ends before its body), and the names."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            names = bound_by(node)
            if names:
                body = getattr(node, "body", None)
                end = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno
                last, known = found.get(node.lineno, (end, []))
                found[node.lineno] = max(last, end), known + names
    return found


def imports_torch(tree):
    names = [alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom)]
    return any(name.split(".")[0] == "torch" for name in names)


class Recorder:
    def __init__(self, path, found):
        self.path, self.found, self.rows, self.open = path, found, {}, {}
        self.torch = None

    def __call__(self, frame, event, argument):
        return self.local if frame.f_code.co_filename == self.path else None

    def local(self, frame, event, argument):
        key, row = id(frame), frame.f_lineno
        start = self.open.get(key)
        if start is not None and (event == "return" or self.has_left(event, start, row)):
            self.keep(frame, self.open.pop(key))
        if event == "line" and row in self.found:
            self.open[key] = row
        elif event == "exception":
            self.open.pop(key, None)
        return self.local

    def has_left(self, event, start, row):
        return event == "line" and (row == start or not start <= row <= self.found[start][0])

    def keep(self, frame, row):
        torch = self.torch or sys.modules.get("torch")
        if torch is None or not hasattr(torch, "Tensor"):
            return
        self.torch = torch
        for name in self.found[row][1]:
            value = frame.f_locals.get(name, frame.f_globals.get(name))
            if isinstance(value, torch.Tensor):
                forms = self.rows.setdefault((row, name), [])
                form = self.form(value)
                if form is not None and form not in forms and len(forms) < MOST_FORMS:
                    forms.append(form)

    def form(self, tensor):
        try:
            return {
                "shape": [int(size) for size in tensor.shape],
                "dtype": str(tensor.dtype).replace("torch.", ""),
                "device": str(tensor.device),
                "requires_grad": bool(tensor.requires_grad),
            }
        except Exception:  # a subclass, or one that is not made yet
            return None

    def table(self):
        return [
            dict(row=row, name=name, **form)
            for (row, name), forms in sorted(self.rows.items())
            for form in forms
        ]


def main(path, out):
    error = None
    recorder = Recorder(path, {})
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read(), path)
        recorder.found = statements(tree)
        if imports_torch(tree):  # every call is slow while a trace is on, and an import makes many
            importlib.import_module("torch")
        sys.argv = [path]
        sys.settrace(recorder)
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        error = None if end.code in (None, 0) else f"SystemExit: {end.code}"
    except BaseException as raised:
        error = f"{type(raised).__name__}: {str(raised)[:500]}"
    finally:
        sys.settrace(None)
        with open(out, "w") as file:
            json.dump({"rows": recorder.table(), "error": error}, file)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who started us may have been told to ignore it
    sys.path[0] = os.path.dirname(sys.argv[1])  # as if the file had been started itself
    main(*sys.argv[1:])
