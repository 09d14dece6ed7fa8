"""Classes of the project: their names, fields, bases and method resolution order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from torchwise.domain.value import Class, Func, Named, Region, Value, Wrapped
from torchwise.flow.definitions import definitions
from torchwise.flow.lookup import ClassFacts
from torchwise.flow.variant import Variant
from torchwise.ir import nodes as ir
from torchwise.ops import OPS
from torchwise.project.program import TOP, attributes_set

if TYPE_CHECKING:
    from torchwise.project.memo import Memo

KNOWN_BASES = frozenset((
    "builtins.object", "builtins.Exception", "builtins.dict", "builtins.list", "abc.ABC", "enum.Enum",
    "typing.Generic", "typing.NamedTuple", "typing.Protocol", "torch.nn.Module", "torch.nn.modules.Module",
    "torch.utils.data.Dataset", "torch.utils.data.IterableDataset", "torch.autograd.Function",
))  # fmt: skip
ALIASES = {"torch.nn.modules.Module": "torch.nn.Module", "torch.nn.modules.module.Module": "torch.nn.Module"}


def class_facts(memo: Memo, key: str) -> ClassFacts | None:
    scope = memo.program.scope(key)
    found = memo.program.definition(key)
    if scope is None or found is None:
        return None
    where, define = found
    memo.uses(where)
    entry = memo.entry(Variant(key, ()))
    names = dict(entry.result.names) if entry else {}
    mro, closed = _resolution(memo, key, where, define)
    return ClassFacts(
        key,
        names,
        mro,
        closed,
        _fields(scope),
        _is_dataclass(memo, where, define),
        _rebound(memo, key, scope),
        entry.result.heap if entry else {},
    )


PLAIN_METACLASSES = (Named("abc.ABCMeta"), Named("builtins.type"))


def _resolution(memo: Memo, key: str, where: str, define: ir.Define) -> tuple[tuple[str, ...], bool]:
    """The method resolution order, depth first with the last mention kept (C3's order for all but odd
    hierarchies).
    """
    order, closed = [key], True
    for arg in define.bases:
        if arg.name is not None or arg.stars:
            plain = arg.name == "metaclass" and static(memo, where, arg.ref) in PLAIN_METACLASSES
            closed = closed and (plain or arg.name != "metaclass")  # it may make instances in any way
            continue
        match static(memo, where, arg.ref):
            case Class(base) if base != key:
                facts = memo.answer(("class", base))
                if isinstance(facts, ClassFacts):
                    order += facts.order
                    closed = closed and facts.closed
                else:
                    closed = False
            case Named(path):
                path = ALIASES.get(path, path)
                order.append(path)
                order += _outside(path)
                closed = closed and (path in KNOWN_BASES or _known_layer(path))
            case None:
                closed = False
            case _:
                closed = False
    seen: dict[str, None] = {}
    for cls in reversed(order):
        seen.setdefault(cls)
    return tuple(reversed(seen)), closed


def _outside(path: str) -> list[str]:
    if path.startswith("torch.nn.") and path != "torch.nn.Module" and _known_layer(path):
        return ["torch.nn.Module"]
    if path.startswith(("lightning.", "pytorch_lightning.")) and path.endswith("LightningModule"):
        return ["torch.nn.Module"]
    return ["torch.nn.Module"] if path.endswith(("PreTrainedModel",)) else []


def _known_layer(path: str) -> bool:
    return path in OPS and path.startswith("torch.nn.")


def static(memo: Memo, where: str, ref: int) -> Value | None:
    """A base or decorator expression, as far as it is names and attributes."""
    scope = memo.program.scope(where)
    instr = definitions(scope).get(ref) if scope else None
    file = where.partition("::")[0]
    match instr:
        case ir.Load(name=name):
            snapshot = memo.answer(("global", (file, name)))
            return snapshot.value  # type: ignore[attr-defined,no-any-return]
        case ir.Attr(base=base, name=name):
            match static(memo, where, base):
                case Named(path):
                    return Named(f"{path}.{name}")
                case module if module is not None and type(module).__name__ == "Module":
                    return memo.import_path(file, f"{module.path}:{name}").value  # type: ignore[attr-defined]
        case ir.Index(base=base):
            return static(memo, where, base)  # Generic[T], Dataset[Sample]
        case ir.Call(callee=int() as callee):
            return static(memo, where, callee)
    return None


def _fields(scope: ir.Scope) -> tuple[tuple[str, bool], ...]:
    """Annotated names of a class body, and whether each has a value. An annotation alone is an opaque
    instruction that may bind the name.
    """
    defined = {i.out for i in scope.body if isinstance(i, ir.Define)}
    found: dict[str, bool] = {}
    for instr in scope.body:
        if isinstance(instr, ir.Opaque) and len(instr.stores) == 1:
            found.setdefault(instr.stores[0], False)
        elif isinstance(instr, ir.Store) and not instr.name.startswith("__") and instr.value not in defined:
            found[instr.name] = True
    return tuple(found.items())


def _is_dataclass(memo: Memo, where: str, define: ir.Define) -> bool:
    wanted = {"dataclasses.dataclass", "dataclass", "attr.s", "attrs.define", "flax.struct.dataclass"}
    found = (static(memo, where, d) for d in define.decorators)
    return any(isinstance(v, Named) and v.path in wanted for v in found)


def _rebound(memo: Memo, key: str, scope: ir.Scope) -> frozenset[str]:
    path = key.partition("::")[0]
    out: set[str] = set()
    for inner in scope.inner:
        memo.uses(f"{path}::{inner}")
        method = memo.program.scope(f"{path}::{inner}")
        if method is not None and method.name != "__init__" and method.kind == "function":
            out |= attributes_set(method)
    return frozenset(out)


def decoration(memo: Memo, where: str, define: ir.Define) -> tuple[tuple[Region, ...], str]:
    """What the decorators of a function put around its calls, and whether it is a static or class method."""
    file, _, scope = where.partition("::")
    names: Mapping[str, Value] = {}
    if scope == TOP:
        snapshot = memo.global_name(file, define.name)
        value: Value | None = snapshot.value if snapshot else None
    else:
        facts = memo.answer(("class", where))
        names = facts.names if isinstance(facts, ClassFacts) else {}
        value = names.get(define.name)
    regions: tuple[Region, ...] = ()
    while isinstance(value, Wrapped):
        regions += value.regions
        value = value.func
    return (regions, value.static) if isinstance(value, Func) else (regions, "")
