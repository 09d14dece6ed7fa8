"""What a DataLoader over a dataset of the project gives: one example is asked for where the loader is made,
and collated.

The batch is kept as the loader's mark "batch": fresh tensors, in tuples, lists and dicts of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.dim import Dim
from torchwise.domain.join import join
from torchwise.domain.value import (
    ANY,
    NONE,
    Any,
    Const,
    Func,
    Items,
    Many,
    Num,
    Obj,
    Pointer,
    Site,
    Some,
    Value,
)
from torchwise.flow.collating import note_collated, note_length
from torchwise.flow.walking import walked_through
from torchwise.flow.workers import takes_share
from torchwise.flow.worn import note_worn
from torchwise.ir import nodes as ir
from torchwise.ops.collate import collated
from torchwise.ops.creation import held
from torchwise.ops.data import batch_size
from torchwise.ops.spec import Given

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

DATA = "torch.utils.data."
PARTS = {DATA + "Subset": "dataset", DATA + "ConcatDataset": "datasets"}


def note_batch(run: Run, state: State, loader: Pointer, ref: int) -> None:
    """Called where a DataLoader is made."""
    obj = state.heap[loader.to]
    dataset = obj.attrs.get("dataset", ANY)
    _note_shared(run, state, obj, dataset, ref)
    note_length(run, state, dataset, ref)
    ends = examples_of(run, state, dataset, ref)
    note_worn(run, state, obj, parts_of(state, dataset)[-1], [end for end, _ in ends], ref)
    if obj.attrs.get("collate_fn", ANY) != NONE:
        note_collated(run, state, loader, ends, ref)
        return
    if any(value == NONE for _, value in ends) and not _is_stub(run, state, dataset):
        run.event("example-none", ref, state, tuple(_made_at(state, dataset)), loader)
    if not ends:
        return
    end, example = ends[0]
    for _, other in ends[1:]:
        example = join(example, other)
    if isinstance(example, Any):
        return
    given = Given({"self": loader}, state.heap, site=run.site(ref))
    size = batch_size(given, obj)
    if size is not None:
        batch = _collated(state, end, given, example, size, run.site(ref, "batch"))
        state.heap[loader.to] = state.heap[loader.to].with_mark("batch", batch)


def _made_at(state: State, dataset: Value) -> list[Site]:
    last = parts_of(state, dataset)[-1]
    return [last.to] if isinstance(last, Pointer) else []


def _note_shared(run: Run, state: State, loader: Obj, dataset: Value, ref: int) -> None:
    """Several workers that each go through all of an iterable dataset: notes "iterable-repeated"."""
    obj, workers = state.obj(dataset), loader.attrs.get("num_workers", NONE)
    several = isinstance(workers, Num) and workers.dim.number is not None and workers.dim.number > 1
    if obj is None or not several or DATA + "IterableDataset" not in obj.bases:
        return
    if loader.attrs.get("worker_init_fn", NONE) == NONE and not takes_share(run, state, dataset):
        run.event("iterable-repeated", ref, state, tuple(_made_at(state, dataset)), dataset)


def examples_of(run: Run, state: State, dataset: Value, ref: int) -> list[tuple[State, Value]]:
    """Any example of a dataset of the project, by each way that it may be made, and the state then."""
    from torchwise.flow.functions import call_function
    from torchwise.flow.objects import find_method
    from torchwise.flow.opcalls import Args

    dataset = parts_of(state, dataset)[-1]
    obj = state.obj(dataset)
    method = find_method(run, state, dataset, obj, "__getitem__") if obj is not None else None
    if not isinstance(method, Func):
        return _streamed(run, state, dataset, ref)
    args = Args(((None, Some("int")),))
    return call_function(run, state.copy(), method, args, ref, run.site(ref, "example"))


def _streamed(run: Run, state: State, dataset: Value, ref: int) -> list[tuple[State, Value]]:
    """Of an iterable dataset: whatever it yields, in the state that one may be in then."""
    obj = state.obj(dataset)
    if obj is None or DATA + "IterableDataset" not in obj.bases:
        return []
    paths = walked_through(run, state.copy(), dataset, ref) or []
    return [(end, found.each) for end, found in paths if isinstance(found, Many)]


def _is_stub(run: Run, state: State, dataset: Value) -> bool:
    """Whether there is no code yet that makes an example: `pass`."""
    from torchwise.flow.objects import find_method

    dataset = parts_of(state, dataset)[-1]
    obj = state.obj(dataset)
    method = find_method(run, state, dataset, obj, "__getitem__") if obj is not None else None
    scope = run.lookup.scope(method.scope) if isinstance(method, Func) else None
    return scope is not None and all(isinstance(i, ir.Const) for i in scope.body)


def parts_of(state: State, dataset: Value) -> list[Value]:
    """A dataset, and what it is a part of, in turn."""
    out = [dataset]
    while len(out) < 4:
        obj = state.obj(out[-1])
        if obj is None or obj.cls not in PARTS:
            break
        out.append(_first(state, obj.attrs.get(PARTS[obj.cls], ANY)))
    return out


def _first(state: State, value: Value) -> Value:
    obj = state.obj(value)
    items = (
        value.items
        if isinstance(value, Items)
        else obj.items
        if obj is not None and obj.cls == "list"
        else None
    )
    return items[0] if items else value


def _collated(state: State, end: State, given: Given, value: Value, size: Dim, site: Site) -> Value:
    """What default_collate makes of `size` examples like this one."""
    value = end.current(value)
    array = held(Given({}, end.heap), value)
    value, obj = (value, end.obj(value)) if array is None else (array, None)
    if isinstance(value, Items) and value.kind == "tuple" and not value.names:
        parts = [_collated(state, end, given, v, size, site.of(str(i))) for i, v in enumerate(value.items)]
        return Items(tuple(parts), "list")
    if obj is None:
        return collated(given, value, size) if not isinstance(value, Many) else ANY
    if obj.cls == "list":
        if obj.items is not None:
            parts = [_collated(state, end, given, v, size, site.of(str(i))) for i, v in enumerate(obj.items)]
            return Items(tuple(parts), "list")
        each = _collated(state, end, given, obj.each or ANY, size, site.of("each"))
        return ANY if isinstance(each, Any) else Many(each, "list")
    if obj.cls == "dict" and obj.items is not None and all(isinstance(k, Const) for k in obj.items[::2]):
        pairs = zip(obj.items[::2], obj.items[1::2], strict=True)
        made = [x for k, v in pairs for x in (k, _collated(state, end, given, v, size, site.of(str(k))))]
        state.heap[site] = Obj("dict", {}, tuple(made))
        return Pointer(site)
    return ANY
