"""Compound statements: if, loops, with, try."""

from __future__ import annotations

from collections.abc import Sequence

from torchwise.ir.lower.builder import WIDE, Builder, arg
from torchwise.ir.lower.names import first_expression
from torchwise.ir.lower.statements import block, half_typed
from torchwise.ir.lower.tables import statement
from torchwise.ir.lower.targets import IDENTIFIER, assign, unwrapped
from torchwise.ir.nodes import Block as Instructions
from torchwise.ir.nodes import Build, Handler, If, Loop, Ref, Try, With
from torchwise.syntax.parser import Node, field, kind, kinds

_BLOCK, _COLON = kinds("block"), kind(":", False)
_ELIF, _ELSE = kind("elif_clause"), kind("else_clause")
_EXCEPT, _FINALLY = kind("except_clause"), kind("finally_clause")
_AS, _TARGET = kinds("as_pattern"), kind("as_pattern_target")
_ITEM = kind("with_item")
_CONDITION, _CONSEQUENCE, _ALTERNATIVE = field("condition"), field("consequence"), field("alternative")
_LEFT, _RIGHT, _BODY, _VALUE = field("left"), field("right"), field("body"), field("value")


def head(b: Builder, ref: Ref, node: Node) -> None:
    """Notes where the head of a compound statement stands: up to the colon before its block."""
    end = node.end_byte
    for child in node.children:
        if child.kind_id == _COLON:
            end = child.end_byte
        elif child.kind_id in _BLOCK:
            break
    b.heads[ref] = (node.start_byte, end)


@statement("if_statement")
def branches(b: Builder, node: Node) -> None:
    _branch(b, node, node.children_by_field_id(_ALTERNATIVE))


def _branch(b: Builder, node: Node, alternatives: Sequence[Node]) -> None:
    """An `if` or `elif` with what follows it."""
    if b.filled and node.start_byte in b.filled:
        test = half_typed(b, node)
    else:
        test = b.value(node.child_by_field_id(_CONDITION))
    then = block(b, node.child_by_field_id(_CONSEQUENCE))
    other: Instructions = ()
    if alternatives:
        other = _otherwise(b, alternatives)
    ref = b.place(node)
    head(b, ref, node)
    b.out.append(If(ref, test, then, other))


def _otherwise(b: Builder, alternatives: Sequence[Node]) -> Instructions:
    first, *rest = alternatives
    if first.kind_id == _ELSE:
        return block(b, first.child_by_field_id(_BODY))
    kept, b.out = b.out, []
    if b.depth > 2 * WIDE:
        for alternative in alternatives:
            b.opaque_code(alternative)
    else:
        b.depth += 1
        _branch(b, first, rest)
        b.depth -= 1
    found, b.out = tuple(b.out), kept
    return found


@statement("for_statement")
def for_loop(b: Builder, node: Node) -> None:
    over = b.value(node.child_by_field_id(_RIGHT))
    target = node.child_by_field_id(_LEFT)
    item = b.place(target)
    kept, b.out = b.out, []
    assign(b, target, item)
    before, b.out = b.out, kept
    body = block(b, node.child_by_field_id(_BODY), before)
    orelse = _orelse(b, node)
    ref = b.place(node)
    head(b, ref, node)
    b.out.append(Loop(ref, over, item, (), None, body, orelse))


@statement("while_statement")
def while_loop(b: Builder, node: Node) -> None:
    condition = node.child_by_field_id(_CONDITION)
    first, test = b.aside(condition)
    body = block(b, node.child_by_field_id(_BODY))
    orelse = _orelse(b, node)
    ref = b.place(node)
    head(b, ref, node)
    b.out.append(Loop(ref, None, None, first, test, body, orelse))


def _orelse(b: Builder, node: Node) -> Instructions:
    for child in node.children:
        if child.kind_id == _ELSE:
            return block(b, child.child_by_field_id(_BODY))
    return ()


@statement("with_statement")
def with_block(b: Builder, node: Node) -> None:
    items = [item for child in node.children for item in child.children if item.kind_id == _ITEM]
    _with(b, node, items)


def _with(b: Builder, node: Node, items: Sequence[Node]) -> None:
    value = items[0].child_by_field_id(_VALUE) or items[0]
    target = None
    if value.kind_id in _AS:
        value, target = _as(value)
    context = b.value(value)
    entered = b.place(target or value)
    kept, b.out = b.out, []
    if target:
        assign(b, target, entered)
    if len(items) > 1 and b.depth <= 2 * WIDE:
        b.depth += 1
        _with(b, node, items[1:])
        b.depth -= 1
        body, b.out = tuple(b.out), kept
    else:
        before, b.out = b.out, kept
        body = block(b, node.child_by_field_id(_BODY), before)
    ref = b.place(node)
    head(b, ref, node)
    b.out.append(With(ref, context, entered, body))


def _as(node: Node) -> tuple[Node, Node | None]:
    value = first_expression(node)
    target = next((child for child in node.children if child.kind_id == _TARGET), None)
    return value, unwrapped(target) if target else None


@statement("try_statement")
def try_block(b: Builder, node: Node) -> None:
    body = block(b, node.child_by_field_id(_BODY))
    handlers: list[Handler] = []
    orelse: Instructions = ()
    final: Instructions = ()
    for child in node.children:
        if child.kind_id == _EXCEPT:
            handlers.append(_handler(b, child))
        elif child.kind_id == _ELSE:
            orelse = block(b, child.child_by_field_id(_BODY))
        elif child.kind_id == _FINALLY:
            final = block(b, _block_of(child))
    ref = b.place(node)
    head(b, ref, node)
    b.out.append(Try(ref, body, tuple(handlers), orelse, final))


def _handler(b: Builder, node: Node) -> Handler:
    kinds_node, name = node.children_by_field_id(_VALUE), None
    if len(kinds_node) == 1 and kinds_node[0].kind_id in _AS:
        value, target = _as(kinds_node[0])
        kinds_node = [value]
        if target is not None and target.kind_id == IDENTIFIER:
            name = b.read(target)
            b.bind(name)
    first: Instructions = ()
    caught: Ref | None = None
    if kinds_node:
        kept, b.out = b.out, []
        caught = _caught(b, node, kinds_node)
        first, b.out = tuple(b.out), kept
    return Handler(first, caught, name, block(b, _block_of(node)))


def _caught(b: Builder, node: Node, classes: Sequence[Node]) -> Ref:
    """`except A, B:` is a tuple since Python 3.14."""
    if len(classes) == 1:
        return b.value(classes[0])
    items = tuple([arg(b.value(each)) for each in classes])
    ref = b.place(node)
    b.out.append(Build(ref, "tuple", items))
    return ref


def _block_of(node: Node) -> Node | None:
    return next((child for child in node.children if child.kind_id in _BLOCK), None)
