"""Which live global names of its file a call of a scope may touch.

It may touch what it mentions itself, and what any function does that it may come to call: by its name, as a
method (by the name of the attribute, whatever it is called on), as what an attribute was given, or as the
`forward` of an object.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from torchwise.flow.definitions import Definitions, definitions
from torchwise.ir import nodes as ir

CALLED_AS_OBJECTS = ("forward", "__call__")


def touched(scopes: Mapping[str, ir.Scope], live: frozenset[str]) -> Mapping[str, frozenset[str]]:
    """By scope; nothing where the file has no live names."""
    if not live:
        return {}
    led_to = {key: _mentions(_with_inner(scopes, key)) for key in scopes}
    by_attribute = _by_attribute(scopes)
    for key, scope in scopes.items():
        names = _attributes(scope, live)
        led_to[key] = led_to[key] | {to for name in names for to in by_attribute.get(name, ())}
    reach: dict[str, frozenset[str]] = {}
    for key in scopes:
        seen: set[str] = set()
        queue = [key]
        found: set[str] = set()
        while queue:
            at = queue.pop()
            if at not in seen:
                seen.add(at)
                found |= led_to[at]
                queue += [n for n in led_to[at] if n in scopes and n not in seen]
        reach[key] = frozenset(found & live)
    return reach


def _by_attribute(scopes: Mapping[str, ir.Scope]) -> Mapping[str, set[str]]:
    """The scopes that an attribute of a name may lead to: methods, and where it is assigned."""
    found: dict[str, set[str]] = defaultdict(set)
    for key, scope in scopes.items():
        if "." in key and scope.kind == "function":
            found[key.rpartition(".")[2]].add(key)
        for instr in definitions(scope).of_kind(ir.SetAttr):
            found[instr.name].add(key)
    return found


def _attributes(scope: ir.Scope, live: frozenset[str]) -> set[str]:
    """The attributes that it reads, and what calling an object comes to."""
    defs = definitions(scope)
    names = {instr.name for instr in defs.of_kind(ir.Attr)}
    own = scope.stores | {param.name for param in scope.params}
    if any(_is_object(defs, own | live, call.callee) for call in defs.of_kind(ir.Call)):
        names.update(CALLED_AS_OBJECTS)
    return names


def _is_object(defs: Definitions, variables: frozenset[str] | set[str], callee: int | str) -> bool:
    """Whether what is called may be an object: `self.head(x)`, and not `torch.zeros(n)`."""
    instr = defs.get(callee) if isinstance(callee, int) else None
    while isinstance(instr, ir.Attr | ir.Index):
        instr = defs.get(instr.base)
    return isinstance(callee, int) and (not isinstance(instr, ir.Load) or instr.name in variables)


def _mentions(scopes: list[ir.Scope]) -> frozenset[str]:
    out: set[str] = set()
    for scope in scopes:
        out |= scope.mentions
        out |= {name for name, kind in scope.outer if kind == "global"}
    return frozenset(out)


def _with_inner(scopes: Mapping[str, ir.Scope], key: str) -> list[ir.Scope]:
    out, queue = [], [key]
    while queue:
        scope = scopes.get(queue.pop())
        if scope is not None:
            out.append(scope)
            if scope.kind == "class":
                queue += scope.inner
    return out
