"""Signatures of torch's own functions and classes, read from the sources and stubs of the user's environment.

Nothing is imported: a name is followed through the imports of the modules as far as the definition.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from torchwise.syntax.parser import parse

MOST_SHOWN = 3  # overloads
WIDTH = 92

Names = tuple[str, ...]


@dataclass
class _Class:
    bases: list[str] = field(default_factory=list)
    methods: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class _Outline:
    """What a module defines and imports at its top, also below `if` and `try`."""

    functions: dict[str, list[str]] = field(default_factory=dict)  # name -> "(x: int) -> int"
    classes: dict[str, _Class] = field(default_factory=dict)
    imports: dict[str, Names] = field(default_factory=dict)
    stars: list[Names] = field(default_factory=list)
    documented: dict[str, str] = field(default_factory=dict)  # assigned with a docstring that begins with it


def packages_of(interpreter: str | None) -> Path | None:
    """The folder that has the torch of an interpreter; without one, of this process."""
    if interpreter and Path(interpreter).absolute() != Path(sys.executable).absolute():
        prefix = Path(interpreter).absolute().parent.parent
        places = [*prefix.glob("lib/python3*/site-packages"), *prefix.glob("lib/python3*/dist-packages")]
        places += [prefix / "Lib" / "site-packages", prefix.parent / "Lib" / "site-packages"]
        return next((place for place in places if (place / "torch").is_dir()), None)
    found = find_spec("torch")
    return Path(found.origin).parents[1] if found and found.origin else None


@functools.lru_cache(maxsize=2000)
def signatures(packages: Path, symbol: str) -> tuple[str, ...]:
    """`torch.Tensor.view` -> ("view(dtype: _dtype) -> Tensor", ...); () where it is not found."""
    first, *rest = symbol.split(".")
    found = _Search(packages).of((first,), tuple(rest))
    whole = dict.fromkeys(f"{symbol.rpartition('.')[2]}{text}" for text in found)
    return tuple(sorted(whole, key=len))


def shown(symbol: str, found: tuple[str, ...]) -> str:
    """As Python, the overloads below each other; long ones with a line for each parameter."""
    owner = symbol.rpartition(".")[0]
    lines = [_broken(f"{owner}.{text}") for text in found[:MOST_SHOWN]]
    if len(found) > MOST_SHOWN:
        lines.append(f"# and {len(found) - MOST_SHOWN} more")
    return "\n".join(lines)


def _broken(text: str) -> str:
    head, _, rest = text.partition("(")
    inner, arrow, result = rest.rpartition(") -> ") if ") -> " in rest else (rest[:-1], "", "")
    if len(text) <= WIDTH:
        return text
    rows = "".join(f"    {part},\n" for part in _split(inner))
    return f"{head}(\n{rows}{arrow or ')'}{result}"


def _split(inner: str) -> list[str]:
    """At commas outside of brackets."""
    parts, depth = [""], 0
    for character in inner:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


@dataclass
class _Search:
    """Stateful: what was looked for already, so that circles of imports end."""

    packages: Path
    seen: set[tuple[Names, Names]] = field(default_factory=set)

    def of(self, module: Names, names: Names) -> list[str]:
        if not names or (module, names) in self.seen:
            return []
        self.seen.add((module, names))
        inner = (*module, names[0])
        if len(names) > 1 and any(self._files(inner)) and (found := self.of(inner, names[1:])):
            return found
        for file in self._files(module):
            outline = _outline(file, file.stat().st_mtime_ns)
            if found := self._inside(outline, module, names):
                return found
        return []

    def _files(self, module: Names) -> Iterator[Path]:
        """Sources come first: stubs leave the defaults out."""
        at = self.packages.joinpath(*module)
        for path in (at / "__init__.py", at.with_suffix(".py"), at / "__init__.pyi", at.with_suffix(".pyi")):
            if path.is_file():
                yield path

    def _inside(self, outline: _Outline, module: Names, names: Names) -> list[str]:
        name, *rest = names
        if name in outline.functions and not rest:
            return outline.functions[name]
        if name in outline.classes:
            return self._of_class(outline, module, name, rest[0] if rest else "__init__")
        if name in outline.imports:
            target = outline.imports[name]
            if found := self.of(target[:-1], (target[-1], *rest)):
                return found
        if name in outline.documented and not rest:
            return [outline.documented[name]]
        for star in outline.stars:
            if found := self.of(star, names):
                return found
        return []

    def _of_class(self, outline: _Outline, module: Names, name: str, method: str) -> list[str]:
        found = outline.classes[name]
        for each in (method, "__new__") if method == "__init__" else (method,):
            if each in found.methods:
                return found.methods[each]
        for base in found.bases:
            path = tuple(base.split("."))
            below = self.of(path[:1], (*path[1:], method)) if path[0] == "torch" else []
            if below := below or self._inside(outline, module, (*path, method)):
                return below
        return []


# -- outlines ------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def _outline(file: Path, changed_at: int) -> _Outline:
    code = file.read_bytes()
    outline = _Outline()
    package = _package_of(file)
    for node in _statements(parse(code).root_node):
        _note(outline, node, package)
    return outline


def _package_of(file: Path) -> Names:
    """What a relative import of the file starts from."""
    names: list[str] = []
    folder = file.parent
    while (folder / "__init__.py").exists() or (folder / "__init__.pyi").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    return tuple(names)


def _statements(node: Any) -> Iterator[Any]:
    for child in node.named_children:
        if child.type in (
            "if_statement",
            "try_statement",
            "else_clause",
            "except_clause",
            "block",
            "elif_clause",
        ):
            yield from _statements(child)
        elif child.type == "decorated_definition":
            yield child.child_by_field_name("definition")
        else:
            yield child


def _note(outline: _Outline, node: Any, package: Names) -> None:
    match node.type:
        case "function_definition":
            _function(outline.functions, node, method=False)
        case "class_definition":
            outline.classes[_text(node, "name")] = _class(node)
        case "import_from_statement":
            _import(outline, node, package)
        case "expression_statement":
            _assigned(outline, node)


def _class(node: Any) -> _Class:
    found = _Class()
    bases = node.child_by_field_name("superclasses")
    for base in bases.named_children if bases else ():
        if base.type in ("identifier", "attribute"):
            found.bases.append(base.text.decode())
    for statement in _statements(node.child_by_field_name("body")):
        if statement.type == "function_definition":
            _function(found.methods, statement, method=True)
    return found


def _function(known: dict[str, list[str]], node: Any, method: bool) -> None:
    """Overloads stand beside each other; what implements them says all that they say, with the defaults."""
    name, text = _text(node, "name"), _signature(node, method)
    if b"overload" in b"".join(each.text for each in node.parent.named_children if each.type == "decorator"):
        known.setdefault(name, []).append(text)
    else:
        known[name] = [text]


def _import(outline: _Outline, node: Any, package: Names) -> None:
    source = node.child_by_field_name("module_name").text.decode()
    dots = len(source) - len(source.lstrip("."))
    rest = tuple(part for part in source.lstrip(".").split(".") if part)
    module = (*package[: len(package) - dots + 1], *rest) if dots else rest
    for child in node.named_children[1:]:
        if child.type == "wildcard_import":
            outline.stars.append(module)
        elif child.type == "aliased_import":
            outline.imports[_text(child, "alias")] = (*module, *_text(child, "name").split("."))
        else:
            outline.imports[child.text.decode()] = (*module, *child.text.decode().split("."))


def _assigned(outline: _Outline, node: Any) -> None:
    """`conv2d = _add_docstr(torch.conv2d, "conv2d(input, weight) -> Tensor ...")`, as built-ins are given."""
    child = node.named_children[0] if node.named_children else None
    if child is None or child.type != "assignment" or child.child_by_field_name("left").type != "identifier":
        return
    name, right = _text(child, "left"), child.child_by_field_name("right")
    if right is not None and right.type == "call":
        lines = re.finditer(rf"\b{re.escape(name)}(\(.*)", right.text.decode()[:400])
        if found := next((line for line in lines if ") -> " in line[1]), None):
            outline.documented[name] = found[1].strip()


def _signature(node: Any, method: bool) -> str:
    """Without `self`, in one line."""
    given = [each for each in node.child_by_field_name("parameters").named_children if each.type != "comment"]
    parts = [" ".join(each.text.decode().split()) for each in given]
    if method and parts and parts[0] in ("self", "cls", "ctx"):
        parts = parts[1:]
    parts = [part for part in parts if part != "/"] if method else parts
    result = node.child_by_field_name("return_type")
    arrow = f" -> {' '.join(result.text.decode().split())}" if result and _says(result) else ""
    return f"({', '.join(parts)}){arrow}"


def _says(result: Any) -> bool:
    return bool(result.text != b"None")


def _text(node: Any, name: str) -> str:
    found = node.child_by_field_name(name)
    return found.text.decode() if found is not None else ""
