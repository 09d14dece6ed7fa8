"""What stands on the left of an assignment, after `for`, after `as`, and after `del`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torchwise.ir.lower.builder import DEEP, Builder
from torchwise.ir.lower.names import ATTRIBUTE, SPLAT, SUBSCRIPT, attribute_name, index_of, inside
from torchwise.ir.lower.tables import EXPRESSIONS
from torchwise.ir.nodes import Drop, DropIndex, Ref, SetAttr, SetIndex, Unpack
from torchwise.syntax.parser import Node, kind, kinds

IDENTIFIER = kind("identifier")
SEVERAL = frozenset().union(
    *(
        kinds(name)
        for name in ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list")
    )
)
WRAPPED = kinds("parenthesized_expression") | kinds("as_pattern_target")


def assign(b: Builder, target: Node, value: Ref) -> None:
    number = target.kind_id
    if number == IDENTIFIER:
        b.store(target, b.read(target), value)
    elif number == ATTRIBUTE:
        base = b.value(target.child(0))
        b.out.append(SetAttr(b.place(target), base, attribute_name(b, target), value))
    elif number == SUBSCRIPT:
        base, index = b.value(target.child(0)), index_of(b, target)
        b.out.append(SetIndex(b.place(target), base, index, value))
    elif number in SEVERAL and b.depth <= DEEP:
        b.depth += 1
        _unpack(b, parts(target), value)
        b.depth -= 1
    elif number in WRAPPED:
        assign(b, unwrapped(target), value)
    else:
        b.opaque(target, tuple(target_names(b, target)))


def parts(target: Node) -> Sequence[Node]:
    return [child for child in target.children if EXPRESSIONS[child.kind_id] is not None]


def unwrapped(target: Node) -> Node:
    while target.kind_id in WRAPPED and (inner := parts(target)):
        target = inner[0]
    return target


def _unpack(b: Builder, targets: Sequence[Node], value: Ref) -> None:
    star = next((index for index, target in enumerate(targets) if target.kind_id in SPLAT), None)
    for index, target in enumerate(targets):
        ref = b.place(target)
        b.out.append(Unpack(ref, value, index, len(targets), star))
        assign(b, inside(target), ref)


def target_names(b: Builder, target: Node) -> Iterator[str]:
    """The plain names that a target binds."""
    waiting = [target]
    while waiting:
        node = waiting.pop()
        if node.kind_id == IDENTIFIER:
            yield b.read(node)
        elif node.kind_id in SEVERAL or node.kind_id in WRAPPED or node.kind_id in SPLAT:
            waiting += reversed(node.children)


def drop(b: Builder, target: Node) -> None:
    number = target.kind_id
    if number == IDENTIFIER:
        name = b.read(target)
        b.bind(name)
        b.out.append(Drop(b.place(target), name))
    elif number == ATTRIBUTE:
        base = b.value(target.child(0))
        index = b.constant(target, attribute_name(b, target))
        b.out.append(DropIndex(b.place(target), base, index))
    elif number == SUBSCRIPT:
        base, index = b.value(target.child(0)), index_of(b, target)
        b.out.append(DropIndex(b.place(target), base, index))
    elif (number in SEVERAL or number in WRAPPED) and b.depth <= DEEP:
        b.depth += 1
        for part in parts(target):
            drop(b, part)
        b.depth -= 1
    else:
        b.opaque_code(target)
