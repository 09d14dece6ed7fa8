"""The autograd graph as far as the code shows it: what each call records, and what a backward then meets.

A graph is kept flattened (see `domain.value.Graph`): its nodes, what they saved and at which version, and
the leaves that
would receive gradients. A backward fails where a saved storage was changed since, or where a node was
freed before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.nature import SCALED
from torchwise.domain.value import (
    ANY,
    Any,
    Const,
    Graph,
    Items,
    Many,
    Num,
    Obj,
    Params,
    Pointer,
    Saved,
    Site,
    Some,
    Tensor,
    Value,
)
from torchwise.domain.verdict import FAILS, HOLDS, UNKNOWN, Verdict
from torchwise.flow.state import CLEAR, GRAD_UNKNOWN, Grad, State
from torchwise.flow.strangers import added
from torchwise.flow.together import members, storages
from torchwise.ops import Given, Op
from torchwise.ops.layers_recurrent import PACKED

if TYPE_CHECKING:
    from torchwise.domain.effects import Backward
    from torchwise.flow.run import Run

MAX_GRAPH = 3_000
FLOATS = frozenset(("float32", "float64", "float16", "bfloat16", "complex64", "complex128", "complex32"))
LEAF = "leaf"  # `Saved.what` of a parameter that a node does not keep: which version it was computed from
STALE = "stale"  # part of a token in `freed`: the caller's graph is outdated
AVERAGES = frozenset(("mul", "add", "sub", "div", "lerp", "add_", "sub_", "lerp_", "copy_", "clone"))
MODULE, MOST_NESTED = "torch.nn.Module", 5
EVERYTHING = "*"  # part of a site: the parameters of something whose parameters are not known one by one


def differentiable(state: State, op: Op, given: Given, result: Tensor) -> Verdict:
    """Whether the result of an op requires grad."""
    if op.grad == "cut" or (result.dtype is not None and result.dtype not in FLOATS):
        return FAILS
    mode = state.grad_mode()
    if mode.fails:
        return FAILS
    wants = [t.requires_grad for t in _inputs(state, given)]
    if any(w.holds for w in wants):
        return HOLDS if mode.holds else UNKNOWN
    if given_unknown(given):
        return UNKNOWN
    return FAILS if all(w.fails for w in wants) else UNKNOWN


DISTRIBUTIONS = "torch.distributions."
CONTAINERS = frozenset(("list", "set", "dict", "generator", "collections.deque", "collections.OrderedDict"))


def given_unknown(given: Given) -> bool:
    """Whether an argument that nothing is known of may be a tensor that requires grad, or hold one."""
    if any(_unknown(given, v) for v in given.values.values()):
        return True
    obj = given.obj()
    return obj is not None and _hides(given, obj)


def _made_of_unknown(given: Given, obj: Obj) -> bool:
    """Whether a distribution has a parameter that nothing is known of, or is one of the project's."""
    if obj.cls.startswith(DISTRIBUTIONS):
        return any(_unknown(given, v) for v in obj.attrs.values())
    return "::" in obj.cls and any(base.startswith(DISTRIBUTIONS) for base in obj.bases)


def _hides(given: Given, obj: Obj, depth: int = 0) -> bool:
    """Whether an object, or a module in it, has parameters that are not known one by one."""
    if obj.marks.get("opaque") is True:
        return True
    if depth == MOST_NESTED:
        return False
    for value in (*obj.attrs.values(), *(obj.items or ())) if depth else obj.attrs.values():
        inner = given.heap.get(value.to) if type(value) is Pointer else None
        if inner is not None and MODULE in inner.bases and _hides(given, inner, depth + 1):
            return True
    return False


def _unknown(given: Given, value: Value) -> bool:
    match value:
        case Any():
            return True
        case Many(each):
            return not (isinstance(each, Tensor) and each.requires_grad.fails) and not isinstance(
                each, Num | Const | Some
            )
        case Items(items):
            return any(type(v) is Any for v in items)
        case Pointer(to) if to in given.heap and given.heap[to].cls in CONTAINERS:
            obj = given.heap[to]
            return (
                _unknown(given, Many(obj.each or ANY))
                if obj.items is None
                else any(type(v) is Any for v in obj.items)
            )
        case Pointer(to) if to in given.heap:  # its data may have a graph
            return given.heap[to].cls == PACKED or _made_of_unknown(given, given.heap[to])
    return False


def _inputs(state: State, given: Given) -> list[Tensor]:
    """Every tensor that goes into the call: arguments, elements of sequences, and the parameters of the
    object called.
    """
    out: list[Tensor] = []
    for name, value in given.values.items():
        obj = state.heap.get(value.to) if type(value) is Pointer else None
        if type(value) is Tensor:
            out.append(value)
        elif obj is not None and obj.cls in CONTAINERS:
            out += _tensors(state, obj.items if obj.items is not None else (obj.each or ANY,))
        elif obj is not None and (name == "self" or obj.cls.startswith(DISTRIBUTIONS)):
            out += _held(state, obj)
        elif type(value) is Items:
            out += _tensors(state, value.items)
        elif type(value) is Many:
            out += _tensors(state, (value.each,))
    return out


def _held(state: State, obj: Obj, depth: int = 0) -> list[Tensor]:
    """The tensors of an object, and of the modules in it."""
    out: list[Tensor] = []
    for value in (*obj.attrs.values(), *(obj.items or ())) if depth else obj.attrs.values():
        if type(value) is Tensor:
            out.append(state.current(value))  # type: ignore[arg-type]
        elif type(value) is Pointer and depth < MOST_NESTED:
            inner = state.heap.get(value.to)
            if inner is not None and (MODULE in inner.bases or inner.cls.startswith(DISTRIBUTIONS)):
                out += _held(state, inner, depth + 1)
    return out


def _tensors(state: State, values: tuple[Value, ...] | None) -> list[Tensor]:
    return [t for t in map(state.current, values or ()) if type(t) is Tensor]


def recorded(run: Run, state: State, op: Op, given: Given, site: Site, storage: Site) -> Graph:
    """The graph of a result: those of its inputs, and the node of this call."""
    inputs = _inputs(state, given)
    nodes, saved, owners = {site}, set[Saved](), set[Site]()
    complete = not given_unknown(given)
    for tensor in inputs:
        if tensor.graph is not None:
            nodes |= tensor.graph.nodes
            saved |= tensor.graph.saved
            owners |= tensor.graph.owners
            complete = complete and tensor.graph.complete
        elif tensor.leaf.holds and not tensor.requires_grad.fails and tensor.storage is not None:
            owners |= set(storages(state, tensor.storage))
        elif not tensor.requires_grad.fails:
            complete = False
    obj = given.obj()
    if obj is not None and obj.marks.get("opaque") is True:
        owners.add(given["self"].to.of(EVERYTHING))  # type: ignore[attr-defined]
    saved |= _saved_here(run, state, op, given, site, storage, inputs)
    if len(saved) + len(nodes) > MAX_GRAPH:
        return Graph(frozenset((site,)), frozenset(), frozenset(owners), complete=False)
    return Graph(frozenset(nodes), frozenset(saved), frozenset(owners), complete)


def _saved_here(
    run: Run, state: State, op: Op, given: Given, site: Site, storage: Site, inputs: list[Tensor]
) -> set[Saved]:
    out = set()
    for what in op.saves:
        name, _, needed_for = what.partition("<")
        if name == "result":
            version = state.version(storage) + (1 if op.inplace else 0)
            out.add(Saved(site, op.name, "result", storage, version))
            continue
        if name == "inside":
            out.add(Saved(site, op.name, name, site.of(name), 0))
            continue
        tensor = _named(state, given, name)
        if tensor is None or tensor.storage is None:
            continue
        if _needed(state, given, tensor, needed_for, inputs):
            if tensor.kind == "inference" and state.grad_mode().holds:
                run.event("inference-saved", site.ref, state, tuple(tensor.calls), tensor, op.name)
            out.add(Saved(site, op.name, name, tensor.storage, state.version(tensor.storage)))
    if op.name in AVERAGES:
        out |= {
            Saved(site, op.name, LEAF, t.storage, state.version(t.storage))
            for t in inputs
            if t.kind == "parameter" and t.requires_grad.holds and t.storage is not None
        }
    return out


def _needed(state: State, given: Given, tensor: Tensor, needed_for: str, inputs: list[Tensor]) -> bool:
    """A tensor is kept only for the gradients of those that certainly want one.

    Of several inputs, one is kept for the gradients of the others, unless the row says otherwise
    (`self<self`).
    """
    if needed_for:
        wanting = [t for n in needed_for.split(",") if (t := _named(state, given, n)) is not None]
    else:
        others = [t for t in inputs if t is not tensor]
        wanting = others or [tensor]
    return any(t.requires_grad.holds for t in wanting)


def _named(state: State, given: Given, name: str) -> Tensor | None:
    found = given.tensor(name)
    if found is None and name not in given:
        obj = given.obj()
        value = obj.attrs.get(name) if obj is not None else None
        found = state.current(value) if isinstance(value, Tensor) else None  # type: ignore[assignment]
    return found


def backward(run: Run, state: State, root: Tensor, it: Backward, ref: int, site: Site) -> None:
    """Runs a backward pass: notes what fails in it, and lets gradients flow into the leaves."""
    from torchwise.flow.modes import evaluated

    root = state.current(root)  # type: ignore[assignment]
    if root.requires_grad.fails:
        run.event("no-graph", ref, state, tuple(root.calls), root)
        return
    if root.requires_grad is UNKNOWN and state.grad_off_at is not None:
        run.event("perhaps-no-graph", ref, state, (state.grad_off_at,), root)
    if root.leaf.holds and root.requires_grad.holds:
        run.event("leaf-backward", ref, state, tuple(root.calls), root)
    if (graph := root.graph) is None:
        return
    check_saved(run, state, graph, ref, root)
    if not it.keep:
        state.freed = state.freed | kept_nodes(graph) | {n for n in graph.nodes if n.part == "graph"}
    if it.stores and it.into is not None:
        _flow_into_some(state, graph, site, leaves_of(state, it.into))
    elif it.stores:
        run.flowed |= {n for n in graph.nodes if n.part == "graph"}
        scaled = next(iter(root.calls), None) if root.nature == SCALED else None
        flow_into(state, graph, site, evaluated(run, graph), scaled)


def _flow_into_some(state: State, graph: Graph, site: Site, into: set[Site]) -> None:
    """`backward(inputs=...)`; where it is not known which they are, any gradient may have changed."""
    if not into or any(EVERYTHING in leaf.part for leaf in into):
        state.grads.update(dict.fromkeys([*state.grads, *graph.owners, *into], GRAD_UNKNOWN))
    else:
        flow_into(state, Graph(owners=graph.owners & into), site)


def kept_nodes(graph: Graph) -> set[Site]:
    """The nodes that keep something for backward, which a backward frees."""
    return {s.node for s in graph.saved if s.what != LEAF}


def outdated(state: State, graph: Graph) -> bool:
    """Whether a parameter that averages in a graph were computed from has been stepped since."""
    of_parameters = [s for s in graph.saved if s.what == LEAF]
    return any(s.version < 0 or state.version(s.storage) > s.version for s in of_parameters) or (
        bool(state.freed) and any(n.of(STALE) in state.freed for n in graph.nodes)
    )


def check_saved(run: Run, state: State, graph: Graph, ref: int, root: Tensor) -> None:
    order = sorted(
        [s for s in graph.saved if s.what != LEAF],
        key=lambda s: (s.node.scope, s.node.turn, s.node.ref, s.node.part, s.what, s.storage[:4]),
    )
    for saved in order:
        if saved.node in state.freed:
            run.event("freed-graph", ref, state, (saved.node,), root, saved.op)
            return
    for saved in order:
        written = state.written.get(saved.storage)
        if saved.version < 0 or (
            written is not None and written.version > saved.version and written.by is not None
        ):
            by = (written.by,) if written is not None and written.by is not None else ()
            run.event("saved-changed", ref, state, (saved.node, *by), root, f"{saved.op}:{saved.what}")
            break


def flow_into(
    state: State, graph: Graph, site: Site, evaluating: tuple[Site, ...] = (), scaled: Site | None = None
) -> None:
    for owner in graph.owners:
        grad = state.grads.get(owner, CLEAR)
        if grad.none:
            state.grads[owner] = Grad("fresh", site, None, evaluating, scaled)
        elif grad.kind == "used":
            state.grads[owner] = Grad("mixed", site, grad.step, evaluating, scaled)
        elif grad.kind == "fresh":
            state.grads[owner] = added(state, grad, site, graph)
    for leaf, grad in state.grads.items():
        if grad.none and EVERYTHING in leaf.part and leaf not in graph.owners and _of_optimizer(state, leaf):
            state.grads[leaf] = GRAD_UNKNOWN  # it holds parameters that are not known, perhaps of these


def _of_optimizer(state: State, everything: Site) -> bool:
    owner = state.heap.get(everything._replace(part=everything.part.removesuffix(f".{EVERYTHING}")))
    return owner is not None and "params" in owner.attrs


def leaves_of(state: State, value: Value, seen: set[Site] | None = None) -> set[Site]:
    """The leaves (by storage) that a value stands for: an optimizer's argument, a module, a tensor, groups
    of them.
    """
    seen = set() if seen is None else seen
    match value:
        case Tensor():
            tensor = state.current(value)
            assert isinstance(tensor, Tensor)
            apart = tensor.storage is not None and not members(state, tensor.storage)
            return {tensor.storage} if apart and tensor.storage is not None else set()
        case Params(kept=tuple() as kept):
            return leaves_of(state, Items(kept), seen)
        case Params(of):
            return _of_object(state, of, seen)
        case Pointer(to):
            return _of_object(state, to, seen)
    out: set[Site] = set()
    for inner in _inside(value):
        out |= leaves_of(state, inner, seen)
    return out


def _inside(value: Value) -> tuple[Value, ...]:
    match value:
        case Items(items):
            return items
        case Many(each):
            return (each,)
    return ()


def _of_object(state: State, site: Site, seen: set[Site]) -> set[Site]:
    if site in seen:
        return set()
    seen.add(site)
    obj = state.heap.get(site)
    if obj is None:
        return {site.of(EVERYTHING)}
    out: set[Site] = set()
    if obj.cls == "dict":
        return out.union(*[leaves_of(state, v, seen) for v in _group(obj)])
    for value in (*obj.attrs.values(), *(obj.items or ()), *((obj.each,) if obj.each else ())):
        if isinstance(value, Tensor):
            if value.kind == "parameter" or obj.cls in ("list", "tuple"):
                out |= leaves_of(state, value, seen)
        elif not _is_plain(value):
            out |= leaves_of(state, value, seen)
    if obj.marks.get("opaque") is True:
        out.add(site.of(EVERYTHING))
    return out


def _group(obj: Obj) -> list[Value]:
    items = obj.items or ()
    return [v for k, v in zip(items[::2], items[1::2], strict=False) if k == Const("params")]


def _is_plain(value: Value) -> bool:
    return type(value).__name__ in (
        "Num",
        "Const",
        "Any",
        "Some",
        "Func",
        "Class",
        "Named",
        "Dtype",
        "Device",
    )


def known_leaves(state: State, value: Value) -> bool:
    """Whether `leaves_of` names every leaf, one by one."""
    return all(EVERYTHING not in leaf.part for leaf in leaves_of(state, value))
