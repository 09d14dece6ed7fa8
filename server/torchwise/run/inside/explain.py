"""Asks Dynamo what it does with a call that stands in a notebook's cell, in the notebook's own kernel.

It is sent behind `compile_report.py`, whose words it uses. The call is evaluated with what the kernel holds
now. What is compiled already is compiled anew afterwards.
"""

import ast
import contextlib
import importlib
import linecache
import logging
import re
import sys

KIND = "application/vnd.torchwise.compiled+json"

_ABOVE = globals()
Impossible, guards_of, listen, shown = (
    _ABOVE[name] for name in ("Impossible", "guards_of", "listen", "shown")
)

_TIMED = re.compile(r"^[ \t]*%{1,2}(?:time|timeit)\b[ \t]*", re.M)  # what is behind it is Python


def python_of(source):
    """Without magics, as IPython would run it."""
    from IPython import get_ipython

    shell = get_ipython()
    source = _TIMED.sub("", source)
    return shell.transform_cell(source) if shell is not None else source


def valued(node, space):
    """What a name, or an attribute of one, is; None for all else, so that nothing is called to find out."""
    if isinstance(node, ast.Name):
        return space.get(node.id)
    if isinstance(node, ast.Attribute):
        holder = valued(node.value, space)
        return None if holder is None else vars(type(holder)).get(node.attr) or attribute(holder, node.attr)
    return None


def attribute(holder, name):
    try:
        return getattr(holder, name, None)
    except Exception:
        return None


def worth(value):
    """How likely it is meant: compiled, a module, a function of the notebook; 0 for what is not."""
    torch = sys.modules["torch"]
    if hasattr(value, "_orig_mod") or hasattr(value, "_torchdynamo_orig_callable"):
        return 3
    if isinstance(value, torch.nn.Module):
        return 2
    return 1 if getattr(value, "__module__", None) == "__main__" and hasattr(value, "__code__") else 0


def chosen_call(source, space):
    """The call, what is called, and its name."""
    try:
        tree = ast.parse(python_of(source))
    except SyntaxError as error:
        raise Impossible(f"the cell is not Python: {error.msg}") from None
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    rated = [(worth(valued(call.func, space)), call) for call in calls]
    best = max((rate for rate, _ in rated), default=0)
    if not best:
        raise Impossible(
            "no call of a compiled function, a module or a function of this notebook is in the cell"
        )
    call = next(call for rate, call in rated if rate == best)
    return call, valued(call.func, space), ast.unparse(call.func)


def arguments_of(call, space):
    kept = []
    call.func = ast.Name("__torchwise_keep__", ast.Load())
    expression = ast.fix_missing_locations(ast.Expression(call))

    def keep(*args, **kwargs):
        kept.append((args, kwargs))

    try:
        eval(compile(expression, "<call>", "eval"), {**space, "__torchwise_keep__": keep})
    except Exception as error:
        raise Impossible(
            f"its arguments cannot be made now ({type(error).__name__}: {error}); run the cells before it"
        ) from None
    return kept[0]


def uncompiled(value):
    return getattr(value, "_orig_mod", None) or getattr(value, "_torchdynamo_orig_callable", None) or value


def file_of(entry):
    code = getattr(entry, "__code__", None) or getattr(
        getattr(type(entry), "forward", None), "__code__", None
    )
    return code.co_filename if code else ""


@contextlib.contextmanager
def listening(path):
    """As `listen`, and afterwards the loggers are as they were."""
    loggers = [
        logger
        for name, logger in logging.root.manager.loggerDict.items()
        if isinstance(logger, logging.Logger) and name.startswith("torch._dynamo")
    ]
    before = [(logger, list(logger.handlers), logger.propagate, logger.level) for logger in loggers]
    try:
        yield listen(path)
    finally:
        sys.modules["torch"]._logging.set_logs()
        for logger, handlers, propagate, level in before:
            logger.handlers[:], logger.propagate = handlers, propagate
            logger.setLevel(level)


def with_sources(breaks, path):
    """The text of the cell that each stands in: the page knows cells by their texts."""
    for row in breaks:
        row["source"] = "".join(linecache.getlines(row["path"] or path))
    return breaks


def explained(source, space):
    if "torch" not in sys.modules:
        raise Impossible("torch has not been imported in this kernel yet")
    dynamo = importlib.import_module("torch._dynamo")
    call, value, name = chosen_call(source, space)
    args, kwargs = arguments_of(call, space)
    entry = uncompiled(value)
    path = file_of(entry)
    found = {"entry": name, "inputs": [shown(value) for value in [*args, *kwargs.values()]]}
    with listening(path) as heard:
        try:
            told = dynamo.explain(entry)(*args, **kwargs)
        finally:
            dynamo.reset()
    found.update(graphs=told.graph_count, operations=told.op_count, guards=guards_of(told))
    return {**found, "breaks": with_sources(heard.breaks, path)}


def explain(space, source):
    from IPython.display import display

    try:
        found = explained(source, space)
    except Impossible as error:
        found = {"impossible": str(error)}
    except Exception as error:
        found = {"error": f"{type(error).__name__}: {str(error)[:500]}"}
    display({KIND: found}, raw=True)
