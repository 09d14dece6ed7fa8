"""Every instruction of a scope by its number, nested ones too."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

from torchwise.ir import nodes as ir

Instr = TypeVar("Instr", bound=ir.Instr)


class Definitions(dict[int, ir.Instr]):
    """A dict that can be referred to weakly, so that what is worked out from it goes with it."""

    __slots__ = ("__weakref__", "_kinds", "_stores", "_used")
    _kinds: dict[type, list[Any]]
    _used: frozenset[int]
    _stores: dict[str, list[int]]

    def stored_once(self, name: str) -> int | None:
        """The value of a name that one instruction alone stores."""
        try:
            stores = self._stores
        except AttributeError:
            stores = self._stores = {}
            for instr in self.values():
                if type(instr) is ir.Store:
                    stores.setdefault(instr.name, []).append(instr.value)
        found = stores.get(name, ())
        return found[0] if len(found) == 1 else None

    def of_kind(self, kind: type[Instr]) -> list[Instr]:
        """The instructions of one class."""
        try:
            return self._kinds.get(kind, [])
        except AttributeError:
            self._kinds = {}
            for instr in self.values():
                self._kinds.setdefault(type(instr), []).append(instr)
            return self._kinds.get(kind, [])

    @property
    def used(self) -> frozenset[int]:
        """The instructions whose values are used by any other."""
        try:
            return self._used
        except AttributeError:
            self._used = frozenset(ref for instr in self.values() for ref in operands(instr))
            return self._used

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


def definitions(scope: ir.Scope) -> Definitions:
    """Kept with the scope, and gone with it."""
    known: Definitions | None = scope.__dict__.get("definitions")
    if known is not None:
        return known
    found = Definitions()
    queue = list(scope.body)
    while queue:
        instr = queue.pop()
        found[instr.out] = instr
        inner = nested(instr)
        if inner:
            queue += inner
    scope.__dict__["definitions"] = found
    return found


def nested(instr: ir.Instr) -> list[ir.Instr]:
    """The instructions in the blocks of an instruction, in the order of the source."""
    kind = type(instr)
    if kind is ir.If:
        return [*instr.then, *instr.other]  # type: ignore[attr-defined]
    if kind is ir.Loop:
        return [*instr.head, *instr.body, *instr.orelse]  # type: ignore[attr-defined]
    if kind is ir.With:
        return list(instr.body)  # type: ignore[attr-defined]
    if kind is ir.Try:
        inner = [i for h in instr.handlers for i in (*h.head, *h.body)]  # type: ignore[attr-defined]
        return [*instr.body, *inner, *instr.orelse, *instr.final]  # type: ignore[attr-defined]
    return list(instr.head) if kind is ir.Assert else []  # type: ignore[attr-defined]


def operands(instr: ir.Instr) -> set[int]:
    """The instructions whose values it uses."""
    if isinstance(instr, ir.Const | ir.Unpack):
        return {instr.value} if isinstance(instr, ir.Unpack) else set()
    found: set[int] = set()
    for name in _fields(instr.__class__):  # type: ignore[arg-type]  # a class can be hashed
        value = getattr(instr, name)
        if isinstance(value, int) and not isinstance(value, bool):
            found.add(value)
        elif isinstance(value, tuple):
            found |= {v for v in value if isinstance(v, int)}
            found |= {v.ref for v in value if isinstance(v, ir.Arg)}
    return found


def only_returned(defs: Definitions, ref: int) -> bool:
    """Whether a value is given back and nothing else is done with it, but for the name it goes by."""
    for instr in defs.values():
        if ref not in operands(instr) or isinstance(instr, ir.Return):
            continue
        if not isinstance(instr, ir.Store) or defs.stored_once(instr.name) != ref:
            return False
        loads = [i.out for i in defs.of_kind(ir.Load) if i.name == instr.name]
        if not all(only_returned(defs, load) for load in loads):
            return False
    return True


def fills(defs: Definitions, name: str) -> bool:
    """Whether elements are put into an attribute of this name, or its methods are called."""
    held = {i.out for i in defs.of_kind(ir.Attr) if i.name == name}
    bases = {i.base for kind in (ir.SetIndex, ir.Attr, ir.DropIndex) for i in defs.of_kind(kind)}  # type: ignore[attr-defined]
    return not held.isdisjoint(bases)


@cache
def _fields(kind: type) -> tuple[str, ...]:
    return tuple(name for name in getattr(kind, "__dataclass_fields__", ()) if name != "out")
