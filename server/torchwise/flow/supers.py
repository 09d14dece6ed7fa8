"""Builtins that look something up: `super()`, the object of a method as one of its classes hides it,
and `getattr(hook, "after_step")`, where that is a method.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, LENGTH, Class, Const, Func, Method, Num, Pointer, Super, Value
from torchwise.flow.effects import escape
from torchwise.flow.opcalls import Args

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State


BASE_CALL = "torch.nn.Module.__call__"  # what `super().__call__` means in a module: its `forward`
LOOKS_UP = frozenset(("builtins.super", "builtins.getattr", "builtins.len"))


def looked_up(run: Run, state: State, path: str, args: Args, ref: int) -> Value | None:
    """None where it is not known here what that gives."""
    if path == "builtins.len":
        return _length(run, state, args, ref)
    return _super(run, state, args) if path == "builtins.super" else _method(run, state, args, ref)


def _length(run: Run, state: State, args: Args, ref: int) -> Value | None:
    """By the `__len__` of a class of the project."""
    from torchwise.flow.collating import note_length

    match [state.current(v) for _, v in args.positional]:
        case [Pointer(to) as base] if (obj := state.heap.get(to)) is not None and "::" in obj.cls:
            note_length(run, state, base, ref)
            known = state.heap[to].marks.get(LENGTH)
            return known if isinstance(known, Num) else None
    return None


def _method(run: Run, state: State, args: Args, ref: int) -> Value | None:
    from torchwise.flow.objects import attribute

    match [state.current(v) for _, v in args.positional[:2]]:
        case [Pointer() as base, Const(str() as name)] if not args.open:
            found = attribute(run, state, base, name, ref)
            if isinstance(found, Method) or (isinstance(found, Func) and found.static != "property"):
                return found
    return None


def _super(run: Run, state: State, args: Args) -> Value:
    me = state.env.get(run.scope.params[0].name) if run.scope.params else None
    key = run.variant.owner or _class_around(run)
    own = Super(key, me) if key and me is not None else ANY
    match [v for _, v in args.positional]:
        case []:
            if own == ANY and me is not None:
                escape(run, state, [me])
            return own
        case [Class(key), owner]:
            return Super(key, owner)
        case [_, owner] if owner == me:  # a class of a function that has ended, which can only be this one
            return own
    return ANY


def _class_around(run: Run) -> str | None:
    """A function that a decorator was given is called as one that belongs to no class."""
    scope = run.lookup.scope(key := run.key.rpartition(".")[0])
    return key if scope is not None and scope.kind == "class" else None
