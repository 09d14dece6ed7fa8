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
    Obj,
    Pointer,
    Site,
    Some,
    Value,
)
from torchwise.ops.data import batch_size, collated
from torchwise.ops.spec import Given

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

DATA = "torch.utils.data."
PARTS = {DATA + "Subset": "dataset", DATA + "ConcatDataset": "datasets"}


def note_batch(run: Run, state: State, loader: Pointer, ref: int) -> None:
    """Called where a DataLoader is made."""
    obj = state.heap[loader.to]
    if obj.attrs.get("collate_fn", ANY) != NONE:
        return
    found = example_of(run, state, obj.attrs.get("dataset", ANY), ref)
    if found is None or isinstance(found[1], Any):
        return
    end, example = found
    given = Given({"self": loader}, state.heap, site=run.site(ref))
    size = batch_size(given, obj)
    if size is not None:
        batch = _collated(state, end, given, example, size, run.site(ref, "batch"))
        state.heap[loader.to] = state.heap[loader.to].with_mark("batch", batch)


def example_of(run: Run, state: State, dataset: Value, ref: int) -> tuple[State, Value] | None:
    """Any example of a dataset of the project, and the state in which it was made."""
    from torchwise.flow.functions import call_function
    from torchwise.flow.objects import find_method
    from torchwise.flow.opcalls import Args

    dataset = parts_of(state, dataset)[-1]
    obj = state.obj(dataset)
    method = find_method(run, state, dataset, obj, "__getitem__") if obj is not None else None
    if not isinstance(method, Func):
        return None
    copied = state.copy()
    paths = call_function(run, copied, method, Args(((None, Some("int")),)), ref, run.site(ref, "example"))
    if not paths:
        return None
    end, value = paths[0]
    for _, other in paths[1:]:
        value = join(value, other)
    return end, value


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
    obj = end.obj(value)
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
