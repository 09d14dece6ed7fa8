"""Weights that two modules share: where they were tied, and what unties them again.

An object's mark "tied.weight" says where its attribute became the parameter of another module;
"untied.weight" says what has put another one in its place since. Notes "untied" at the tie, at the end of
an `__init__` and of a file's own run: until then it may be tied again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchwise.domain.value import Pointer, Site, Tensor, Value
from torchwise.flow.moving import modules_in

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

TIED, UNTIED = "tied.", "untied."


def note_tie(state: State, to: Site, name: str, value: Value, site: Site) -> None:
    """Called before a module's attribute is assigned."""
    old = state.heap[to].attrs.get(name)
    if isinstance(old, Tensor | Pointer):
        for lost in _parameters(state, old, to, name):
            if not isinstance(value, Tensor) or value.id != lost.id:
                _untie(state, lost, to, name, site)
    if isinstance(value, Tensor) and value.kind == "parameter" and value.id is not None:
        others = [place for place in _holders(state, value) if place != (to, name)]
        for holder, attr in others:
            _set(state, holder, UNTIED + attr, None)
        if others:
            _set(state, to, TIED + name, Pointer(site))
            _set(state, to, UNTIED + name, None)


def _parameters(state: State, value: Value, to: Site, name: str) -> Iterator[Tensor]:
    """What goes with an attribute that is replaced."""
    if isinstance(value, Tensor):
        if value.kind == "parameter" and value.id is not None:
            yield value
        return
    for module in modules_in(state, value):
        for inner in state.heap[module.to].attrs.values():
            if isinstance(inner, Tensor) and inner.kind == "parameter" and inner.id is not None:
                yield inner


def _untie(state: State, lost: Tensor, to: Site, name: str, site: Site) -> None:
    own = state.heap[to]
    if TIED + name in own.marks and isinstance(own.attrs.get(name), Tensor):
        _set(state, to, UNTIED + name, Pointer(site))  # the other module may be out of sight here
        return
    for holder, attr in list(_holders(state, lost)):
        if (holder, attr) == (to, name):
            continue
        if TIED + attr in state.heap[holder].marks:
            _set(state, holder, UNTIED + attr, Pointer(site))


def _holders(state: State, tensor: Tensor) -> Iterator[tuple[Site, str]]:
    for site, obj in state.heap.items():
        if "torch.nn.Module" in obj.bases:
            for name, value in obj.attrs.items():
                if type(value) is Tensor and value.id == tensor.id:
                    yield site, name


def _set(state: State, to: Site, mark: str, value: Pointer | None) -> None:
    obj = state.heap[to]
    if value is not None or mark in obj.marks:
        state.heap[to] = obj.with_mark(mark, value)


def note_untied(run: Run, states: list[State]) -> None:
    """Called at the end of an `__init__` or of a file's own run."""
    for state in states:
        held = {module.to for root in state.env.values() for module in modules_in(state, root)}
        for site, obj in [(site, state.heap[site]) for site in held]:
            for mark, at in list(obj.marks.items()):
                tie = obj.marks.get(TIED + mark.removeprefix(UNTIED))
                if mark.startswith(UNTIED) and isinstance(at, Pointer) and isinstance(tie, Pointer):
                    _set(state, site, mark, None)
                    if tie.to.scope == run.key:
                        run.event(
                            "untied", tie.to.ref, state, (tie.to, at.to), None, mark.removeprefix(UNTIED)
                        )
