"""The public names of torch, with the parameters of whatever can be called.

Operators written in C++ are read from the stubs that torch ships (every overload), the rest from signatures.
A parameter is written as in source: `"input, other, *, alpha=1, out=None"`.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import warnings
from functools import cache
from pathlib import Path

import torch

ROOT = Path(torch.__file__).parent
MODULES = (
    "torch",
    "torch.amp",
    "torch.autograd",
    "torch.autograd.functional",
    "torch.autograd.graph",
    "torch.backends",
    "torch.compiler",
    "torch.cuda",
    "torch.distributed",
    "torch.distributions",
    "torch.export",
    "torch.fft",
    "torch.func",
    "torch.jit",
    "torch.linalg",
    "torch.nn",
    "torch.nn.attention",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.parallel",
    "torch.nn.utils",
    "torch.nn.utils.parametrizations",
    "torch.nn.utils.parametrize",
    "torch.nn.utils.prune",
    "torch.nn.utils.rnn",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.optim.swa_utils",
    "torch.profiler",
    "torch.random",
    "torch.serialization",
    "torch.special",
    "torch.utils.checkpoint",
    "torch.utils.data",
    "torch.utils.data.distributed",
)


def names() -> dict[str, dict[str, list[str]]]:
    """`{"torch": {"add": ["input, other, *, alpha=1, out=None", ...]}, ..., "torch.Tensor": {...}}`.

    An empty list: known to exist, its parameters are not. Classes go by the parameters of their constructors.
    """
    table = {module: of_module(module) for module in MODULES}
    table["torch.Tensor"] = {
        name: signatures_of_method(name) for name in dir(torch.Tensor) if is_public(name)
    }
    return table


def classes() -> dict[str, list[str]]:
    """Public classes by what they are: layers, losses, optimizers, schedulers, distributions."""
    nn, optim, schedulers = torch.nn, torch.optim, torch.optim.lr_scheduler
    return {
        "losses": sorted(name for name in subclasses("torch.nn", nn.Module) if name.endswith("Loss")),
        "modules": subclasses("torch.nn", nn.Module),
        "optimizers": subclasses("torch.optim", optim.Optimizer),
        "schedulers": subclasses("torch.optim.lr_scheduler", schedulers.LRScheduler),
        "distributions": subclasses("torch.distributions", torch.distributions.Distribution),
    }


def dtypes() -> list[str]:
    return sorted(name for name in dir(torch) if isinstance(getattr(torch, name), torch.dtype))


def subclasses(module: str, base: type) -> list[str]:
    found = importlib.import_module(module)
    return sorted(
        name
        for name in dir(found)
        if is_public(name) and inspect.isclass(thing := getattr(found, name)) and issubclass(thing, base)
    )


def of_module(name: str) -> dict[str, list[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module(name)
        found = {}
        for member in dir(module):
            thing = getattr(module, member, None)
            if is_public(member) and not inspect.ismodule(thing) and belongs(thing, member, module):
                found[member] = signatures_of(thing, member)
    return found


def belongs(thing: object, member: str, module: object) -> bool:
    """Whether a member is torch's own: `torch.nn.functional.warnings` or `Optional` are not."""
    if member in getattr(module, "__all__", ()):
        return True
    owner = getattr(thing, "__module__", None)
    return not isinstance(owner, str) or owner.partition(".")[0] == "torch"


def is_public(name: str) -> bool:
    return not name.startswith("_")


def signatures_of(thing: object, name: str) -> list[str]:
    if not callable(thing):
        return []
    return (
        python_signature(thing) or stubs("_C/_VariableFunctions.pyi").get(name, []) or from_docstring(thing)
    )


def signatures_of_method(name: str) -> list[str]:
    method = getattr(torch.Tensor, name)
    return python_signature(method) or stubs("_C/__init__.pyi", "TensorBase").get(name, [])


def python_signature(thing: object) -> list[str]:
    if not inspect.isfunction(thing) and not inspect.isclass(thing):
        return []
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return []
    parameters = [
        p.replace(annotation=p.empty, default=p.default if p.default is p.empty else Shown(p.default))
        for p in signature.parameters.values()
        if p.name != "self"
    ]
    return [str(signature.replace(parameters=parameters, return_annotation=signature.empty))[1:-1]]


class Shown:
    """A default value as it is printed in a signature: short, and the same in every run."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        text = repr(self.value)
        return "..." if " at 0x" in text or "<" in text or len(text) > 24 else text


@cache
def stubs(file: str, inside: str | None = None, root: Path = ROOT) -> dict[str, list[str]]:
    """The parameters of each function of a stub file, or of a class in it: one text for each overload."""
    tree = ast.parse((root / file).read_text(encoding="utf-8"))
    body = tree.body
    if inside:
        body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == inside)
    found: dict[str, list[str]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            text = stub_parameters(node.args)
            if text not in found.setdefault(node.name, []):
                found[node.name].append(text)
    return found


def stub_parameters(arguments: ast.arguments) -> str:
    for argument in [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    ]:
        if argument:
            argument.annotation = None
    return ast.unparse(arguments).removeprefix("self, ").removeprefix("self")


def from_docstring(thing: object) -> list[str]:
    """`"cholesky(A, *, upper=False, out=None) -> Tensor"`, where a docstring begins so."""
    docstring = getattr(thing, "__doc__", None)
    first, _, _ = docstring.strip().partition("\n") if isinstance(docstring, str) else ("", "", "")
    opening, _, rest = first.partition("(")
    parameters, closing, _ = rest.rpartition(")")
    return [parameters] if closing and opening.rpartition(".")[2].isidentifier() else []
