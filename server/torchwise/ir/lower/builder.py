"""Collects the instructions of one scope."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from sys import intern

from torchwise.ir.lower.broken import bound_names
from torchwise.ir.lower.tables import EXPRESSIONS
from torchwise.ir.nodes import Arg, Call, Const, Instr, Literals, Load, Opaque, Ref, Scope, Store
from torchwise.ir.nodes import Block as Instructions
from torchwise.ir.places import Places, Stretch
from torchwise.syntax.block import Block
from torchwise.syntax.parser import Node

DEEP = 100  # nested expressions and blocks; what lies deeper is Opaque
WIDE = 50  # branches of one elif chain or match; each nests into the one before
ROOT = "<module>"


@lru_cache(4096)
def arg(ref: Ref) -> Arg:
    """A plain argument. All scopes share those of the same number."""
    return Arg(ref)


class Builder:
    """Stateful because lowering is one walk that numbers values in the order in which they are worked out.

    `out` is the block that is being filled. `nodes[ref]` is where a ref comes from; refs count from 1, so
    that none is false.
    """

    __slots__ = (
        "block",
        "broken",
        "comprehensions",
        "counts",
        "deferred",
        "depth",
        "filled",
        "generator",
        "heads",
        "inner",
        "key",
        "kind",
        "loads",
        "marks",
        "needed",
        "nodes",
        "out",
        "outer",
        "parent",
        "passing",
        "read",
        "renames",
        "scopes",
        "short",
        "statement",
        "stores",
        "stretches",
    )  # fmt: skip

    def __init__(self, key: str, kind: str, parent: Builder | None = None) -> None:
        self.key, self.kind, self.parent = key, kind, parent
        self.block: Block
        self.read: Callable[[Node], str]
        self.out: list[Instr] = []
        self.nodes: list[Node] = []
        self.marks: list[tuple[Ref, Node]] = []
        self.heads: dict[Ref, tuple[int, int]] = {}
        self.short: dict[int, int] = {}  # by number of the mark: a definition is a statement up to its colon
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
        self.deferred: list[tuple[str, str, str]] | None = None  # key, kind, name of what others lower
        self.depth = 0
        self.statement: Node | None = None
        self.broken = False
        self.filled: Mapping[int, str] = {}
        if parent is not None:
            self.block, self.read = parent.block, parent.read
            self.depth, self.broken = parent.depth, parent.broken

    # where we are

    def enter(self, block: Block, root: Node, filled: Mapping[int, str], piece: int = 0) -> None:
        """From here on, nodes belong to this block. `filled` are its half-typed lines, by where they
        start."""
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
        return self.block.encoded[node.start_byte : node.end_byte].decode("utf-8", "replace")

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

    def constant(self, node: Node, value: Literals) -> Ref:
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
        if self.depth > DEEP or (self.broken and node.has_error):
            return self.opaque_code(node)
        self.depth += 1
        ref = EXPRESSIONS[node.kind_id](self, node)  # type: ignore[misc]
        self.depth -= 1
        return ref

    def aside(self, node: Node) -> tuple[Instructions, Ref]:
        """Lowers an expression that is worked out only on one side of an If: its instructions and value."""
        kept, self.out = self.out, []
        ref = self.value(node)
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
        passing = self.passing - stores if self.kind == "module" else self.passing
        return frozenset(free | (self.needed - stores) | passing)

    def close(self, inner: Scope, passing: set[str]) -> None:
        """Takes in a finished scope that is defined here."""
        self.inner.append(inner.key)
        self.needed |= inner.mentions
        self.passing |= passing


def _reader(block: Block) -> Callable[[Node], str]:
    """How to get the text of a node of this block, for names: equal ones are one object."""
    if (code := block.code).isascii():
        return lambda node: intern(code[node.start_byte : node.end_byte])
    encoded = block.encoded
    return lambda node: intern(encoded[node.start_byte : node.end_byte].decode("utf-8", "replace"))
