"""Code that cannot be lowered: which names it may bind, and how much of it is still sound."""

from __future__ import annotations

import re

from torchwise.syntax.parser import Node, kinds

_WORD = r"[^\W\d]\w*"
_DEFINED = re.compile(rf"\b(?:def|class|as|type)\s+({_WORD})|\b({_WORD})\s*:=")
_ASSIGNED = re.compile(r"^(.*?[^=!<>])(?:[-+*/%@&|^]|//|\*\*|>>|<<)?=(?!=)", re.M)
_IMPORTED = re.compile(r"\bimport\b(.*)")
_LOOPED = re.compile(r"\b(?:for|del|global|nonlocal)\b(.*?)(?:\bin\b|$)", re.M)
_NAME = re.compile(rf"(?<![\w.]){_WORD}")

BLOCK = kinds("block")
CLAUSES = frozenset().union(
    *(kinds(name) for name in (
        "elif_clause", "else_clause", "except_clause", "finally_clause", "case_clause", "function_definition",
        "class_definition",
    ))
)  # fmt: skip


def bound_names(code: str) -> tuple[str, ...]:
    """Names that a piece of code may bind, in whatever way it is broken. Rather too many than too few."""
    names: dict[str, None] = {}
    for found in _DEFINED.finditer(code):
        names[found.group(1) or found.group(2)] = None
    for places in (_ASSIGNED, _IMPORTED, _LOOPED):
        for found in places.finditer(code):
            names.update(dict.fromkeys(_NAME.findall(found.group(1))))
    return tuple(names)


def sound(node: Node) -> bool:
    """Whether a statement that holds an error can be lowered: all its errors lie inside of its blocks."""
    for child in node.children:
        if not child.has_error:
            continue
        if child.kind_id in BLOCK:
            continue
        if child.kind_id not in CLAUSES or not sound(child):
            return False
    return not node.is_error and not node.is_missing
