"""Operators: arithmetic, comparisons, `and`, `or`, `not`, and `a if b else c`."""

from __future__ import annotations

from collections.abc import Sequence

from torchwise.ir.lower.builder import Builder
from torchwise.ir.lower.literals import NUMBERS, number
from torchwise.ir.lower.tables import EXPRESSIONS, expression
from torchwise.ir.nodes import If, Ref
from torchwise.syntax.parser import Node, field, kind, kinds

_SYMBOLS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "@": "matmul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "<<": "lshift",
    ">>": "rshift",
    "&": "and_",
    "|": "or_",
    "^": "xor",
}
_COMPARISONS = {
    "<": "lt",
    "<=": "le",
    "==": "eq",
    "!=": "ne",
    "<>": "ne",
    ">=": "ge",
    ">": "gt",
    "is": "is_",
    "is not": "is_not",
    "in": "contains",
    "not in": "not_contains",
}
_UNARY = {"-": "neg", "+": "pos", "~": "invert"}


def _by_kind(names: dict[str, str], suffix: str = "") -> dict[int, str]:
    return {
        number: f"operator.{name}"
        for symbol, name in names.items()
        for number in kinds(symbol + suffix, named=False)
    }


BINARY, UNARY, COMPARISONS = _by_kind(_SYMBOLS), _by_kind(_UNARY), _by_kind(_COMPARISONS)
IN_PLACE = _by_kind({symbol: "i" + name.rstrip("_") for symbol, name in _SYMBOLS.items()}, "=")
_BINARY, _BOOLEAN, _MINUS, _AND = (
    kind("binary_operator"),
    kind("boolean_operator"),
    kind("-", False),
    kind("and", False),
)
_LEFT, _RIGHT, _OPERATOR, _ARGUMENT = field("left"), field("right"), field("operator"), field("argument")


def _spine(node: Node, number: int) -> tuple[Node, Sequence[Node]]:
    """`a + b + c` leans to the left, as deep as it is long: its first operand, and the operations from the
    inside out."""
    operations = []
    while node.kind_id == number:
        operations.append(node)
        node = node.child_by_field_id(_LEFT)
    operations.reverse()
    return node, operations


@expression("binary_operator")
def binary(b: Builder, node: Node) -> Ref:
    first, operations = _spine(node, _BINARY)
    left = b.value(first)
    for operation in operations:
        right = b.value(operation.child_by_field_id(_RIGHT))
        left = b.call(operation, BINARY[operation.child_by_field_id(_OPERATOR).kind_id], left, right)
    return left


@expression("boolean_operator")
def boolean(b: Builder, node: Node) -> Ref:
    first, operations = _spine(node, _BOOLEAN)
    left = b.value(first)
    for operation in operations:
        block, right = b.aside(operation.child_by_field_id(_RIGHT))
        ref = b.place(operation)
        if operation.child_by_field_id(_OPERATOR).kind_id == _AND:
            b.out.append(If(ref, left, block, (), (right, left)))
        else:
            b.out.append(If(ref, left, (), block, (left, right)))
        left = ref
    return left


@expression("not_operator")
def negation(b: Builder, node: Node) -> Ref:
    return b.call(node, "operator.not_", b.value(node.child_by_field_id(_ARGUMENT)))


@expression("unary_operator")
def unary(b: Builder, node: Node) -> Ref:
    operator, argument = node.child_by_field_id(_OPERATOR), node.child_by_field_id(_ARGUMENT)
    if operator.kind_id == _MINUS and argument.kind_id in NUMBERS:
        value = number(b.read(argument))
        if value is not None:
            return b.constant(node, -value)
    return b.call(node, UNARY[operator.kind_id], b.value(argument))


@expression("comparison_operator")
def comparison(b: Builder, node: Node) -> Ref:
    operands, operators = [], []
    for child in node.children:
        if child.kind_id in COMPARISONS:
            operators.append(COMPARISONS[child.kind_id])
        elif EXPRESSIONS[child.kind_id] is not None:
            operands.append(child)
    if len(operands) > 20:
        return b.opaque_code(node)
    return _links(b, node, b.value(operands[0]), operands[1:], operators)


def _links(b: Builder, node: Node, left: Ref, rest: Sequence[Node], operators: list[str]) -> Ref:
    """`a < b < c` is `a < b and b < c`, with b worked out once."""
    right = b.value(rest[0])
    holds = b.call(node, operators[0], left, right)
    if len(rest) == 1:
        return holds
    kept, b.out = b.out, []
    further = _links(b, node, right, rest[1:], operators[1:])
    block, b.out = tuple(b.out), kept
    ref = b.place(node)
    b.out.append(If(ref, holds, block, (), (further, holds)))
    return ref


@expression("conditional_expression")
def conditional(b: Builder, node: Node) -> Ref:
    value, test, other = (child for child in node.children if EXPRESSIONS[child.kind_id] is not None)
    condition = b.value(test)
    then, yes = b.aside(value)
    orelse, no = b.aside(other)
    ref = b.place(node)
    b.out.append(If(ref, condition, then, orelse, (yes, no)))
    return ref
