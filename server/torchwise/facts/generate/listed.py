"""The public names of an unpacked torch with their parameters, read from its files alone.

What `names` finds by asking a torch that runs, as far as sources and stubs say it: functions and classes,
wherever they are defined and from wherever they are handed on, and the methods and attributes of tensors. A
value that is made at run time (`relu6 = ...`) is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from torchwise.facts.generate.names import MODULES, is_public, stub_parameters, stubs

Definition = ast.FunctionDef | ast.ClassDef
FUNCTIONS, TENSOR = "_C/_VariableFunctions.pyi", "_C/__init__.pyi"


def listed(root: Path) -> dict[str, dict[str, list[str]]]:
    """`{"torch": {"add": ["input, other, *, alpha=1, out=None", ...]}, ..., "torch.Tensor": {...}}`."""
    table = {module: of_module(root, module) for module in MODULES}
    table["torch"] = {**public(stubs(FUNCTIONS, root=root / "torch")), **table["torch"]}
    table["torch.Tensor"] = of_tensor(root)
    return table


def of_module(root: Path, module: str) -> dict[str, list[str]]:
    found = {name: definition(root, module, name) for name in offered(root, module)}
    return public({name: parameters(node) for name, node in found.items() if node is not None})


def of_tensor(root: Path) -> dict[str, list[str]]:
    """Methods in Python, methods in C++ by their stubs, and attributes."""
    base = class_in(root / "torch" / TENSOR, "TensorBase")
    attributes = [
        node.target.id
        for node in base.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    own = class_in(root / "torch" / "_tensor.py", "Tensor")
    methods = {node.name: parameters(node) for node in own.body if isinstance(node, ast.FunctionDef)}
    in_stubs = stubs(TENSOR, "TensorBase", root=root / "torch")
    return public({**{name: [] for name in attributes}, **in_stubs, **methods})


def public(table: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: found for name, found in table.items() if is_public(name)}


def parameters(node: Definition) -> list[str]:
    """A class goes by those of its constructor; of one that inherits it they are not known."""
    if isinstance(node, ast.FunctionDef):
        return [stub_parameters(node.args)]
    made = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
    return [stub_parameters(made[-1].args)] if made else []


def definition(root: Path, module: str, name: str, depth: int = 0) -> Definition | None:
    """Where a name is defined that a module has, in it or in the module that it comes from."""
    found = offered(root, module).get(name)
    if not isinstance(found, tuple) or depth > 9:
        return found if not isinstance(found, tuple) else None
    return definition(root, *found, depth + 1)


@cache
def offered(root: Path, module: str) -> dict[str, Definition | tuple[str, str]]:
    """A module's functions and classes, and the names that it takes from other modules of torch."""
    path = file_of(root, module)
    found: dict[str, Definition | tuple[str, str]] = {}
    for node in top_level(ast.parse(path.read_text(encoding="utf-8")).body) if path else ():
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.ImportFrom):
            source = source_of(module, node, path is not None and path.name == "__init__.py")
            if source.partition(".")[0] == "torch":
                for alias in node.names:
                    names = offered(root, source) if alias.name == "*" else [alias.name]
                    found |= {
                        alias.asname or name: (source, name)
                        for name in names
                        if alias.name != "*" or is_public(name)
                    }
    return found


def top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, and those under its tests and `try`."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try):
            yield from top_level(node.body)
            yield from top_level(node.orelse)


def source_of(module: str, node: ast.ImportFrom, package: bool) -> str:
    """The module that `from ..autograd import x` takes from."""
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    above = parts[: len(parts) - node.level + package]
    return ".".join([*above, *((node.module,) if node.module else ())])


def file_of(root: Path, module: str) -> Path | None:
    path = root.joinpath(*module.split("."))
    candidates = (path / "__init__.py", path.with_suffix(".py"))
    return next((candidate for candidate in candidates if candidate.exists()), None)


def class_in(path: Path, name: str) -> ast.ClassDef:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return next(node for node in body if isinstance(node, ast.ClassDef) and node.name == name)
