"""Every instruction of a scope by its number, nested ones too."""

from __future__ import annotations

from torchwise.ir import nodes as ir


class Definitions(dict[int, ir.Instr]):
    """A dict that can be referred to weakly, so that what is worked out from it goes with it."""

    __slots__ = ("__weakref__", "_stores")
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
