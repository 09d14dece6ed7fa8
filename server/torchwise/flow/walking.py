"""Iterables of the project: what its generators yield, and what walking through its objects gives.

All that is yielded is told as one value that covers each. Objects among it (dicts, lists, instances) are one
object that covers them all, with the mark EACH: a loop gives its body a copy of it in each turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.join import join
from torchwise.domain.value import ANY, Func, Items, Many, Obj, Params, Pointer, Site, Some, Value
from torchwise.flow.reach import reach
from torchwise.flow.state import State, join_objects, meet

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.variant import Border, Summary

Paths = list[tuple[State, Value]]
EACH = "each-of-many"
WALKING = frozenset(
    (
        "list",
        "tuple",
        "set",
        "frozenset",
        "sorted",
        "enumerate",
        "zip",
        "iter",
        "next",
        "map",
        "filter",
        "sum",
    )
)
BESIDE = frozenset(("func", "function", "key", "default", "start", "strict"))


def generated(border: Border, summary: Summary, callee: str, site: Site) -> Paths:
    """A generator: its body's effects, and any of the values it yields."""
    each: Value | None = None
    ends: list[State] = []
    yields: list[State] = []
    covers: dict[Site, Obj] = {}
    for exit_ in summary.exits:
        state, value = border.leave(exit_, callee, site)
        if exit_.kind == "yield":
            new = reach([value], state.heap)
            covers.update({s: o for s, o in new.items() if s not in border.state.heap})
            each = value if each is None else both(covers, each, value)
            yields.append(state)
        elif exit_.kind == "return":
            ends.append(state)
    if not ends and yields:  # it never ends by itself
        ends = [yields[-1]]
    kept: list[State] = []
    for state in ends:
        for at, obj in covers.items():
            state.heap[at] = obj.with_mark(EACH, True)
        if not any(other.same_as(state) for other in kept):
            kept.append(state)
    return [(state, Many(each or ANY)) for state in kept]


def both(heap: dict[Site, Obj], one: Value, other: Value) -> Value:
    """What covers two values, where an object covers two that are alike."""
    if one == other:
        return one
    match one, other:
        case Items(xs), Items(ys) if len(xs) == len(ys) and (one.kind, one.names) == (
            other.kind,
            other.names,
        ):
            return Items(tuple([both(heap, x, y) for x, y in zip(xs, ys, strict=True)]), one.kind, one.names)
        case Pointer(a), Pointer(b):
            x, y = heap.get(a), heap.get(b)
            if x is not None and y is not None and x.cls == y.cls:
                if x.cls == "dict" and (x.items is None or y.items is None or x.items[::2] != y.items[::2]):
                    return ANY
                heap[b] = join_objects(x, y)
                return other
    return join(one, other)


def own_copy(state: State, value: Value, site: Site) -> Value | None:
    """A copy for one turn of an object that stands for each of many; None for all else."""
    obj = state.obj(value)
    if obj is None or EACH not in obj.marks:
        return None
    marks = {n: m for n, m in obj.marks.items() if n != EACH}
    state.heap[site] = Obj(obj.cls, obj.attrs, obj.items, obj.each, marks, obj.bases)
    return Pointer(site)


def walked_through(run: Run, state: State, value: Value, ref: int) -> Paths | None:
    """What an instance of a class of the project gives to a loop, by each way that its `__iter__` may go;
    None for all else.
    """
    from torchwise.flow.functions import call_function
    from torchwise.flow.objects import find_method
    from torchwise.flow.opcalls import Args

    obj = state.obj(value)
    if obj is None or "::" not in obj.cls:
        return None
    method = find_method(run, state, value, obj, "__iter__")
    if isinstance(method, Func):
        paths = call_function(run, state, method, Args(), ref, run.site(ref, "iter"))
        return [(one, _stepped(run, one, made, ref)) for one, made in paths]
    method = find_method(run, state, value, obj, "__getitem__") if method is None else None
    if not isinstance(method, Func) or any("__iter__" in base for base in obj.bases):
        return None
    item = call_function(run, state, method, Args(((None, Some("int")),)), ref, run.site(ref, "item"))
    return [(one, Many(made)) for one, made in item]


def _stepped(run: Run, state: State, iterator: Value, ref: int) -> Value:
    """What an iterator gives: an object of the project by its `__next__`."""
    from torchwise.flow.functions import call_function
    from torchwise.flow.objects import find_method
    from torchwise.flow.opcalls import Args

    obj = state.obj(iterator)
    if obj is None or "::" not in obj.cls:
        return iterator
    method = find_method(run, state, iterator, obj, "__next__")
    if not isinstance(method, Func):
        return ANY
    paths = call_function(run, state.copy(), method, Args(), ref, run.site(ref, "next"))
    each = paths[0][1] if paths else ANY
    for end, made in paths:
        each = join(each, end.current(made))
    return Many(each)


def walking(run: Run, state: State, op: str, values: dict[str, Value], ref: int) -> dict[str, Value]:
    """Arguments of a builtin that walks through them, with what is given in place of objects of the
    project.
    """
    if op not in WALKING:
        return values
    return {name: v if name in BESIDE else _given(run, state, v, ref) for name, v in values.items()}


def _given(run: Run, state: State, value: Value, ref: int) -> Value:
    if isinstance(value, Items) and not value.names and any(isinstance(v, Pointer) for v in value.items):
        return Items(tuple([_given(run, state, v, ref) for v in value.items]), value.kind)
    paths = walked_through(run, state.copy(), value, ref) if isinstance(value, Pointer) else None
    if not paths:
        return value
    end, each = paths[0]
    for other, made in paths[1:]:
        end, each = meet(end, other), join(each, made)
    _may_have_run(state, end)
    return each if isinstance(each, Many | Items | Params | Pointer) else Many(ANY)


def _may_have_run(state: State, end: State) -> None:
    met = meet(state, end)
    for slot in ("heap", "tensors", "written", "grads", "freed"):
        setattr(state, slot, getattr(met, slot))
