"""Deprecated names and arguments, from the warnings in torch's own Python sources.

Read are the decorator `@deprecated("...")`, a call `warnings.warn("...", FutureWarning)` with any deprecation
category, the directive `.. deprecated::` in a docstring, a sentence of a docstring such as "torch.qr is
deprecated in favor of ...", and a function that only raises that it was removed. A warning under a condition
speaks of an argument or a state: the condition is kept as `when`."""

from __future__ import annotations

import ast
import importlib
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import torch

from torchwise.facts.generate.names import names

ROOT = Path(torch.__file__).parent
CATEGORIES = {"DeprecationWarning", "FutureWarning", "PendingDeprecationWarning"}
DECORATORS = {"deprecated", "_deprecated"}

# Parts of torch that no user's code calls.
INTERNAL = (
    "_decomp",
    "_dynamo",
    "_export",
    "_functorch/_aot_autograd",
    "_higher_order_ops",
    "_inductor",
    "_numpy",
    "_prims",
    "_prims_common",
    "_refs",
    "_vendor",
    "distributed/_tools",
    "fx/experimental/unification",
    "onnx/_internal",
    "testing/_internal",
    "utils/benchmark",
    "utils/tensorboard",
)

# "`torch.cuda.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast(...)` instead."
SUBJECT = re.compile(r"`(torch\.[\w.]+)[^`]*` (?:is|was|has been|will be) ")
REPLACEMENT = re.compile(
    r"(?:[Uu]se|[Ss]witch to|[Ss]ee|in favor of|renamed to) (?:[a-z]+ )?"
    r"(?::\w+:)?`+~?(?:with )?([A-Za-z_][\w.]*)[^`]*`"
)
DOCUMENTED = re.compile(
    r"(?:This function|:func:`[\w.]+`|`*torch\.[\w.]+`*) is (?:now )?deprecated.*?[^.]\.(?=\s|$)", re.S
)

Entry = dict[str, str]


def deprecations() -> list[Entry]:
    """`[{"name": "torch.cuda.amp.autocast", "message": ..., "kind": ..., "replacement"?, "when"?}]`."""
    return distinct([entry for path in sources() for entry in of_module(path)] + documented())


def distinct(entries: Iterable[Entry]) -> list[Entry]:
    """Each once, in order, with what takes its place."""
    unique = {(entry["name"], entry["message"], entry.get("when", "")): entry for entry in entries}
    return [with_replacement(unique[key]) for key in sorted(unique)]


def with_replacement(entry: Entry) -> Entry:
    found = REPLACEMENT.search(entry["message"])
    return entry | {"replacement": found[1].removesuffix(".")} if found else entry


def documented() -> list[Entry]:
    """Operators written in C++ say it in their docstrings alone."""
    entries = []
    for module, members in names().items():
        for member in members:
            docstring = docstring_of(reached(module, [member]))
            if found := DOCUMENTED.search(docstring):
                message = " ".join(found[0].split())
                entries.append({"kind": "documented", "message": message, "name": f"{module}.{member}"})
    return entries


def sources() -> list[Path]:
    return [
        path
        for path in sorted(ROOT.rglob("*.py"))
        if not path.relative_to(ROOT).as_posix().startswith(INTERNAL)
    ]


def of_module(path: Path) -> Iterator[Entry]:
    text = path.read_text(encoding="utf-8")
    if "deprecated" not in text and not any(category in text for category in CATEGORIES):
        return
    parts = ("torch", *path.relative_to(ROOT).with_suffix("").parts)
    module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    reader = Reader(module)
    reader.visit(ast.parse(text))
    for entry in reader.entries:
        subject = SUBJECT.match(entry["message"])
        name = subject[1] if subject else public_name(module, entry["name"])
        if name and not is_private_path(name):
            yield entry | {"name": name}


def docstring_of(thing: object) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # asking an object that is deprecated as a whole makes it say so
        docstring = getattr(thing, "__doc__", None)
    return docstring if isinstance(docstring, str) else ""


@dataclass
class Reader(ast.NodeVisitor):
    """Goes through one module, and keeps the definitions it is in and the conditions in the innermost."""

    module: str
    inside: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    strings: dict[str, str] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)

    def add(self, kind: str, message: str, name: tuple[str, ...]) -> None:
        entry = {"kind": kind, "message": " ".join(message.split()), "name": ".".join(name)}
        if self.conditions and kind == "warning":
            entry["when"] = " and ".join(self.conditions)
        self.entries.append(entry)

    def visit_definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        name = (*self.inside, node.name)
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and last_name(decorator.func) in DECORATORS and decorator.args:
                self.add("decorator", self.text_of(decorator.args[0]), name)
        # Only at the left: further in, it speaks of an argument.
        if directive := re.search(
            r"^\.\. deprecated::.*\n((?: +.*\n?)+)", ast.get_docstring(node) or "", re.M
        ):
            self.add("directive", directive[1], name)
        match node.body[1:] if ast.get_docstring(node) else node.body:
            case [ast.Raise(exc=ast.Call(args=[message, *_]))] if "removed" in (
                text := self.text_of(message)
            ):
                self.add("removed", text, name)
        outer = self.inside, self.conditions
        self.inside, self.conditions = name, ()
        for statement in node.body:
            self.visit(statement)
        self.inside, self.conditions = outer

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_definition

    def visit_If(self, node: ast.If) -> None:
        condition = " ".join(ast.unparse(node.test).split())
        if condition.startswith("sys.version_info >="):
            for statement in node.orelse:  # one of two wordings of the same, by Python's version
                self.visit(statement)
            return
        for body, text in (node.body, condition), (node.orelse, f"not ({condition})"):
            outer = self.conditions
            self.conditions = (*outer, text)
            for statement in body:
                self.visit(statement)
            self.conditions = outer

    def visit_Call(self, node: ast.Call) -> None:
        if last_name(node.func) == "warn" and node.args and warns_of_deprecation(node):
            self.add("warning", self.text_of(node.args[0]), self.inside)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        # `set_device_idx = deprecated("...")(set_device_index)`
        call = node.value.func if isinstance(node.value, ast.Call) else None
        if isinstance(call, ast.Call) and last_name(call.func) in DECORATORS and call.args:
            for target in node.targets:
                self.add("decorator", self.text_of(call.args[0]), (*self.inside, last_name(target)))
        if isinstance(node.value, ast.Constant | ast.JoinedStr | ast.BinOp):
            self.strings |= {last_name(target): self.text_of(node.value) for target in node.targets}
        self.generic_visit(node)

    def text_of(self, node: ast.expr) -> str:
        """The text of a message, its unknown parts in braces."""
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.JoinedStr(values=parts):
                return "".join(self.text_of(part) for part in parts)
            case ast.FormattedValue(value=value):
                return "{" + ast.unparse(value) + "}"
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.text_of(left) + self.text_of(right)
            case ast.Name(id=name) if name in self.strings:
                return self.strings[name]
            case ast.Name(id=name) if isinstance(constant := reached(self.module, [name]), str):
                return constant
            case _:
                return "{" + ast.unparse(node) + "}"


def warns_of_deprecation(node: ast.Call) -> bool:
    category = node.args[1] if len(node.args) > 1 else None
    for keyword in node.keywords:
        if keyword.arg == "category":
            category = keyword.value
    return category is not None and last_name(category) in CATEGORIES


def last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def public_name(module: str, name: str) -> str | None:
    """The shortest dotted path by which a user reaches what is defined here; None for what is private.

    `script` of `torch.jit._script` is `torch.jit.script`: the packages above are asked for the same object. A
    constructor goes by the name of its class, and a function inside a function by that of the outer one.
    """
    path = name.removesuffix(".__init__").removesuffix(".__new__").split(".") if name else []
    for depth in range(len(path), 0, -1):
        if (defined := reached(module, path[:depth])) is not None:
            candidates = (offered(prefix, path[:depth], defined) for prefix in enclosing(module))
            return next((name for name in candidates if name and not is_private_path(name)), None)
    return None if path or is_private_path(module) else module


def enclosing(module: str) -> list[str]:
    """`torch`, `torch.jit`, `torch.jit._script`"""
    parts = module.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts) + 1)]


def offered(module: str, path: list[str], thing: object) -> str | None:
    """The name under which a module has this very object: `torch.symeig` is `_symeig` where it is defined."""
    if reached(module, path) is thing:
        return ".".join([module, *path])
    members = vars(importlib.import_module(module)) if path[0].startswith("_") else {}
    return next((f"{module}.{name}" for name, member in members.items() if member is thing), None)


def is_private_path(name: str) -> bool:
    return any(is_private(part) for part in name.split("."))


def is_private(part: str) -> bool:
    return part.startswith("_") and not part.startswith("__")


def reached(module: str, path: list[str]) -> object | None:
    if module == "torch.Tensor":
        module, path = "torch", ["Tensor", *path]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found: object = importlib.import_module(module)
        except (
            Exception
        ):  # a module of torch may need a package that is not installed, and says so in its own ways
            return None
        for part in path:
            found = getattr(found, part, None)
        return found
