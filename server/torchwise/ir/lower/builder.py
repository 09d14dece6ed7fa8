"""Collects the instructions of one scope."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from sys import intern

from tree_sitter import Node

from torchwise.ir.lower.broken import bound_names
from torchwise.ir.lower.tables import EXPRESSIONS
from torchwise.ir.nodes import Block as Instructions
from torchwise.ir.nodes import Arg, Call, Const, Instr, Load, Opaque, Ref, Scope, Store
from torchwise.ir.places import Places, Stretch
from torchwise.syntax.block import Block

DEEP = 100  # nested expressions and blocks; what lies deeper is Opaque
WIDE = 50  # branches of one elif chain or match; each nests into the one before
ROOT = "<module>"


@lru_cache(4096)
def arg(ref: Ref) -> Arg:
    """A plain argument. All scopes share those of the same number."""
    return Arg(ref)


class Builder:
    """Stateful because lowering is one walk that numbers values in the order in which they are worked out.

    `out` is the block that is being filled. `nodes[ref]` is where a ref comes from; refs count from 1, so that none is
    false.
    """

    __slots__ = (
        "key", "kind", "block", "read", "out", "nodes", "marks", "heads", "short", "stretches", "stores", "loads", "outer",
        "renames", "comprehensions", "depth", "generator", "counts", "inner", "scopes", "needed", "passing", "statement",
        "deferred", "broken", "filled", "parent",
    )  # fmt: skip

    def __init__(self, key: str, kind: str, parent: Builder | None = None) -> None:
        self.key, self.kind, self.parent = key, kind, parent
        self.out: list[Instr] = []
        self.nodes: list[Node] = []
        self.marks: list[tuple[Ref, Node]] = []
        self.heads: dict[Ref, tuple[int, int]] = {}
        self.short: dict[int, int] = {}  # by number of the mark: definitions count as statements up to their colon
        self.stretches: list[Stretch] = []
        self.stores: set[str] = set()
        self.loads: set[str] = set()
        self.needed: set[str] = set()  # free names of inner scopes
        self.passing: set[str] = set()  # free names that mean the module's whatever is bound here
        self.outer: dict[str, str] = {}  # global and nonlocal
        self.renames: dict[str, str] = {}  # variables of the comprehensions we are in
        self.comprehensions = 0
        self.generator = False
        self.counts: dict[str, int] = {}  # how often a name was defined
        self.inner: list[str] = []
        self.scopes: list[Scope] = []  # finished ones, inside this one
        self.deferred: list[tuple[str, str, str]] | None = None  # key, kind, name of what is lowered elsewhere
        self.depth = 0
        self.statement: Node | None = None
        self.broken = False
        self.filled: Mapping[int, str] = {}
        if parent is not None:
            self.block, self.read, self.depth, self.broken = parent.block, parent.read, parent.depth, parent.broken

    # where we are

    def enter(self, block: Block, root: Node, filled: Mapping[int, str], piece: int = 0) -> None:
        """From here on, nodes belong to this block. `filled` are half-typed lines in it, by where they start."""
        self.block = block
        self.read = _reader(block)
        self.broken = root.has_error
        self.filled = filled
        if not self.nodes:
            self.nodes.append(root)
        self.stretches.append(Stretch(len(self.nodes), block, piece))

    def text(self, node: Node) -> str:
        """The text of a node that may be long."""
        if (code := self.block.code).isascii():
            return code[node.start_byte : node.end_byte]
        return self.block.bytes[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def place(self, node: Node) -> Ref:
        """A new ref, for a value that comes from this node."""
        nodes = self.nodes
        nodes.append(node)
        return len(nodes) - 1

    def mark(self, node: Node) -> None:
        """From here on, refs belong to this statement."""
        self.statement = node
        self.marks.append((len(self.nodes), node))

    def key_for(self, name: str) -> str:
        """The key of a scope that is defined here."""
        count = self.counts[name] = self.counts.get(name, 0) + 1
        if name == "<lambda>":
            name = f"<lambda>{count}"
        elif count > 1:
            name = f"{name}@{count}"
        return name if self.key == ROOT else f"{self.key}.{name}"

    # the most frequent instructions

    def constant(self, node: Node, value: object) -> Ref:
        ref = self.place(node)
        self.out.append(Const(ref, value))
        return ref

    def load(self, node: Node, name: str) -> Ref:
        ref = self.place(node)
        if self.renames:
            name = self.renames.get(name, name)
        self.loads.add(name)
        self.out.append(Load(ref, name))
        return ref

    def store(self, node: Node, name: str, value: Ref) -> None:
        if self.renames:
            name = self.renames.get(name, name)
        self.bind(name)
        self.out.append(Store(self.place(node), name, value))

    def bind(self, name: str) -> None:
        if self.kind == "class" and name in self.loads:
            self.needed.add(name)  # loaded before it was bound: from outside
        self.stores.add(name)

    def call(self, node: Node, operator: str, *values: Ref) -> Ref:
        ref = self.place(node)
        self.out.append(Call(ref, operator, tuple([arg(value) for value in values])))
        return ref

    def opaque(self, node: Node, names: tuple[str, ...] = ()) -> Ref:
        for name in names:
            self.bind(name)
        ref = self.place(node)
        self.out.append(Opaque(ref, names))
        return ref

    def opaque_code(self, node: Node) -> Ref:
        """Code that is not modelled, with all names that it may bind."""
        return self.opaque(node, bound_names(self.text(node)))

    def value(self, node: Node) -> Ref:
        """Lowers an expression."""
        if self.depth > DEEP or self.broken and node.has_error:
            return self.opaque_code(node)
        self.depth += 1
        ref = EXPRESSIONS[node.kind_id](self, node)  # type: ignore[misc]
        self.depth -= 1
        return ref

    def aside(self, work: Callable[[], Ref]) -> tuple[Instructions, Ref]:
        """Instructions that run only on one side of an If, and the value they lead to."""
        kept, self.out = self.out, []
        ref = work()
        block, self.out = tuple(self.out), kept
        return block, ref

    # the end

    def places(self, rows: tuple[int, ...] = (0,)) -> Places:
        return Places(tuple(self.stretches), rows, self.nodes, self.marks, self.short, self.heads)

    def own_stores(self) -> frozenset[str]:
        return frozenset(self.stores.difference(self.outer) if self.outer else self.stores)

    def mentions(self) -> frozenset[str]:
        stores = self.own_stores()
        free = self.loads - stores
        if self.kind == "class":
            return frozenset(free | self.needed | self.passing)
        return frozenset(free | (self.needed - stores) | self.passing)

    def close(self, inner: Scope, passing: set[str]) -> None:
        """Takes in a finished scope that is defined here."""
        self.inner.append(inner.key)
        self.needed |= inner.mentions
        self.passing |= passing


def _reader(block: Block) -> Callable[[Node], str]:
    """How to get the text of a node of this block, for names: equal ones are one object."""
    if (code := block.code).isascii():
        return lambda node: intern(code[node.start_byte : node.end_byte])
    encoded = block.bytes
    return lambda node: intern(encoded[node.start_byte : node.end_byte].decode("utf-8", "replace"))
