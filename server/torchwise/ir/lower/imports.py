"""`import` and `from ... import`."""

from __future__ import annotations

from torchwise.ir.lower.builder import Builder
from torchwise.ir.lower.tables import statement
from torchwise.ir.nodes import Import
from torchwise.syntax.parser import Node, field, kind

_ALIASED, _WILDCARD = kind("aliased_import"), kind("wildcard_import")
_NAME, _ALIAS, _MODULE = field("name"), field("alias"), field("module_name")


@statement("import_statement")
def imported(b: Builder, node: Node) -> None:
    for part in node.children_by_field_id(_NAME):
        if part.kind_id == _ALIASED:
            _bind(b, part, b.read(part.child_by_field_id(_ALIAS)), _dotted(b, part.child_by_field_id(_NAME)))
        else:
            top = _dotted(b, part).partition(".")[0]
            _bind(b, part, top, top)


@statement("import_from_statement", "future_import_statement")
def imported_from(b: Builder, node: Node) -> None:
    module = node.child_by_field_id(_MODULE)
    path = _dotted(b, module) if module else "__future__"
    for part in node.children:
        if part.kind_id == _WILDCARD:
            b.out.append(Import(b.place(part), "*", path))
    before = path if path.endswith(".") else path + "."
    for part in node.children_by_field_id(_NAME):
        if part.kind_id == _ALIASED:
            name, alias = part.child_by_field_id(_NAME), part.child_by_field_id(_ALIAS)
            _bind(b, part, b.read(alias), before + _dotted(b, name))
        else:
            name = _dotted(b, part)
            _bind(b, part, name, before + name)


def _dotted(b: Builder, node: Node) -> str:
    """Without the white space that may stand around dots."""
    text = b.read(node)
    return text if text.isidentifier() else "".join(text.replace("\\", "").split())


def _bind(b: Builder, node: Node, name: str, path: str) -> None:
    b.bind(name)
    b.out.append(Import(b.place(node), name, path))
