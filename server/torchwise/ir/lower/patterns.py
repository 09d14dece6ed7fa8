"""`match`: a chain of Ifs. What a pattern takes apart is unknown."""

from __future__ import annotations

from collections.abc import Sequence

from torchwise.ir.lower.builder import WIDE, Builder, arg
from torchwise.ir.lower.control import head
from torchwise.ir.lower.names import first_expression
from torchwise.ir.lower.statements import block
from torchwise.ir.lower.tables import EXPRESSIONS, statement
from torchwise.ir.nodes import Attr, Build, If, Instr, Ref
from torchwise.syntax.parser import Node, field, kind, kinds

_SUBJECT, _BODY, _GUARD, _CONSEQUENCE = field("subject"), field("body"), field("guard"), field("consequence")
_CASE, _PATTERN, _DOTTED = kind("case_clause"), kind("case_pattern"), kind("dotted_name")
_NUMBER = kinds("integer") | kinds("float")
_LITERAL = _NUMBER | kinds("string") | kinds("concatenated_string")
_SINGLE = kinds("none") | kinds("true") | kinds("false")
_AS, _UNION, _KEYWORD, _CLASS = (
    kinds("as_pattern"),
    kind("union_pattern"),
    kind("keyword_pattern"),
    kind("class_pattern"),
)
_SPLAT, _IDENTIFIER = kind("splat_pattern"), kind("identifier")
_MINUS, _ANY, _COMMA = kind("-", False), kind("_", False), kind(",", False)


@statement("match_statement")
def match(b: Builder, node: Node) -> None:
    subjects = node.children_by_field_id(_SUBJECT)
    if len(subjects) == 1 and not _has_comma(node):
        subject = b.value(subjects[0])
    else:
        items = tuple([arg(b.value(each)) for each in subjects])
        subject = b.place(node)
        b.out.append(Build(subject, "tuple", items))
    body = node.child_by_field_id(_BODY)
    cases = [child for child in (body.children if body else ()) if child.kind_id == _CASE]
    _cases(b, subject, cases)


def _has_comma(node: Node) -> bool:
    return any(child.kind_id == _COMMA for child in node.children)


def _cases(b: Builder, subject: Ref, cases: Sequence[Node]) -> None:
    """The first case, and the others for when it does not match."""
    if not cases:
        return
    case, *rest = cases
    if b.depth > 2 * WIDE:
        for each in cases:
            b.opaque_code(each)
        return
    patterns = [child for child in case.children if child.kind_id == _PATTERN]
    guard = case.child_by_field_id(_GUARD)
    several = len(patterns) > 1 or _has_comma(case)
    test = b.opaque(case) if several else _test(b, patterns[0], subject)
    captures = _captures(b, patterns, subject, several)
    if test is None and guard is None:
        body = block(b, case.child_by_field_id(_CONSEQUENCE), captures)
        b.out += body
        return
    if guard is not None:
        test, captures = _guarded(b, guard, test, captures), []
    assert test is not None, "a pattern that always matches has no others behind it"
    then = block(b, case.child_by_field_id(_CONSEQUENCE), captures)
    kept, b.out = b.out, []
    b.depth += 1
    _cases(b, subject, rest)
    b.depth -= 1
    other, b.out = tuple(b.out), kept
    ref = b.place(case)
    head(b, ref, case)
    b.out.append(If(ref, test, then, other))


def _guarded(b: Builder, guard: Node, test: Ref | None, captures: list[Instr]) -> Ref:
    """The guard is asked where the pattern matched, with its captures bound."""
    if test is None:
        b.out += captures
        return b.value(first_expression(guard))
    kept, b.out = b.out, captures
    holds = b.value(first_expression(guard))
    then, b.out = tuple(b.out), kept
    ref = b.place(guard)
    b.out.append(If(ref, test, then, (), (holds, test)))
    return ref


def _test(b: Builder, pattern: Node, subject: Ref) -> Ref | None:
    """Whether the subject matches; None for a pattern that always does."""
    while pattern.kind_id == _PATTERN or (pattern.kind_id in _AS and pattern.child(0).kind_id == _PATTERN):
        if pattern.kind_id == _PATTERN and _negative(pattern):
            return b.opaque(pattern)
        pattern = pattern.child(0)
    number = pattern.kind_id
    if number == _ANY or (number == _DOTTED and pattern.child_count == 1):
        return None
    if number == _DOTTED:
        return b.call(pattern, "operator.eq", subject, _value(b, pattern))
    if number in _LITERAL:
        return b.call(pattern, "operator.eq", subject, b.value(pattern))
    if number in _SINGLE:
        return b.call(pattern, "operator.is_", subject, b.value(pattern))
    if number == _UNION:
        return _union(b, pattern, subject)
    return b.opaque(pattern)


def _negative(pattern: Node) -> bool:
    return pattern.child_count > 1 or pattern.child(0).kind_id == _MINUS


def _value(b: Builder, dotted: Node) -> Ref:
    """`Color.RED`."""
    first, *rest = [child for child in dotted.children if child.kind_id == _IDENTIFIER]
    ref = b.load(first, b.read(first))
    for part in rest:
        base, ref = ref, b.place(dotted)
        b.out.append(Attr(ref, base, b.read(part)))
    return ref


def _union(b: Builder, pattern: Node, subject: Ref) -> Ref | None:
    """`1 | 2`, where all parts are literals or dotted names."""
    options = [child for child in pattern.children if EXPRESSIONS[child.kind_id] is not None]
    plain = all(
        each.kind_id in _LITERAL or each.kind_id in _SINGLE or each.kind_id == _DOTTED for each in options
    )
    if not plain or any(child.kind_id in (_MINUS, _ANY) for child in pattern.children):
        return b.opaque(pattern)
    if any(option.kind_id == _DOTTED and option.child_count == 1 for option in options):
        return b.opaque(pattern)
    matched = _test(b, options[0], subject)
    for option in options[1:]:
        kept, b.out = b.out, []
        right = _test(b, option, subject)
        block, b.out = tuple(b.out), kept
        assert matched is not None and right is not None, "only names match always"
        ref = b.place(option)
        b.out.append(If(ref, matched, (), block, (matched, right)))
        matched = ref
    return matched


def _captures(b: Builder, patterns: Sequence[Node], subject: Ref, several: bool) -> list[Instr]:
    """Stores of the names that a pattern binds: the subject itself where it is the whole, else unknown."""
    kept, b.out = b.out, []
    for pattern in patterns:
        for node, whole in _captured(pattern, not several):
            value = subject if whole else b.opaque(node)
            b.store(node, b.read(node), value)
    found, b.out = b.out, kept
    return found


def _captured(pattern: Node, whole: bool) -> list[tuple[Node, bool]]:
    """Names that a pattern binds, and whether each is bound to the whole subject."""
    found: list[tuple[Node, bool]] = []
    waiting = [(pattern, whole)]
    while waiting:
        node, whole = waiting.pop()
        number, children = node.kind_id, node.children
        if number == _DOTTED:
            if len(children) == 1:
                found.append((children[0], whole))
        elif number in _AS:
            found.append((children[-1], whole))
            waiting.append((children[0], whole))
        elif number == _SPLAT:
            found += [(child, False) for child in children if child.kind_id == _IDENTIFIER]
        elif number in (_CLASS, _KEYWORD):
            waiting += [(child, False) for child in reversed(children[1:])]
        else:
            inner = whole and number == _PATTERN
            waiting += [(child, inner) for child in reversed(children)]
    return found
