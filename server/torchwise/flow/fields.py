"""The fields of a dataclass, which its own `__init__` fills."""

from __future__ import annotations

from torchwise.domain.value import ANY, Obj, Pointer
from torchwise.flow.lookup import ClassFacts
from torchwise.flow.opcalls import Args
from torchwise.flow.state import State


def fill_fields(state: State, pointer: Pointer, facts: ClassFacts, args: Args) -> None:
    obj = state.heap[pointer.to]
    positional = [v for _, v in args.positional]
    attrs = dict(obj.attrs)
    for name, has_default in facts.fields:
        if positional:
            attrs[name] = positional.pop(0)
        elif name in args.named:
            attrs[name] = args.named[name][1]
        elif has_default:
            attrs[name] = facts.names.get(name, ANY)
        else:
            attrs[name] = ANY
    state.heap[pointer.to] = Obj(obj.cls, attrs, obj.items, obj.each, obj.marks, obj.bases)
