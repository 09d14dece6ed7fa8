"""Calls of one of a few modules, of which it is not known which."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torchwise.domain.value import Pointer, Site, Value
from torchwise.flow.opcalls import Args
from torchwise.flow.state import State, meet, meet_values

if TYPE_CHECKING:
    from torchwise.flow.run import Run

Paths = list[tuple[State, Value]]


def one_of(
    call: Callable[..., Paths],
    run: Run,
    state: State,
    options: tuple[Pointer, ...],
    args: Args,
    ref: int,
    site: Site,
) -> Paths:
    """As each of them in turn, and what holds for all. What the caller hands over may go with which it is:
    what it breaks in one of them proves nothing.
    """
    paths: Paths = []
    for option in options:
        one = state.copy()
        one.narrow += 1
        paths += call(run, one, option, args, ref, site)
    end, value = paths[0]
    for other, another in paths[1:]:
        end, value = meet(end, other), meet_values(end, other, end.current(value), other.current(another))
    end.narrow = state.narrow
    return [(end, value)]
