"""Lists and tuples where a layer takes a tensor: torch refuses them with a TypeError."""

from __future__ import annotations

from collections.abc import Mapping

from torchwise.domain.value import Items, Many, Obj, Pointer, Site, Value
from torchwise.ops.spec import Broken

# Layers that look at nothing of their input but a tensor. Containers hand theirs on.
TAKERS = (
    "Linear",
    "Bilinear",
    "Conv",
    "LazyLinear",
    "LazyConv",
    "BatchNorm",
    "LayerNorm",
    "GroupNorm",
    "Embedding",
)


def listed_input(spelling: str, values: Mapping[str, Value], heap: Mapping[Site, Obj]) -> tuple[Broken, ...]:
    if not (spelling.startswith("torch.nn.") and spelling.endswith(".__call__")):
        return ()
    if not spelling.removeprefix("torch.nn.").startswith(TAKERS):
        return ()
    value = values.get("input")
    kind = _kind(value, heap)
    return (Broken("listed", "input", wanted="a tensor", got=f"a {kind}", because=value),) if kind else ()


def _kind(value: Value | None, heap: Mapping[Site, Obj]) -> str:
    if isinstance(value, Items) and not value.names and value.kind in ("list", "tuple"):
        return value.kind
    if isinstance(value, Many) and value.kind in ("list", "tuple"):
        return value.kind
    if isinstance(value, Pointer) and value.to in heap and heap[value.to].cls in ("list", "dict"):
        return heap[value.to].cls
    return ""
