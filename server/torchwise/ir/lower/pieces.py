"""Modules and classes are lowered block by block, and what an edit did not touch is taken from before.

A module sees only the *face* of a definition: decorators, parameters, bases. As long as all faces of its
blocks are equal it is not lowered again, and a function is not as long as its own text and key are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from torchwise.ir.lower.broken import sound
from torchwise.ir.lower.builder import ROOT, Builder
from torchwise.ir.lower.definitions import function_scope, name_span
from torchwise.ir.lower.statements import docstring, statements
from torchwise.ir.module import Body, Child, Module, Unit
from torchwise.ir.nodes import Scope
from torchwise.ir.places import Places
from torchwise.syntax.block import Block, as_bytes
from torchwise.syntax.parser import Node, kind, parse
from torchwise.syntax.parser import field as field_number
from torchwise.syntax.source import Source

_FUNCTION, _CLASS, _DECORATED = (
    kind("function_definition"),
    kind("class_definition"),
    kind("decorated_definition"),
)
_COMMENT, _COLON = kind("comment"), kind(":", False)
_DEFINITION = field_number("definition")


@dataclass
class Lowering:
    """One run over a file. Stateful because scopes are found in source order while their bodies are being
    lowered."""

    before: Module | None
    scopes: dict[str, Scope] = field(default_factory=dict)
    offsets: dict[str, int] = field(default_factory=dict)
    reused: set[str] = field(default_factory=set)
    lowered: set[str] = field(default_factory=set)
    units: dict[tuple[str, str], Unit] = field(default_factory=dict)
    bodies: dict[str, Body] = field(default_factory=dict)
    faces: dict[str, str] = field(default_factory=dict)

    def add(self, scope: Scope, offset: int, fresh: bool) -> None:
        self.scopes[scope.key] = scope
        self.offsets[scope.key] = offset
        (self.lowered if fresh else self.reused).add(scope.key)


def lower_source(source: Source, before: Module | None) -> Module:
    run = Lowering(before)
    _body(run, Builder(ROOT, "module"), None, source.blocks, source.rows, 0)
    _let_go(source.blocks)
    reused, lowered = frozenset(run.reused), frozenset(run.lowered)
    return Module(source, run.scopes, run.offsets, reused, lowered, run.units, run.bodies, run.faces)


def _let_go(blocks: Sequence[Block]) -> None:
    for block in blocks:
        block.let_go()
        _let_go(block.members)


def _body(
    run: Lowering,
    b: Builder,
    whole: Block | None,
    blocks: Sequence[Block],
    rows: tuple[int, ...],
    offset: int,
) -> Scope:
    """Lowers a module, or the class `whole`, or takes it over; and then what is defined in it."""
    faces = (whole.head if whole else "", *[_face(run, block) for block in blocks])
    old = run.before.bodies.get(b.key) if run.before else None
    cut = tuple([block.is_definition for block in blocks])  # a head alone may be all of a half-typed class
    same = old is not None and old.faces == faces and old.cut == cut
    body = old if old and same else _lower_body(b, whole, blocks, faces)
    fresh = body is not old
    run.scopes[b.key] = body.scope  # keeps its place in the order
    mentions: set[str] = set()
    for number, block in enumerate(blocks):
        for scope in body.inner.get(number, ()):
            run.add(scope, offset + rows[number], fresh)
        if number in body.children:
            mentions |= _child(run, body.children[number], block, offset + rows[number])
    scope = _renewed(body, mentions, rows)
    run.bodies[b.key] = body if scope is body.scope else replace(body, scope=scope)
    run.add(scope, offset, fresh)
    return scope


def _renewed(body: Body, mentions: set[str], rows: tuple[int, ...]) -> Scope:
    """The scope of a module or class, with its blocks where they stand now."""
    scope, places = body.scope, body.scope.places
    assert isinstance(places, Places)
    outside = mentions - scope.stores if scope.kind == "module" else mentions
    now = body.mentions | outside
    if now == scope.mentions and places.rows == rows:
        return scope
    return replace(scope, mentions=now, places=places if places.rows == rows else places.moved(rows))


def _child(run: Lowering, child: Child, block: Block, offset: int) -> frozenset[str]:
    """What a function or class mentions, once its scopes have been added."""
    if child.kind == "class":
        return _body(
            run, Builder(child.key, "class"), block, block.members, member_rows(block), offset
        ).mentions
    known = run.before.units.get((child.key, block.code)) if run.before else None
    unit = known or _lower_function(child.key, block)
    run.units[child.key, block.code] = unit
    for scope in unit.scopes:
        run.add(scope, offset, known is None)
    return unit.scopes[0].mentions


def member_rows(block: Block) -> tuple[int, ...]:
    rows, found = block.head_rows, []
    for member in block.members:
        found.append(rows)
        rows += member.rows
    return tuple(found)


def _lower_function(key: str, block: Block) -> Unit:
    b = Builder(key, "function")
    b.block = block
    node = _definition(block.tree.root_node)
    assert node is not None, "only a block with a face of its own is lowered as a function"
    return Unit(tuple(function_scope(b, node).scopes))


def _lower_body(b: Builder, whole: Block | None, blocks: Sequence[Block], faces: tuple[str, ...]) -> Body:
    inner: dict[int, tuple[Scope, ...]] = {}
    children: dict[int, Child] = {}
    doc, first = None, True
    for number, block in enumerate(blocks):
        if not faces[number + 1]:
            continue
        root = _root(block, faces[number + 1]) if block.is_definition else block.tree.root_node
        b.enter(block, root, {} if block.is_definition else block.filled, number)
        nodes = root.children
        if first and nodes:
            doc, nodes = docstring(b, nodes)
            first = False
        b.deferred = [] if block.is_definition else None
        statements(b, nodes)
        for key, kind_of, name in b.deferred or ():
            children[number] = Child(key, kind_of, name)
        if b.scopes:
            inner[number], b.scopes = tuple(b.scopes), []
    scope = _scope(b, whole, doc)
    cut = tuple([block.is_definition for block in blocks])
    return Body(faces, cut, scope, inner, children, scope.mentions)


def _scope(b: Builder, whole: Block | None, doc: str | None) -> Scope:
    name, header = ROOT, None
    if whole is not None:
        definition = _class_definition(parse(as_bytes(whole.head)).root_node)
        assert definition is not None, "only a class with a sound head is cut"
        b.block = whole
        name, header = b.key.rpartition(".")[2].partition("@")[0], name_span(b, definition)
    return Scope(
        b.key,
        "module" if whole is None else "class",
        name,
        (),
        tuple(b.out),
        b.own_stores(),
        tuple(b.outer.items()),  # type: ignore[arg-type]
        b.mentions(),
        tuple(b.inner),
        doc=doc,
        places=b.places(),
        header=header,
    )


def _root(block: Block, face: str) -> Node:
    return block.parsed.root_node if block.parsed else parse(as_bytes(face)).root_node


def _face(run: Lowering, block: Block) -> str:
    """What the surrounding scope sees of a block: the head of a function or class, all of anything else."""
    if block.face is None:
        code = "" if block.members else block.code
        known = run.before.faces.get(code) if run.before else None
        face = known or (_class_face(block) if block.members else _function_face(block, code))
        block.face, block.is_definition = (block.code, False) if face is None else (face, True)
    if block.is_definition and not block.members:
        run.faces[block.code] = block.face
    return block.face


def _class_face(block: Block) -> str | None:
    root = parse(as_bytes(block.head)).root_node
    return None if root.has_error or not _class_definition(root) else block.head


def _function_face(block: Block, code: str) -> str | None:
    """None where the block is something else, or its head is broken."""
    node = _definition(block.tree.root_node) if code else None
    ends = [child.end_byte for child in node.children if child.kind_id == _COLON] if node else []
    face = block.encoded[: ends[-1]].decode("utf-8", "replace") if ends else code
    return None if face == code else face


def _definition(root: Node) -> Node | None:
    """The function that a block is, if it is nothing else and its head is sound."""
    return _only(root, _FUNCTION)


def _class_definition(root: Node) -> Node | None:
    return _only(root, _CLASS)


def _only(root: Node, number: int) -> Node | None:
    nodes = [node for node in root.children if node.kind_id != _COMMENT]
    if len(nodes) != 1 or (root.has_error and not sound(nodes[0])):
        return None
    node = nodes[0]
    if node.kind_id == _DECORATED:
        node = node.child_by_field_id(_DEFINITION)
    return node if node and node.kind_id == number else None
