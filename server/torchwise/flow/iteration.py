"""What iterating a value gives: its elements where they are all known, or what covers each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, Const, Items, Many, Obj, Params, Pointer, Some, Tensor, Value
from torchwise.flow.opcalls import evaluate
from torchwise.flow.parameters import parameters_of
from torchwise.flow.turns import MAX_UNROLLED
from torchwise.ops import OPS
from torchwise.ops.iterables import PARAMETER, counted

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State


def elements(run: Run, state: State, value: Value, ref: int) -> tuple[Value, ...] | Many:
    match value:
        case Items(items):
            return items
        case Many():
            return value
        case Const(str() as text):
            return (
                tuple(Const(c) for c in text)
                if len(text) <= MAX_UNROLLED
                else Many(Const(text[0]) if False else ANY)
            )
        case Tensor():
            return _by_op(run, state, value, "Tensor.__iter__", ref)
        case Params():
            found = None if value.some else parameters_of(state, value)
            return found if found is not None else _covered(value)
        case Pointer(to):
            return _of_object(run, state, value, state.heap.get(to), ref)
    return Many(ANY)


def _covered(value: Params) -> Many:
    return Many(Items((Some("str"), PARAMETER)) if value.named else PARAMETER)


def _of_object(run: Run, state: State, value: Value, obj: Obj | None, ref: int) -> tuple[Value, ...] | Many:
    if obj is None:
        return Many(ANY)
    for cls in (obj.cls, *obj.bases):
        if f"{cls}.__iter__" in OPS:
            return _by_op(run, state, value, f"{cls}.__iter__", ref)
    if obj.cls == "dict":
        return obj.items[::2] if obj.items is not None else Many(ANY)
    if isinstance(obj.each, Params):
        return elements(run, state, obj.each, ref)
    if obj.cls in ("list", "set", "generator"):
        return obj.items if obj.items is not None else counted(obj)
    return Many(ANY)


def _by_op(run: Run, state: State, value: Value, path: str, ref: int) -> tuple[Value, ...] | Many:
    if path not in OPS:
        return Many(ANY)
    row = OPS[path]
    found = evaluate(run, state, row, {row.params[0]: value}, run.site(ref, "iter"))
    if isinstance(found, Items):
        return found.items
    return found if isinstance(found, Many) else Many(ANY)


def mapping(state: State, value: Value) -> dict[str, Value] | None:
    """A dict with string keys, where it is known."""
    obj = state.obj(value)
    if obj is None or obj.cls != "dict" or obj.items is None:
        return None
    keys, values = obj.items[::2], obj.items[1::2]
    if not all(isinstance(k, Const) and isinstance(k.value, str) for k in keys):
        return None
    return {k.value: v for k, v in zip(keys, values, strict=True)}  # type: ignore[attr-defined]
