"""Many parameters in a loop, as one tensor that stands for each of them.

A loop over more of them than are unrolled runs on a stand-in. Its id and storage are those of a group, an
object on the heap that holds the parameters: what is done to the stand-in is done to them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.join import join
from torchwise.domain.value import Items, Obj, Site, Tensor, Value
from torchwise.domain.verdict import HOLDS

if TYPE_CHECKING:
    from torchwise.flow.state import State

GROUP, PART = "parameters", ".*"


def covering(state: State, values: tuple[Value, ...], site: Site) -> Value:
    """What each of the values is, where a loop goes over them."""
    first = values[0]
    if all(isinstance(v, Tensor) and v.kind == "parameter" and v.storage is not None for v in values):
        return _stand_in(state, values, site)
    if isinstance(first, Items):
        alike = [v for v in values if isinstance(v, Items) and len(v.items) == len(first.items)]
        if len(alike) == len(values):
            columns = list(zip(*[v.items for v in alike], strict=True))
            items = [covering(state, column, site.of(str(i))) for i, column in enumerate(columns)]
            return Items(tuple(items), first.kind, first.names)
    out = first
    for value in values[1:]:
        out = join(out, value)
    return out


def _stand_in(state: State, values: tuple[Value, ...], site: Site) -> Tensor:
    now = [state.current(v) for v in values]
    state.heap[site] = Obj(GROUP, items=tuple(now))
    whole = now[0]
    for value in now[1:]:
        whole = join(whole, value)
    assert isinstance(whole, Tensor)
    at = site.of("*")
    return Tensor(None, None, whole.dtype, whole.device, whole.requires_grad, HOLDS, at, at, kind="parameter")


def members(state: State, at: Site | None) -> list[Tensor]:
    """The parameters that the stand-in with this id (or storage) stands for; none of another tensor."""
    if at is None or not at.part.endswith(PART):
        return []
    group = state.heap.get(at._replace(part=at.part.removesuffix(PART)))
    found = group.items or () if group is not None and group.cls == GROUP else ()
    return [t for t in map(state.current, found) if isinstance(t, Tensor)]


def storages(state: State, storage: Site) -> list[Site]:
    """A storage, or those of all that it stands for."""
    return [t.storage for t in members(state, storage) if t.storage is not None] or [storage]
