"""The patterns that our Python compiles, and the texts that would make each of them slow.

A pattern is slow on a text that goes on and on with what one of its repetitions takes, and then ends in what
does not fit. Such texts are made of the pattern itself: what leads to a repetition, and its body many times.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from re import _constants as names  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

SERVER = Path(__file__).parents[2] / "server"
METHODS = {"match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split"}
WALKS = METHODS - {"match", "fullmatch", "search"}  # from one find to the next, to the end
FLAGS = {"compile": 0, "sub": 3, "subn": 3, "split": 2}  # where they stand behind the pattern; 1 for others
FLOODS = (
    "a",
    " ",
    "\t",
    "\n",
    "(",
    "[",
    "{",
    "'",
    '"',
    "\\",
    "#",
    "=",
    ",",
    ".",
    "-",
    "_",
    "0",
    "$",
    "a ",
    "# ",
    "\\\n",
)
LASTLY = ("", "\x00", "\n!", "é")


@dataclass(frozen=True)
class Used:
    """A pattern, and the methods that are called on it."""

    where: str
    pattern: str | bytes
    flags: int
    methods: frozenset[str]


class _Names(dict[str, Any]):
    """Those of a module; what a function alone knows is an `x`."""

    def __missing__(self, name: str) -> Any:
        if hasattr(builtins, name):
            raise KeyError(name)
        return "x"


def used_in(source: str, module: dict[str, Any], where: str) -> Iterator[Used]:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(ast.Name("re"), name), args=[first, *rest]) if (
                name in METHODS or name == "compile"
            ):
                given = _value(first, module)
                placed = rest[FLAGS.get(name, 1) : FLAGS.get(name, 1) + 1]
                words = [word.value for word in node.keywords if word.arg == "flags"]
                flags = [_value(each, module) for each in words + placed]
                methods = frozenset({name}) if name in METHODS else _methods(tree, node)
                yield Used(f"{where}:{node.lineno}", given, int(flags[0]) if flags else 0, methods)


def _value(node: ast.expr, module: dict[str, Any]) -> Any:
    try:
        code = compile(ast.Expression(node), "pattern", "eval")
        return eval(code, {}, _Names(module))
    except TypeError:
        assert isinstance(node, ast.JoinedStr), ast.unparse(node)
        return "".join(
            part.value if isinstance(part, ast.Constant) else "x"
            for part in node.values  # type: ignore[misc]
        )


def _methods(tree: ast.AST, compiled: ast.Call) -> frozenset[str]:
    """Those called on it, or on its name, in this file; all of them where it may be used otherwise."""
    parents = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
    match parents[compiled]:
        case ast.Attribute(attr=method) if method in METHODS:
            return frozenset({method})
        case ast.Assign(targets=[ast.Name(name)]):
            uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
            above = [parents[node] for node in uses if isinstance(node.ctx, ast.Load)]
            called = {each.attr for each in above if isinstance(each, ast.Attribute) and each.attr in METHODS}
            return frozenset(
                called if called and all(isinstance(each, ast.Attribute) for each in above) else METHODS
            )
        case _:
            return frozenset(METHODS)


def all_used() -> list[Used]:
    found: list[Used] = []
    for path in sorted(SERVER.joinpath("torchwise").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if re.search(r"\bre\.\w+\(", source) and "generate" not in path.parts:
            dotted = ".".join(path.relative_to(SERVER).with_suffix("").parts).removesuffix(".__init__")
            where = path.relative_to(SERVER).as_posix()
            # What is sent into kernels as text is no module here.
            known = {"re": re} if "inside" in path.parts else vars(importlib.import_module(dotted))
            found += used_in(source, known, where)
    return found


# -- texts made of a pattern


def floods(pattern: str | bytes, flags: int) -> Iterator[tuple[str, str]]:
    """What comes first, and what is repeated."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    parsed = parser.parse(text, flags)
    seen = {("", piece) for piece in FLOODS}
    seen |= {(before, body) for before, body in _repeated(parsed, "")}
    whole = _witness(parsed)
    seen |= {("", whole[:cut]) for cut in range(1, len(whole) + 1)} if len(whole) < 40 else set()
    yield from sorted(each for each in seen if each[1])


def _repeated(parsed: Any, before: str) -> Iterator[tuple[str, str]]:
    """Each repetition of a pattern, with a text that leads to it."""
    for kind, given in parsed:
        inner = _inner(kind, given)
        for part in inner:
            yield from _repeated(part, before)
        if kind in (names.MAX_REPEAT, names.MIN_REPEAT, names.POSSESSIVE_REPEAT) and given[1] > 1:
            for body in _witnesses(given[2]):
                yield before, body
                yield "", before + body
        before += _witness([(kind, given)])


def _inner(kind: Any, given: Any) -> list[Any]:
    match kind:
        case names.MAX_REPEAT | names.MIN_REPEAT | names.POSSESSIVE_REPEAT:
            return [given[2]]
        case names.SUBPATTERN:
            return [given[-1]]
        case names.BRANCH:
            return list(given[1])
        case names.ASSERT | names.ASSERT_NOT:
            return [given[1]]
        case names.ATOMIC_GROUP:
            return [given]
        case _:
            return []


def _witness(parsed: Any) -> str:
    return next(iter(_witnesses(parsed)))


def _witnesses(parsed: Any) -> list[str]:
    """A few texts that fit: the first of each choice, and the others alone."""
    found = [""]
    for kind, given in parsed:
        found = [text + more for text in found for more in _of_one(kind, given)][:6]
    return found


def _of_one(kind: Any, given: Any) -> list[str]:
    match kind:
        case names.LITERAL:
            return [chr(given)]
        case names.NOT_LITERAL:
            return [next(char for char in "a b#" if ord(char) != given)]
        case names.ANY:
            return ["a", " "]
        case names.IN:
            return _members(given)
        case names.BRANCH:
            return [text for part in given[1] for text in _witnesses(part)[:1]]
        case names.MAX_REPEAT | names.MIN_REPEAT | names.POSSESSIVE_REPEAT:
            least = max(int(given[0]), 1 if int(given[1]) == 1 else 0)
            return [text * least for text in _witnesses(given[2])] if least else [""]
        case names.SUBPATTERN | names.ATOMIC_GROUP:
            return [text for part in _inner(kind, given) for text in _witnesses(part)]
        case _:
            return [""]


def _members(given: list[tuple[Any, Any]]) -> list[str]:
    """Characters of a set, of different kinds."""
    set_of = _compiled(given)
    found = [char for char in "a (\t\n_0#.,=-é[]{}'\"\\/:|$<>!?*`%@^~&+;AZ" if set_of(char)]
    return found[:3] or [chr(value) for kind, value in given if kind is names.LITERAL][:1] or [""]


def _compiled(given: list[tuple[Any, Any]]) -> Any:
    negated = bool(given) and given[0][0] is names.NEGATE
    categories = {
        names.CATEGORY_WORD: r"\w", names.CATEGORY_NOT_WORD: r"\W", names.CATEGORY_SPACE: r"\s",
        names.CATEGORY_NOT_SPACE: r"\S", names.CATEGORY_DIGIT: r"\d", names.CATEGORY_NOT_DIGIT: r"\D",
    }  # fmt: skip

    def has(char: str) -> bool:
        for kind, value in given:
            match kind:
                case names.LITERAL if ord(char) == value:
                    return not negated
                case names.RANGE if value[0] <= ord(char) <= value[1]:
                    return not negated
                case names.CATEGORY if re.match(categories[value], char):
                    return not negated
        return negated

    return has
