"""`super()`: the object of a method, looked at from behind one of its classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, Class, Super, Value
from torchwise.flow.effects import escape
from torchwise.flow.opcalls import Args

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State


def super_of(run: Run, state: State, args: Args) -> Value:
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
