"""The last row of the table of expressions: whatever no other file of this package lowers."""

from __future__ import annotations

from torchwise.ir.lower import control, definitions, displays, imports, patterns  # noqa: F401  they fill the tables
from torchwise.ir.lower.builder import Builder
from torchwise.ir.lower.tables import anything_else
from torchwise.ir.nodes import Ref
from torchwise.syntax.parser import Node


@anything_else
def unknown(b: Builder, node: Node) -> Ref:
    return b.opaque_code(node)
