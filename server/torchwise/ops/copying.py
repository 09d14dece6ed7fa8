"""Deep copies of objects: what is inside is copied too, and tensors get an identity and a storage of their
own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from torchwise.domain.value import ANY, Items, Many, Obj, Params, Pointer, Tensor, Value
from torchwise.ops.spec import Given, Made

DEEPEST, MOST = 8, 400
SHALLOW = "shallow-of"  # mark of what `copy.copy` gave for a module: the one whose parameters it shares


def shares(given: Given, value: Value) -> Value:
    """The module that a shallow copy was made of; anything else is its own."""
    obj = given.heap.get(value.to) if isinstance(value, Pointer) else None
    original = obj.marks.get(SHALLOW) if obj is not None else None
    return original if isinstance(original, Pointer) else value


def deep_copy(given: Given, value: Value, depth: int = 0) -> Value:
    """What is too deep, or holds itself, is not known in the copy."""
    match value:
        case Tensor():
            kind = "tensor" if value.kind == "state" else value.kind
            return replace(value, id=None, storage=None, graph=None, calls=frozenset(), kind=kind)
        case Items(items, kind, names):
            return Items(tuple(deep_copy(given, v, depth + 1) for v in items), kind, names)
        case Pointer(to):
            obj = given.heap.get(to)
            return ANY if obj is None or depth > DEEPEST else cast(Value, Made(copy_of(given, obj, depth)))
        case Params() | Many():
            return ANY
    return value


def copy_of(given: Given, obj: Obj, depth: int = 0) -> Obj:
    if obj.items is not None and len(obj.items) > MOST:
        return Obj(obj.cls, {}, None, ANY, {**obj.marks, "opaque": True}, obj.bases)
    attrs = {name: deep_copy(given, v, depth + 1) for name, v in obj.attrs.items()}
    items = None if obj.items is None else tuple(deep_copy(given, v, depth + 1) for v in obj.items)
    each = None if obj.each is None else deep_copy(given, obj.each, depth + 1)
    marks = {name: mark for name, mark in obj.marks.items() if name not in ("state_of", SHALLOW)}
    return Obj(obj.cls, attrs, items, each, marks, obj.bases)


def tensors_inside(given: Given, value: Value) -> Iterator[tuple[str, Tensor]]:
    """The tensors that a deep copy comes to, with the attributes that lead there: `attention.last`."""
    queue, seen = [("", value)], set[Value]()
    while queue and len(seen) < MOST:
        path, one = queue.pop()
        if isinstance(one, Tensor):
            yield path, one
        elif isinstance(one, Pointer) and one.to in given.heap and one not in seen:
            seen.add(one)
            obj = given.heap[one.to]
            queue += [(f"{path}.{name}".lstrip("."), inner) for name, inner in obj.attrs.items()]
            items = (obj.items or ())[:MOST]
            queue += [(path if obj.cls == "dict" else f"{path}[{n}]", inner) for n, inner in enumerate(items)]
