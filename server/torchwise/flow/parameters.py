"""The parameters of a module one by one, in the order that `parameters()` gives them."""

from __future__ import annotations

from torchwise.domain.value import ANY, Const, Items, Params, Pointer, Site, Tensor, Value
from torchwise.flow.held import as_read
from torchwise.flow.state import State

PLAIN = frozenset(("Num", "Const", "Some", "Func", "Class", "Named", "Dtype", "Device", "Items"))


def parameters_of(state: State, params: Params) -> tuple[Value, ...] | None:
    """None where one may be missing."""
    if params.kept is not None:
        return tuple([_now(state, value) for value in params.kept])
    found = _inside(state, params.of, "", set())
    if found is None or not found:
        return None
    once: dict[object, tuple[str, Tensor]] = {}  # one that is shared counts once, under its first name
    for name, tensor in found:
        once.setdefault(tensor.storage or name, (name, tensor))
    return tuple(Items((Const(name), t)) if params.named else t for name, t in once.values())


def _now(state: State, value: Value) -> Value:
    if isinstance(value, Items):
        return Items(tuple([state.current(v) for v in value.items]))
    return state.current(value)


def _inside(state: State, site: Site, prefix: str, seen: set[Site]) -> list[tuple[str, Tensor]] | None:
    obj = state.heap.get(site)
    if obj is None or obj.marks.get("opaque") is True or obj.items is None:
        return None
    if site in seen:
        return []
    seen.add(site)
    out: list[tuple[str, Tensor]] = []
    later: list[tuple[str, Site]] = []
    for name, value in (*obj.attrs.items(), *((str(i), v) for i, v in enumerate(obj.items))):
        if obj.marks.get("computed") == name:  # in its place are those that it is computed from
            return None
        value = as_read(obj, name, state.current(value))
        if isinstance(value, Tensor):
            out += [(prefix + name, value)] if value.kind == "parameter" else []
        elif isinstance(value, Pointer):
            if _is_module(state, value):
                later.append((f"{prefix}{name}.", value.to))
        elif value is ANY or type(value).__name__ not in PLAIN:
            return None
    for inner, to in later:
        more = _inside(state, to, inner, seen)
        if more is None:
            return None
        out += more
    return out


def _is_module(state: State, value: Pointer) -> bool:
    obj = state.heap.get(value.to)
    return obj is not None and ("torch.nn.Module" in obj.bases or obj.cls == "torch.nn.Module")
