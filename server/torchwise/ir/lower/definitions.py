"""Functions, lambdas and classes: each has a scope of its own."""

from __future__ import annotations

from torchwise.ir.lower.builder import DEEP, Builder
from torchwise.ir.lower.control import head
from torchwise.ir.lower.names import elements, first_expression
from torchwise.ir.lower.statements import docstring, statements
from torchwise.ir.lower.tables import expression, statement
from torchwise.ir.lower.targets import IDENTIFIER, target_names
from torchwise.ir.nodes import Arg, Define, Param, Ref, Return, Scope
from torchwise.syntax.parser import Node, field, kind, kinds
from torchwise.syntax.span import Span

_DECORATOR, _ASYNC = kind("decorator"), kind("async", False)
_POSITIONAL, _KEYWORD = kind("positional_separator"), kind("keyword_separator")
_DEFAULT, _TYPED, _TYPED_DEFAULT = (
    kind("default_parameter"),
    kind("typed_parameter"),
    kind("typed_default_parameter"),
)
_STAR, _STARS, _TUPLE = kinds("list_splat_pattern"), kinds("dictionary_splat_pattern"), kinds("tuple_pattern")
_CLASS, _TYPE = kind("class_definition"), kind("type")
_DEFINITION, _NAME, _BODY, _PARAMETERS = (
    field("definition"),
    field("name"),
    field("body"),
    field("parameters"),
)
_RETURNS, _BASES, _VALUE, _ANNOTATION = (
    field("return_type"),
    field("superclasses"),
    field("value"),
    field("type"),
)


@statement("decorated_definition")
def decorated(b: Builder, node: Node) -> None:
    decorators = [b.value(first_expression(child)) for child in node.children if child.kind_id == _DECORATOR]
    definition = node.child_by_field_id(_DEFINITION)
    if definition.kind_id == _CLASS:
        _class(b, definition, node, tuple(decorators))
    else:
        _function(b, definition, node, tuple(decorators))


@statement("function_definition")
def function(b: Builder, node: Node) -> None:
    _function(b, node, node, ())


@statement("class_definition")
def class_statement(b: Builder, node: Node) -> None:
    _class(b, node, node, ())


def _function(b: Builder, node: Node, whole: Node, decorators: tuple[Ref, ...]) -> None:
    name_node = node.child_by_field_id(_NAME)
    name = b.read(name_node)
    key = b.key_for(name)
    defaults = _defaults(b, node.child_by_field_id(_PARAMETERS))
    ref = b.place(name_node)
    head(b, ref, node)
    b.short[len(b.marks) - 1] = b.heads[ref][1]
    b.out.append(Define(ref, "function", name, key, defaults, (), decorators))
    b.store(name_node, name, ref)
    if b.deferred is not None:
        b.deferred.append((key, "function", name))
        b.inner.append(key)
    else:
        inner = function_scope(Builder(key, "function", b), node)
        b.scopes += inner.scopes


def _class(b: Builder, node: Node, whole: Node, decorators: tuple[Ref, ...]) -> None:
    name_node = node.child_by_field_id(_NAME)
    name = b.read(name_node)
    key = b.key_for(name)
    bases = node.child_by_field_id(_BASES)
    args = elements(b, bases) if bases else ()
    ref = b.place(name_node)
    head(b, ref, node)
    b.short[len(b.marks) - 1] = b.heads[ref][1]
    b.out.append(Define(ref, "class", name, key, (), args, decorators))
    b.store(name_node, name, ref)
    if b.deferred is not None:
        b.deferred.append((key, "class", name))
        b.inner.append(key)
    else:
        inner = class_scope(Builder(key, "class", b), node)
        b.scopes += inner.scopes


def name_span(b: Builder, node: Node) -> Span:
    name: Node = node.child_by_field_id(_NAME)
    return b.block.span(name.start_byte, name.end_byte)


def function_scope(b: Builder, node: Node) -> Builder:
    """Lowers the body of a function; leaves its scope first in `scopes`."""
    _start(b, node)
    params = _params(b, node.child_by_field_id(_PARAMETERS))
    returns = node.child_by_field_id(_RETURNS)
    doc = _body(b, node)
    scope = Scope(
        b.key,
        "function",
        b.read(node.child_by_field_id(_NAME)),
        params,
        tuple(b.out),
        b.own_stores(),
        tuple(b.outer.items()),  # type: ignore[arg-type]
        b.mentions(),
        tuple(b.inner),
        b.generator,
        any(child.kind_id == _ASYNC for child in node.children[:1]),
        doc,
        b.read(returns) if returns else None,
        b.places(),
        name_span(b, node),
    )
    return _finish(b, scope)


def class_scope(b: Builder, node: Node) -> Builder:
    _start(b, node)
    doc = _body(b, node)
    scope = Scope(
        b.key,
        "class",
        b.read(node.child_by_field_id(_NAME)),
        (),
        tuple(b.out),
        b.own_stores(),
        tuple(b.outer.items()),  # type: ignore[arg-type]
        b.mentions(),
        tuple(b.inner),
        doc=doc,
        places=b.places(),
        header=name_span(b, node),
    )
    return _finish(b, scope)


def _start(b: Builder, node: Node) -> None:
    b.enter(b.block, node, b.block.filled)


def _body(b: Builder, node: Node) -> str | None:
    body = node.child_by_field_id(_BODY)
    if body is None:
        return None
    doc, nodes = docstring(b, body.children)
    if b.depth > DEEP:
        b.opaque_code(body)
    else:
        b.depth += 2
        statements(b, nodes)
        b.depth -= 2
    return doc


def _finish(b: Builder, scope: Scope) -> Builder:
    b.scopes.insert(0, scope)
    if b.parent is not None:
        passing = {name for name in b.loads if b.outer.get(name) == "global"} | b.passing
        b.parent.close(scope, passing)
    return b


@expression("lambda")
def anonymous(b: Builder, node: Node) -> Ref:
    key = b.key_for("<lambda>")
    parameters = node.child_by_field_id(_PARAMETERS)
    defaults = _defaults(b, parameters)
    ref = b.place(node)
    b.out.append(Define(ref, "lambda", "<lambda>", key, defaults))
    inner = Builder(key, "lambda", b)
    inner.comprehensions = b.comprehensions
    _start(inner, node)
    params = _params(inner, parameters)
    inner.renames = {old: new for old, new in b.renames.items() if old not in inner.stores}
    body = node.child_by_field_id(_BODY)
    inner.mark(body)
    value = inner.value(body)
    inner.out.append(Return(inner.place(body), value))
    scope = Scope(
        key,
        "lambda",
        "<lambda>",
        params,
        tuple(inner.out),
        inner.own_stores(),
        (),
        inner.mentions(),
        tuple(inner.inner),
        inner.generator,
        places=inner.places(),
    )
    b.scopes += _finish(inner, scope).scopes
    return ref


def _defaults(b: Builder, parameters: Node | None) -> tuple[Arg, ...]:
    """Worked out where the function stands."""
    found = []
    for node in parameters.children if parameters else ():
        if node.kind_id in (_DEFAULT, _TYPED_DEFAULT):
            name = node.child_by_field_id(_NAME)
            found.append(Arg(b.value(node.child_by_field_id(_VALUE)), b.read(name)))
    return tuple(found)


def _params(b: Builder, parameters: Node | None) -> tuple[Param, ...]:
    found: list[Param] = []
    kind_now = "ordinary"
    for node in parameters.children if parameters else ():
        number = node.kind_id
        if number == _POSITIONAL:
            found = [
                Param(each.name, "positional", each.annotation, each.default, each.none) for each in found
            ]
        elif number == _KEYWORD:
            kind_now = "keyword"
        elif param := _param(b, node, kind_now):
            found.append(param)
            if param.kind == "star":
                kind_now = "keyword"
    b.stores.update([param.name for param in found])
    return tuple(found)


def _param(b: Builder, node: Node, kind_now: str) -> Param | None:
    number = node.kind_id
    if number == IDENTIFIER:
        return Param(b.read(node), kind_now)  # type: ignore[arg-type]
    if number in (_DEFAULT, _TYPED_DEFAULT):
        annotation = node.child_by_field_id(_ANNOTATION)
        name = node.child_by_field_id(_NAME)
        none = b.read(node.child(node.child_count - 1)) == "None"
        return Param(b.read(name), kind_now, b.read(annotation) if annotation else None, True, none)  # type: ignore[arg-type]
    if number == _TYPED:
        annotation = node.child_by_field_id(_ANNOTATION)
        bare = _param(b, node.child(0), kind_now)
        return bare and Param(bare.name, bare.kind, b.read(annotation) if annotation else None)
    if number in _STAR:
        return Param(b.read(first_expression(node)), "star")
    if number in _STARS:
        return Param(b.read(first_expression(node)), "double-star")
    if number in _TUPLE:  # Python 2
        names = tuple(target_names(b, node))
        b.opaque(node, names)
        return Param(b.read(node), kind_now)  # type: ignore[arg-type]
    return None
