"""Simple statements, and what all statements share."""

from __future__ import annotations

from collections.abc import Sequence

from torchwise.ir.lower.broken import bound_names, sound
from torchwise.ir.lower.builder import DEEP, Builder
from torchwise.ir.lower.literals import plain_string
from torchwise.ir.lower.names import (
    ATTRIBUTE,
    SPLAT,
    SUBSCRIPT,
    attribute_name,
    elements,
    index_of,
)
from torchwise.ir.lower.operators import IN_PLACE
from torchwise.ir.lower.tables import STATEMENTS, expression, statement
from torchwise.ir.lower.targets import IDENTIFIER, assign, drop, parts, unwrapped
from torchwise.ir.nodes import (
    Assert,
    Attr,
    Build,
    Index,
    Instr,
    Leave,
    Ref,
    Return,
    SetAttr,
    SetIndex,
    Yield,
)
from torchwise.ir.nodes import Block as Instructions
from torchwise.syntax.parser import Node, field, kind, kinds

_IF = kind("if_statement")
_STRINGS = kinds("string") | kinds("concatenated_string")
_ASSIGNMENT, _AUGMENTED, _ERROR_FREE = kind("assignment"), kind("augmented_assignment"), kinds("comment")
_EXPRESSION_STATEMENT, _FROM = kind("expression_statement"), kind("from", False)
_LEFT, _RIGHT, _OPERATOR, _CAUSE = field("left"), field("right"), field("operator"), field("cause")


def statements(b: Builder, nodes: Sequence[Node]) -> None:
    """Lowers statements in a row."""
    for node in nodes:
        lower = STATEMENTS[node.kind_id]
        if b.filled and node.kind_id != _IF and node.start_byte in b.filled:
            b.mark(node)
            half_typed(b, node)
        elif b.broken and node.has_error and (lower is None or not sound(node)):
            b.mark(node)
            b.opaque_code(node)
        elif lower is not None:
            b.mark(node)
            lower(b, node)


def half_typed(b: Builder, node: Node) -> Ref:
    """A line that the parser did not see, with the names that it may bind."""
    return b.opaque(node, bound_names(b.filled[node.start_byte]))


def block(b: Builder, node: Node | None, before: list[Instr] | None = None) -> Instructions:
    """The statements of a block, behind what is in `before`."""
    kept, current = b.out, b.statement
    b.out = before or []
    if node is None:
        pass
    elif b.depth > DEEP:
        b.opaque_code(node)
    else:
        b.depth += 1
        statements(b, node.children)
        b.depth -= 1
    found, b.out = tuple(b.out), kept
    if current is not None:
        b.mark(current)
    return found


def docstring(b: Builder, nodes: Sequence[Node]) -> tuple[str | None, Sequence[Node]]:
    """The docstring of a body, and the statements behind it."""
    for index, node in enumerate(nodes):
        if (
            node.kind_id == _EXPRESSION_STATEMENT
            and node.child_count == 1
            and node.child(0).kind_id in _STRINGS
        ):
            value = plain_string(b, node.child(0))
            return (value, nodes[index + 1 :]) if isinstance(value, str) else (None, nodes)
        if STATEMENTS[node.kind_id] is not None or node.is_error:
            break
    return None, nodes


@statement("expression_statement")
def bare(b: Builder, node: Node) -> None:
    child = node.child(0)
    number = child.kind_id
    if number == _ASSIGNMENT:
        assignment(b, child)
    elif number == _AUGMENTED:
        augmented(b, child)
    elif node.child_count > 1:
        values(b, node)
    else:
        b.value(child)


def values(b: Builder, node: Node) -> Ref | None:
    """One value, or a tuple of several, of the expressions directly inside a node."""
    found = parts(node)
    if len(found) == 1 and found[0].kind_id not in SPLAT and not _comma_behind(node):
        return b.value(found[0])
    if not found:
        return None
    items = elements(b, node)
    ref = b.place(node)
    b.out.append(Build(ref, "tuple", items))
    return ref


_COMMA = kind(",", False)


def _comma_behind(node: Node) -> bool:
    return any(child.kind_id == _COMMA for child in node.children)


def assignment(b: Builder, node: Node) -> None:
    targets = []
    value: Node | None = node
    while value is not None and value.kind_id == _ASSIGNMENT:
        targets.append(value.child_by_field_id(_LEFT))
        value = value.child_by_field_id(_RIGHT)
    if value is None:
        _declared(b, targets[0])
        return
    if value.kind_id == _AUGMENTED:  # no Python: `a = b += c`
        b.opaque_code(node)
        return
    ref = b.value(value)
    for target in targets:
        assign(b, target, ref)


def _declared(b: Builder, target: Node) -> None:
    """`x: int` binds nothing. It makes x a name of the scope; in a class something may fill it in."""
    if target.kind_id != IDENTIFIER:
        return
    if b.kind == "class":
        b.opaque(target, (b.read(target),))
    else:
        b.bind(b.read(target))


@expression("assignment", "augmented_assignment")
def assignment_as_value(b: Builder, node: Node) -> Ref:
    """Stands where no Python has one."""
    return b.opaque_code(node)


def augmented(b: Builder, node: Node) -> None:
    target = unwrapped(node.child_by_field_id(_LEFT))
    right = node.child_by_field_id(_RIGHT)
    operator = IN_PLACE[node.child_by_field_id(_OPERATOR).kind_id]
    number = target.kind_id
    if number == IDENTIFIER:
        name = b.read(target)
        old = b.load(target, name)
        b.store(target, name, b.call(node, operator, old, b.value(right)))
    elif number == ATTRIBUTE:
        base, name = b.value(target.child(0)), attribute_name(b, target)
        old = b.place(target)
        b.out.append(Attr(old, base, name))
        value = b.call(node, operator, old, b.value(right))
        b.out.append(SetAttr(b.place(target), base, name, value))
    elif number == SUBSCRIPT:
        base, index = b.value(target.child(0)), index_of(b, target)
        old = b.place(target)
        b.out.append(Index(old, base, index))
        value = b.call(node, operator, old, b.value(right))
        b.out.append(SetIndex(b.place(target), base, index, value))
    else:
        b.opaque_code(node)


@statement("return_statement")
def returned(b: Builder, node: Node) -> None:
    value = values(b, node)
    b.out.append(Return(b.place(node), value))


@statement("break_statement")
def broken_off(b: Builder, node: Node) -> None:
    b.out.append(Leave(b.place(node), "break"))


@statement("continue_statement")
def continued(b: Builder, node: Node) -> None:
    b.out.append(Leave(b.place(node), "continue"))


@statement("raise_statement")
def raised(b: Builder, node: Node) -> None:
    cause = node.child_by_field_id(_CAUSE)
    found = [part for part in parts(node) if part != cause]
    value = b.value(found[0]) if found else None
    for part in [*found[1:], *([cause] if cause else [])]:
        b.value(part)
    b.out.append(Leave(b.place(node), "raise", value))


@statement("assert_statement")
def asserted(b: Builder, node: Node) -> None:
    test, *message = parts(node)
    condition = b.value(test)
    if not message:
        b.out.append(Assert(b.place(node), condition))
        return
    head, said = b.aside(message[0])
    b.out.append(Assert(b.place(node), condition, head, said))


@statement("delete_statement")
def deleted(b: Builder, node: Node) -> None:
    for target in parts(node):
        drop(b, target)


@statement("pass_statement")
def passed(b: Builder, node: Node) -> None:
    pass


@statement("global_statement")
def global_names(b: Builder, node: Node) -> None:
    b.outer.update({b.read(child): "global" for child in node.children if child.kind_id == IDENTIFIER})


@statement("nonlocal_statement")
def nonlocal_names(b: Builder, node: Node) -> None:
    b.outer.update({b.read(child): "nonlocal" for child in node.children if child.kind_id == IDENTIFIER})


@statement("print_statement", "exec_statement", "type_alias_statement")
def not_modelled(b: Builder, node: Node) -> None:
    b.opaque_code(node)


@expression("yield")
def yielded(b: Builder, node: Node) -> Ref:
    b.generator = True
    whole = any(child.kind_id == _FROM for child in node.children)
    value = values(b, node)
    ref = b.place(node)
    b.out.append(Yield(ref, value, whole))
    return ref
