"""Datasets that change after persistent workers have taken their copies of them.

A loader's mark "copied" keeps what plain attributes its dataset had when it was first walked through, those
that making an example reads. Notes "workers-outdated" where it is walked through again and one of them is
certainly another, with where that was set. A dataset that is put back before each walk is what workers have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, NONE, Const, Items, Num, Obj, Pointer, Site, Value
from torchwise.flow.batches import parts_of
from torchwise.flow.splits import asks, note_set_through
from torchwise.ir import nodes as ir

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

COPIED = "copied"  # mark of a loader: names and values in turn
HAVE_COPY = "copied-by-workers"  # mark of a dataset: what was set since, and where; NONE where nothing was


def note_copied(run: Run, state: State, loader: Pointer, ref: int) -> None:
    """Called where a loader is walked through."""
    obj = state.heap[loader.to]
    workers, dataset = obj.attrs.get("num_workers", NONE), parts_of(state, obj.attrs.get("dataset", ANY))[-1]
    some = isinstance(workers, Num) and workers.dim.number not in (None, 0)
    held = state.obj(dataset)
    if not some or obj.attrs.get("persistent_workers") != Const(True):
        return
    if held is None or "::" not in held.cls or not isinstance(dataset, Pointer):
        return
    known, last = obj.marks.get(COPIED), held.marks.get(HAVE_COPY)
    if not isinstance(known, Items):
        plain = [(n, v) for n, v in held.attrs.items() if _plain(v) and asks(run, state, dataset, n)]
        copied = Items(tuple([v for name, value in plain for v in (Const(name), value)]))
        state.heap[loader.to] = obj.with_mark(COPIED, copied)
        state.heap[dataset.to] = held.with_mark(HAVE_COPY, NONE)
    elif isinstance(last, Items):
        name, where = last.items
        then = dict(zip(known.items[::2], known.items[1::2], strict=True)).get(name)
        now = held.attrs.get(str(name.value), ANY) if isinstance(name, Const) else ANY
        if then is not None and _plain(now) and now != then and isinstance(where, Pointer):
            run.event("workers-outdated", ref, state, (where.to, loader.to), loader, str(name.value))  # type: ignore[attr-defined]


def _plain(value: Value) -> bool:
    """Whether a value is known for certain, and equal to no other."""
    return isinstance(value, Const) or (isinstance(value, Num) and value.dim.number is not None)


def note_dataset_set(run: Run, state: State, it: ir.SetAttr, to: Site, value: Value) -> Obj:
    """Called before an attribute of an object is set: gives the object, perhaps with marks."""
    obj = note_set_through(run, state, it, to, value)
    if HAVE_COPY not in obj.marks:
        return obj
    return obj.with_mark(HAVE_COPY, Items((Const(it.name), Pointer(run.site(it.out)))))
