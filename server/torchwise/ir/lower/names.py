"""Names, attributes, calls and subscripts."""

from __future__ import annotations

from collections.abc import Sequence
from sys import intern

from torchwise.ir.lower.builder import Builder, arg
from torchwise.ir.lower.tables import EXPRESSIONS, expression
from torchwise.ir.nodes import Arg, Attr, Build, Call, Index, Ref
from torchwise.syntax.parser import Node, field, kind, kinds

ATTRIBUTE, SUBSCRIPT = kind("attribute"), kind("subscript")
SPLAT = kinds("list_splat") | kinds("list_splat_pattern") | kinds("parenthesized_list_splat")
STARTS_WITH_ANOTHER = (
    kinds("attribute")
    | kinds("call")
    | kinds("subscript")
    | kinds("binary_operator")
    | kinds("boolean_operator")
    | kinds("comparison_operator")
    | kinds("conditional_expression")
)
DOUBLE_SPLAT = kinds("dictionary_splat") | kinds("dictionary_splat_pattern")
_KEYWORD, _GENERATOR = kind("keyword_argument"), kind("generator_expression")
_COLON, _COMMA = kind(":", named=False), kind(",", named=False)
_ARGUMENTS, _ATTRIBUTE, _NAME, _VALUE = field("arguments"), field("attribute"), field("name"), field("value")


@expression("identifier", "dotted_name")
def name(b: Builder, node: Node) -> Ref:
    return b.load(node, b.read(node))


def attribute_name(b: Builder, node: Node) -> str:
    found = node.child_by_field_id(_ATTRIBUTE)
    return b.read(found) if found else ""


@expression("attribute")
def attribute(b: Builder, node: Node) -> Ref:
    base = b.value(node.child(0))
    ref = b.place(node)
    b.out.append(Attr(ref, base, attribute_name(b, node)))
    return ref


@expression("parenthesized_expression")
def parenthesized(b: Builder, node: Node) -> Ref:
    return b.value(first_expression(node))


@expression("await")
def awaited(b: Builder, node: Node) -> Ref:
    return b.value(first_expression(node))


def first_expression(node: Node) -> Node:
    for child in node.children:
        if EXPRESSIONS[child.kind_id] is not None:
            return child
    return node.child(0)


def elements(b: Builder, node: Node) -> tuple[Arg, ...]:
    """The items of a display or the arguments of a call."""
    found = []
    for child in node.children:
        number = child.kind_id
        if EXPRESSIONS[number] is None:
            continue
        if number == _KEYWORD:
            value = b.value(child.child_by_field_id(_VALUE))
            found.append(Arg(value, b.read(child.child_by_field_id(_NAME))))
        elif number in SPLAT:
            found.append(Arg(b.value(inside(child)), None, 1))
        elif number in DOUBLE_SPLAT:
            found.append(Arg(b.value(first_expression(child)), None, 2))
        elif number in STARTS_WITH_ANOTHER and _leads_with_star(child):
            found.append(Arg(b.value(child), None, 1))
        else:
            found.append(arg(b.value(child)))
    return tuple(found)


def _leads_with_star(node: Node) -> bool:
    """Whether the grammar has read `*a.b()` as if it were `(*a).b()`: the star stands before all of it."""
    while node.kind_id in STARTS_WITH_ANOTHER:
        node = node.child(0)
    return node.kind_id in SPLAT


def inside(splat: Node) -> Node:
    """What stands behind the star, whatever brackets are around it."""
    while splat.kind_id in SPLAT:
        splat = first_expression(splat)
    return splat


@expression("list_splat", "list_splat_pattern", "parenthesized_list_splat")
def lone_splat(b: Builder, node: Node) -> Ref:
    """`*a,` alone is a tuple."""
    value = b.value(inside(node))
    if node.parent is not None and node.parent.kind_id in STARTS_WITH_ANOTHER:
        return value  # the star belongs to what is around it
    ref = b.place(node)
    b.out.append(Build(ref, "tuple", (Arg(value, None, 1),)))
    return ref


@expression("call")
def call(b: Builder, node: Node) -> Ref:
    callee = b.value(node.child(0))
    arguments = node.child_by_field_id(_ARGUMENTS)
    alone = arguments.kind_id == _GENERATOR
    args = (arg(b.value(arguments)),) if alone else elements(b, arguments)
    ref = b.place(node)
    b.out.append(Call(ref, callee, args))
    return ref


@expression("subscript")
def subscript(b: Builder, node: Node) -> Ref:
    base = b.value(node.child(0))
    index = index_of(b, node)
    ref = b.place(node)
    b.out.append(Index(ref, base, index))
    return ref


def index_of(b: Builder, node: Node) -> Ref:
    """What stands in the brackets of a subscript, as one value."""
    parts = node.children[1:]
    if any(part.kind_id == _COMMA or part.kind_id in SPLAT for part in parts):
        return _tuple_index(b, node, parts)
    for part in parts:
        if EXPRESSIONS[part.kind_id] is not None:
            return b.value(part)
    return b.opaque(node)


def _tuple_index(b: Builder, node: Node, parts: Sequence[Node]) -> Ref:
    found = []
    for part in parts:
        if part.kind_id in SPLAT:
            found.append(Arg(b.value(inside(part)), None, 1))
        elif EXPRESSIONS[part.kind_id] is not None:
            found.append(arg(b.value(part)))
    ref = b.place(node)
    b.out.append(Build(ref, "tuple", tuple(found)))
    return ref


@expression("slice")
def slices(b: Builder, node: Node) -> Ref:
    parts: list[Ref | None] = [None, None, None]
    position = 0
    for child in node.children:
        if child.kind_id == _COLON:
            position += 1
        elif EXPRESSIONS[child.kind_id] is not None and position < 3:
            parts[position] = b.value(child)
    items = tuple([arg(b.constant(node, None) if part is None else part) for part in parts])
    ref = b.place(node)
    b.out.append(Build(ref, "slice", items))
    return ref


@expression("named_expression")
def named(b: Builder, node: Node) -> Ref:
    value = b.value(node.child_by_field_id(_VALUE))
    target = node.child_by_field_id(_NAME)
    b.store(target, intern(b.read(target)), value)
    return value
