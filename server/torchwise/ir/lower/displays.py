"""Lists, tuples, sets, dicts, and the comprehensions that fill them."""

from __future__ import annotations

from collections.abc import Sequence

from torchwise.ir.lower.builder import DEEP, Builder, arg
from torchwise.ir.lower.names import DOUBLE_SPLAT, elements, first_expression
from torchwise.ir.lower.tables import EXPRESSIONS, expression
from torchwise.ir.lower.targets import assign, target_names
from torchwise.ir.nodes import Arg, Build, Call, If, Loop, Ref
from torchwise.syntax.parser import Node, field, kind

_PAIR, _FOR, _IF = kind("pair"), kind("for_in_clause"), kind("if_clause")
_LEFT, _RIGHT, _KEY, _VALUE, _BODY = (
    field("left"),
    field("right"),
    field("key"),
    field("value"),
    field("body"),
)


def _display(kind_of: str, *names: str) -> None:
    @expression(*names)
    def display(b: Builder, node: Node) -> Ref:
        items = elements(b, node)
        ref = b.place(node)
        b.out.append(Build(ref, kind_of, items))  # type: ignore[arg-type]
        return ref


_display("list", "list", "list_pattern")
_display("tuple", "tuple", "expression_list", "pattern_list", "tuple_pattern")
_display("set", "set")


@expression("dictionary")
def dictionary(b: Builder, node: Node) -> Ref:
    items = []
    for child in node.children:
        if child.kind_id == _PAIR:
            items += [
                arg(b.value(child.child_by_field_id(_KEY))),
                arg(b.value(child.child_by_field_id(_VALUE))),
            ]
        elif child.kind_id in DOUBLE_SPLAT:
            items.append(Arg(b.value(first_expression(child)), None, 2))
    ref = b.place(node)
    b.out.append(Build(ref, "dict", tuple(items)))
    return ref


def _comprehension(built: str, collect: str, node_name: str) -> None:
    @expression(node_name)
    def comprehension(b: Builder, node: Node) -> Ref:
        ref = b.place(node)
        b.out.append(Build(ref, built, ()))  # type: ignore[arg-type]
        clauses = [child for child in node.children if child.kind_id in (_FOR, _IF)]
        outer, b.renames = b.renames, dict(b.renames)
        b.comprehensions += 1
        _clauses(b, node, clauses, f"collect.{collect}", ref, b.comprehensions)
        b.renames = outer
        return ref


_comprehension("list", "list", "list_comprehension")
_comprehension("set", "set", "set_comprehension")
_comprehension("dict", "dict", "dictionary_comprehension")
_comprehension("list", "generator", "generator_expression")


def _clauses(b: Builder, node: Node, clauses: Sequence[Node], collect: str, result: Ref, number: int) -> None:
    if not clauses:
        _collect(b, node.child_by_field_id(_BODY), collect, result)
        return
    clause, *rest = clauses
    if b.depth > DEEP:
        b.opaque_code(node)
        return
    b.depth += 1
    kept = b.out
    if clause.kind_id == _IF:
        test = b.value(first_expression(clause))
        b.out = []
        _clauses(b, node, rest, collect, result, number)
        then, b.out = tuple(b.out), kept
        b.out.append(If(b.place(clause), test, then, ()))
    else:
        target, iterable = clause.child_by_field_id(_LEFT), clause.children_by_field_id(_RIGHT)
        over = _iterable(b, clause, iterable)
        item = b.place(target)
        b.renames.update({name: f"{name}#{number}" for name in target_names(b, target)})
        b.out = []
        assign(b, target, item)
        _clauses(b, node, rest, collect, result, number)
        body, b.out = tuple(b.out), kept
        b.out.append(Loop(b.place(clause), over, item, (), None, body, (), True))
    b.depth -= 1


def _iterable(b: Builder, clause: Node, parts: Sequence[Node]) -> Ref:
    values = [part for part in parts if EXPRESSIONS[part.kind_id] is not None]
    if len(values) == 1:
        return b.value(values[0])
    items = tuple([arg(b.value(value)) for value in values])
    ref = b.place(clause)
    b.out.append(Build(ref, "tuple", items))
    return ref


def _collect(b: Builder, element: Node, collect: str, result: Ref) -> None:
    if element.kind_id == _PAIR:
        parts = [element.child_by_field_id(_KEY), element.child_by_field_id(_VALUE)]
    else:
        parts = [element]
    args = [arg(result), *[arg(b.value(part)) for part in parts]]
    b.out.append(Call(b.place(element), collect, tuple(args)))
