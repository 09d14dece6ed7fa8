"""Loaders whose batches are made by a function of the project, and the lengths of datasets of the project.

`collate_fn` is called where the loader is made, on a list of any number of examples and a copy of the
world: what it does to it is not carried out. What it gives is kept as the loader's mark "batch", a
dataset's length as its mark "length".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.join import join
from torchwise.domain.nature import ANY_ORDER
from torchwise.domain.value import ANY, LENGTH, Any, Func, Items, Num, Obj, Pointer, Tensor, Value
from torchwise.flow.definitions import definitions
from torchwise.flow.reach import reach
from torchwise.ops.data import example
from torchwise.ops.data_workers import shuffles
from torchwise.ops.spec import Given

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

Paths = list[tuple["State", Value]]


def note_length(run: Run, state: State, dataset: Value, ref: int) -> None:
    from torchwise.flow.functions import call_function
    from torchwise.flow.objects import find_method
    from torchwise.flow.opcalls import Args

    obj = state.obj(dataset)
    if obj is None or not isinstance(dataset, Pointer):
        return
    method = find_method(run, state, dataset, obj, "__len__")
    if isinstance(method, Func):
        ends = call_function(run, state.copy(), method, Args(), ref, run.site(ref, "length"))
        length = _all_gave(ends)
        if isinstance(length, Num):
            state.heap[dataset.to] = obj.with_mark(LENGTH, length)
        elif LENGTH in obj.marks:  # it has changed since
            state.heap[dataset.to] = obj.with_mark(LENGTH, None)


def note_collated(run: Run, state: State, loader: Pointer, examples: Paths, ref: int) -> None:
    from torchwise.flow.calls import call
    from torchwise.flow.opcalls import Args

    obj = state.heap[loader.to]
    collate, dataset = obj.attrs.get("collate_fn", ANY), obj.attrs.get("dataset", ANY)
    one = _all_gave(examples) or example(Given({"self": loader}, state.heap, site=run.site(ref)), dataset)
    if isinstance(one, Any) or isinstance(collate, Any):
        return
    other, rows = (examples[0][0] if examples else state).copy(), run.site(ref, "examples")
    other.heap[rows] = Obj("list", items=None, each=one)
    ends = call(run, other, collate, Args(((None, Pointer(rows)),)), ref, run.site(ref, "collate"))
    found = _all_gave(ends)
    if found is not None and not isinstance(found, Any):
        for end, _ in ends:
            _take(state, found, end)
        if shuffles(obj) and not _sorts(run, state, collate):
            found = _in_any_order(state, found)
        state.heap[loader.to] = obj.with_mark("batch", found)


def _sorts(run: Run, state: State, collate: Value) -> bool:
    """Whether a function that makes batches puts their examples in order, as far as its text says."""
    from torchwise.flow.objects import find_method

    obj = state.obj(collate)
    func = find_method(run, state, collate, obj, "__call__") if obj is not None else collate
    scope = run.lookup.scope(func.scope) if isinstance(func, Func) else None
    words = (getattr(i, "name", "") for i in definitions(scope).values()) if scope is not None else ("sort",)
    return any("sort" in word or word == "topk" for word in words if isinstance(word, str))


def _in_any_order(state: State, value: Value) -> Value:
    """A batch whose whole numbers, one for each example, come as the examples come."""
    inner = state.obj(value)
    if isinstance(value, Items):
        return Items(tuple([_in_any_order(state, v) for v in value.items]), value.kind, value.names)
    if isinstance(value, Pointer) and inner is not None and inner.cls == "dict" and inner.items is not None:
        state.heap[value.to] = inner.with_items(tuple([_in_any_order(state, v) for v in inner.items]))
    whole = isinstance(value, Tensor) and value.dtype == "int64" and value.rank == 1 and value.nature is None
    return value.but(nature=ANY_ORDER) if whole else value  # type: ignore[attr-defined]


def _all_gave(ends: Paths) -> Value | None:
    found: Value | None = None
    for end, value in ends:
        value = end.current(value)
        found = value if found is None else join(found, value)
    return found


def _take(state: State, value: Value, end: State) -> None:
    """The objects that a value leads to."""
    for site, obj in reach([value], end.heap).items():
        state.heap.setdefault(site, obj)
