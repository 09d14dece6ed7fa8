"""What binds each global name of a module, read off its IR alone.

A name bound once by a `def`, `class`, import or plain constant means the same whenever it is asked for (it
is *fixed*),
and is worked out without running the module. All other names are *live*: they mean what the module run
left in them.
"""

from __future__ import annotations

from dataclasses import dataclass

from torchwise.flow.definitions import definitions, nested
from torchwise.ir import nodes as ir


@dataclass(frozen=True)
class Bindings:
    """`fixed`: the instructions that work out each fixed name, in order, the binding one last."""

    fixed: dict[str, tuple[ir.Instr, ...]]
    live: frozenset[str]
    stars: tuple[str, ...]  # paths of star imports
    attributes: frozenset[str] = frozenset()  # what it sets on other things: `config.debug = True`


def bindings(scope: ir.Scope) -> Bindings:
    defs = definitions(scope)
    found: dict[str, list[ir.Instr]] = {}
    top = {i.out for i in scope.body}
    stars, attributes = [], set()
    queue = list(scope.body)
    while queue:
        instr = queue.pop(0)
        queue = nested(instr) + queue
        match instr:
            case ir.Import(name="*", path=path):
                stars.append(path)
            case ir.Import(name=name) | ir.Store(name=name):
                found.setdefault(name, []).append(instr)
            case ir.SetAttr(name=name):
                attributes.add(name)
            case ir.Opaque(stores=stores):
                for name in stores:
                    found.setdefault(name, []).append(instr)
    fixed = {}
    for name, binders in found.items():
        chosen = _chosen(binders)
        needs = None if chosen is None else _slice(defs, chosen, chosen.out in top)
        if needs is not None:
            fixed[name] = needs
    return Bindings(fixed, frozenset(found) - fixed.keys(), tuple(stars), frozenset(attributes))


def _chosen(binders: list[ir.Instr]) -> ir.Instr | None:
    """The one binding; of several imports of one name (try: fast, except: slow) the first."""
    if len(binders) == 1:
        return binders[0]
    return binders[0] if all(isinstance(b, ir.Import) for b in binders) else None


def _slice(defs: dict[int, ir.Instr], binder: ir.Instr, at_top: bool) -> tuple[ir.Instr, ...] | None:
    if isinstance(binder, ir.Import):
        return (binder,)
    if not isinstance(binder, ir.Store):
        return None
    needs: dict[int, ir.Instr] = {}
    queue = [binder.value]
    while queue:
        ref = queue.pop()
        instr = defs.get(ref)
        if instr is None or ref in needs:
            continue
        inner = _operands(instr, isinstance(defs.get(binder.value), ir.Define))
        if inner is None:
            return None
        needs[ref] = instr
        queue += inner
    if not at_top and not isinstance(defs.get(binder.value), ir.Define):
        return None
    return (*[needs[ref] for ref in sorted(needs)], binder)


def _operands(instr: ir.Instr, for_definition: bool) -> list[int] | None:
    """What an instruction that has no effect is worked out from; None for one that may have an effect."""
    match instr:
        case ir.Const() | ir.Load():
            return []
        case ir.Attr(base=base):
            return [base]
        case ir.Build(kind="tuple" | "string", items=items):
            return [a.ref for a in items]
        case ir.Build(items=items) if for_definition:
            return [a.ref for a in items]
        case ir.Call(callee=str() as name, args=args) if name.startswith("operator.") and not name.startswith(
            "operator.i"
        ):
            return [a.ref for a in args]
        case ir.Call(callee=int() as callee, args=args) if for_definition:
            return [callee, *(a.ref for a in args)]
        case ir.Define(defaults=defaults, decorators=decorators):
            return [*(a.ref for a in defaults), *decorators]
    return None
