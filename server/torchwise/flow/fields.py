"""The fields of a dataclass, which its own `__init__` fills: those of its bases come first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, Func, Obj, Partial, Pointer, Site, Value
from torchwise.domain.verdict import UNKNOWN
from torchwise.flow.effects import escape
from torchwise.flow.lookup import ClassFacts
from torchwise.flow.opcalls import Args
from torchwise.flow.state import State
from torchwise.ops.python_records import FACTORY

if TYPE_CHECKING:
    from torchwise.flow.run import Run

Paths = list[tuple[State, Value]]


def fill_fields(
    run: Run, state: State, pointer: Pointer, facts: ClassFacts, args: Args, ref: int, site: Site
) -> Paths:
    from torchwise.flow.functions import call_function
    from torchwise.flow.objects import find_method

    obj = state.heap[pointer.to]
    positional = [v for _, v in args.positional]
    attrs = dict(obj.attrs)
    for name, default in _fields(run, facts).items():
        if positional:
            attrs[name] = positional.pop(0)
        elif name in args.named:
            attrs[name] = args.named[name][1]
        elif args.open or default is None:
            attrs[name] = ANY
        else:
            attrs[name] = _made(run, state, default, ref, site.of(name))
    state.heap[pointer.to] = filled = Obj(obj.cls, attrs, obj.items, obj.each, obj.marks, obj.bases)
    after = find_method(run, state, pointer, filled, "__post_init__")
    if not isinstance(after, Func):
        return [(state, pointer)]
    return [(one, pointer) for one, _ in call_function(run, state, after, Args(), ref, site.of("init"))]


def _fields(run: Run, facts: ClassFacts) -> dict[str, Value | None]:
    """Each field with its default, if it has one."""
    found: dict[str, Value | None] = {}
    for cls in reversed(facts.order):
        own = facts if cls == facts.key else run.lookup.class_facts(cls) if "::" in cls else None
        if own is None or not own.dataclass:
            continue
        for name, has_default in own.fields:
            found[name] = own.names.get(name, ANY) if has_default else None
    return found


def _made(run: Run, state: State, default: Value, ref: int, site: Site) -> Value:
    """A default as it is, or what its factory gives: `field(default_factory=list)`."""
    from torchwise.flow.calls import call

    match default:
        case Partial(func, (factory,)) if func == FACTORY:
            ends = call(run, state.copy(), factory, Args(), ref, site)
            if len(ends) != 1:
                return ANY
            end, value = ends[0]
            for at, obj in end.heap.items():
                state.heap.setdefault(at, obj)
            return value
    return default


def made_somehow(run: Run, state: State, pointer: Pointer, args: Args) -> list[tuple[State, Value]]:
    """An instance whose `__init__` stands under a decorator that nobody knows."""
    obj = state.heap[pointer.to]
    marks = {**obj.marks, "opaque": True, "initialised": UNKNOWN}
    state.heap[pointer.to] = Obj(obj.cls, {}, None, None, marks, obj.bases)
    escape(run, state, args.values())
    return [(state, pointer)]
