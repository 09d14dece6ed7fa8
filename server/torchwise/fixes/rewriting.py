"""Statements written another way, with LibCST: what is not changed keeps its comments and its layout.

A rewriting gets the source of one statement, or of a few in a row, and gives what takes its place, or None
where it does not know how.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst
from libcst import matchers as m


@dataclass(frozen=True)
class Around:
    """What a rewriting has to know of where its statements stand."""

    indent: str = ""
    own: frozenset[str] | None = None  # the names that the function binds; None outside of functions
    imports: Callable[[str], bool] = lambda name: True  # whether the file binds a name for good

    def may_bind(self, name: str) -> bool:
        """Whether the name may be given a value without making another variable of it."""
        return self.own is None or name in self.own


_LOOSE = (
    cst.BinaryOperation, cst.UnaryOperation, cst.BooleanOperation, cst.Comparison, cst.IfExp, cst.Lambda,
    cst.NamedExpr, cst.Await, cst.Yield, cst.GeneratorExp, cst.Tuple,
)  # fmt: skip


def as_operand(code: str) -> str:
    """An expression as it may stand in place of a call: in brackets where something could tear it apart."""
    found = cst.parse_expression(code.strip())
    return f"({code})" if isinstance(found, _LOOSE) and not found.lpar else code


def out_of_place(code: str, around: Around) -> str | None:
    """`x += y` as `x = x + y`, `x.relu_()` as `x = x.relu()`, `x[i] = y` after a copy of `x`."""
    tree = _parsed(code, around)
    line = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return None
    written = line.body[0]
    match written:
        case (
            cst.AugAssign(target=cst.Subscript() as part)
            | cst.Assign(targets=[cst.AssignTarget(cst.Subscript() as part)])
        ):
            return _copied_first(part, code, around)
        case cst.AugAssign(target=cst.Name() | cst.Attribute() as target):
            made: cst.BaseExpression | None = _operation(written)
        case cst.Expr(
            value=cst.Call(func=cst.Attribute(value=cst.Name() | cst.Attribute() as target)) as call
        ):
            made = _method(call)
        case cst.Assign(
            targets=[cst.AssignTarget(cst.Name() | cst.Attribute() as target)], value=cst.Call() as call
        ):
            made = _not_inplace(call)
        case _:
            return None
    if made is None or (isinstance(target, cst.Name) and not around.may_bind(target.value)):
        return None
    assignment = cst.Assign([cst.AssignTarget(target)], made)
    return _code(cst.SimpleStatementLine([assignment]))


def _operation(written: cst.AugAssign) -> cst.BaseExpression | None:
    operator = _OPERATORS.get(type(written.operator).__name__)
    if operator is None:
        return None
    value = written.value
    sums = isinstance(operator, cst.Add | cst.Subtract)
    product = m.matches(value, m.BinaryOperation(operator=m.OneOf(*_PRODUCTS)))
    if isinstance(value, _LOOSE) and not value.lpar and not (sums and product):
        value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.BinaryOperation(_plain(written.target), operator, value)


_OPERATORS: dict[str, cst.BaseBinaryOp] = {
    f"{operator.__name__}Assign": operator()
    for operator in (
        cst.Add, cst.Subtract, cst.Multiply, cst.MatrixMultiply, cst.Divide, cst.FloorDivide, cst.Modulo,
        cst.Power, cst.BitAnd, cst.BitOr, cst.BitXor, cst.LeftShift, cst.RightShift,
    )
}  # fmt: skip
_PRODUCTS = (m.Multiply(), m.Divide(), m.MatrixMultiply(), m.FloorDivide(), m.Modulo(), m.Power())


def _method(call: cst.Call) -> cst.BaseExpression | None:
    """`x.relu_()` as `x.relu()`."""
    func = cst.ensure_type(call.func, cst.Attribute)
    name = func.attr.value
    if not name.endswith("_") or name.endswith("__"):
        return None
    return call.with_changes(func=func.with_changes(attr=cst.Name(name[:-1])))


def _not_inplace(call: cst.Call) -> cst.BaseExpression | None:
    """`F.relu(x, inplace=True)` as `F.relu(x)`."""
    kept = [a for a in call.args if a.keyword is None or a.keyword.value != "inplace"]
    if len(kept) == len(call.args):
        return None
    kept[-1:] = [a.with_changes(comma=cst.MaybeSentinel.DEFAULT) for a in kept[-1:]]
    return call.with_changes(args=kept)


def _copied_first(part: cst.Subscript, code: str, around: Around) -> str | None:
    name = part.value
    if not isinstance(name, cst.Name) or not around.may_bind(name.value):
        return None
    return f"{name.value} = {name.value}.clone()\n{around.indent}{code}"


def one_of_both(code: str, around: Around) -> str | None:
    """`if t: return a` and `return b` as `return torch.where(t, a, b)`; the same for one name that both sides
    assign.
    """
    tree = _parsed(code, around)
    if tree is None or not around.imports("torch"):
        return None
    match list(tree.body):
        case [cst.If(body=then, orelse=cst.Else(body=other)) as branch]:
            lines = [_only(then), _only(other)]
        case [cst.If(body=then, orelse=None) as branch, cst.SimpleStatementLine() as last]:
            lines = [_only(then), last]
        case _:
            return None
    sides = [line.body[0] for line in lines if line is not None and len(line.body) == 1]
    match sides:
        case [cst.Return(value=yes), cst.Return(value=no)] if yes is not None and no is not None:
            made: cst.BaseSmallStatement = cst.Return(_where(branch.test, yes, no))
        case [cst.Assign(targets=[one], value=yes), cst.Assign(targets=[two], value=no)] if (
            m.matches(one.target, m.Name()) and one.deep_equals(two) and branch.orelse is not None
        ):
            made = cst.Assign([one], _where(branch.test, yes, no))
        case _:
            return None
    lines_above = [f"{comment}\n{around.indent}" for comment in _comments(tree)]
    return "".join(lines_above) + _code(cst.SimpleStatementLine([made]))


def leave_before_backward(code: str, around: Around) -> str | None:
    """Ends a `with` block before the first of its statements that calls `backward`."""
    tree = _parsed(code, around) if '"""' not in code and "'''" not in code else None
    block = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    if not isinstance(block, cst.With) or not isinstance(block.body, cst.IndentedBlock):
        return None
    calls = m.Call(func=m.Attribute(attr=m.Name("backward")))
    rows = [bool(m.findall(line, calls)) for line in block.body.body]
    if True not in rows[1:] or rows[0]:
        return None
    first = rows.index(True)
    lines = [i for i in block.body.body if isinstance(i, cst.SimpleStatementLine | cst.BaseCompoundStatement)]
    left = block.with_changes(body=block.body.with_changes(body=lines[:first], footer=[]))
    whole = cst.Module([left, *lines[first:]])
    return _indented(whole.code.rstrip("\n"), around)


def _only(block: cst.BaseSuite) -> cst.SimpleStatementLine | None:
    line = block.body[0] if isinstance(block, cst.IndentedBlock) and len(block.body) == 1 else None
    return line if isinstance(line, cst.SimpleStatementLine) else None


def _where(test: cst.BaseExpression, yes: cst.BaseExpression, no: cst.BaseExpression) -> cst.Call:
    where = cst.Attribute(cst.Name("torch"), cst.Name("where"))
    return cst.Call(where, [cst.Arg(_plain(part)) for part in (test, yes, no)])


def _comments(tree: cst.CSTNode) -> list[str]:
    return [cst.ensure_type(found, cst.Comment).value for found in m.findall(tree, m.Comment())]


def _plain(node: cst.BaseExpression) -> cst.BaseExpression:
    """Each node stands in a tree only once."""
    return node.deep_clone()


# -- to and from text ----------------------------------------------------------------------------------------


def _parsed(code: str, around: Around) -> cst.IndentedBlock | cst.Module | None:
    """The statements, the first of which stands at its indentation without showing it."""
    head = f"if 1:\n{around.indent}" if around.indent else ""
    try:
        module = cst.parse_module(f"{head}{code}\n")
    except cst.ParserSyntaxError:
        return None
    if not around.indent:
        return module
    block = cst.ensure_type(module.body[0], cst.If).body
    return cst.ensure_type(block, cst.IndentedBlock)


def _code(line: cst.SimpleStatementLine) -> str:
    return cst.Module([line]).code.rstrip("\n")


def _indented(code: str, around: Around) -> str:
    """The lines of statements as they stand in their block; those within brackets keep what they have."""
    return code.replace("\n", f"\n{around.indent}")


REWRITINGS: dict[str, Callable[[str, Around], str | None]] = {
    "out-of-place": out_of_place,
    "one-of-both": one_of_both,
    "leave-before-backward": leave_before_backward,
}
