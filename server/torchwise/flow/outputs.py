"""`out=`: a result goes into a tensor that is there already, which keeps its dtype and its memory."""

from __future__ import annotations

from collections.abc import Mapping

from torchwise.domain.value import NONE, Site, Tensor, Value
from torchwise.flow.state import State
from torchwise.flow.together import storages


def put_out(state: State, values: Mapping[str, Value], result: Value, site: Site) -> Value:
    """What a call gives: with `out=` that tensor, which torch makes as large as it has to be."""
    target = values.get("out", NONE)
    if target == NONE or not isinstance(result, Tensor):
        return result
    if not isinstance(target, Tensor) or target.id is None or target.storage is None:
        return Tensor()
    for storage in storages(state, target.storage):
        state.write(storage, site)
    written = target.but(shape=result.shape, strides=None, nature=None)
    state.tensors[target.id] = written
    return written
