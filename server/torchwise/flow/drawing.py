"""Whether a dataset distorts its examples at random, by a transform that it was given.

The mark "draws" of a loader says so. Notes "drawing-loader" where such a loader is walked through; and
"epoch-not-set" where one with a DistributedSampler is walked through again, and the sampler was not told of
a new epoch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, Const, Func, Items, Named, Obj, Partial, Pointer, Value
from torchwise.domain.verdict import HOLDS
from torchwise.flow.batches import parts_of
from torchwise.flow.definitions import Definitions, definitions
from torchwise.flow.splits import note_part_walked
from torchwise.flow.worker_copies import note_copied
from torchwise.ir import nodes as ir
from torchwise.ops import OPS

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

LOADER = "torch.utils.data.DataLoader"
VISION = "torchvision.transforms."
RANDOM = (
    "Random",
    "ColorJitter",
    "AutoAugment",
    "TrivialAugment",
    "RandAugment",
    "AugMix",
    "ElasticTransform",
)


def note_drawing(run: Run, state: State, loader: Pointer) -> None:
    """Called where a DataLoader is made."""
    dataset = state.heap[loader.to].attrs.get("dataset", ANY)
    for part in parts_of(state, dataset):
        obj = state.obj(part)
        for name, value in obj.attrs.items() if obj is not None and "::" in obj.cls else ():
            if name not in ("dataset", "base") and draws(run, state, value):
                made = state.heap[loader.to].with_mark("draws", HOLDS)
                state.heap[loader.to] = made.with_mark("draws@", part)
                return


def note_walked(run: Run, state: State, over: Value, ref: int) -> None:
    """Called where a loader is walked through: by a loop, or by `enumerate` and the like."""
    obj = state.obj(over)
    if obj is None or not isinstance(over, Pointer) or obj.cls != LOADER:
        return
    at = obj.marks.get("draws@")
    if isinstance(at, Pointer):
        run.event("drawing-loader", ref, state, (at.to,), over)
    note_part_walked(run, state, obj.attrs.get("dataset", ANY), ref)
    note_copied(run, state, over, ref)
    obj = state.heap[over.to]
    sampler = obj.attrs.get("sampler", ANY)
    held = state.obj(sampler)
    if isinstance(sampler, Pointer) and held is not None and held.cls.endswith(".DistributedSampler"):
        if held.marks.get("stale") is HOLDS and held.attrs.get("shuffle", Const(True)) == Const(True):
            run.event("epoch-not-set", ref, state, (sampler.to,), over)
        state.heap[sampler.to] = held.with_mark("stale", HOLDS)


def draws(run: Run, state: State, value: Value, depth: int = 0) -> bool:
    """Whether a transform certainly draws random numbers when it is called."""
    if depth > 4:
        return False
    match value:
        case Func(scope):
            return _body_draws(run, scope)
        case Partial(func):
            return draws(run, state, func, depth + 1)
        case Named(path):
            return _random(path)
        case Items(items):
            return any(draws(run, state, v, depth + 1) for v in items)
        case Pointer(to) if to in state.heap:
            return _object_draws(run, state, value, state.heap[to], depth)
    return False


def _object_draws(run: Run, state: State, value: Pointer, obj: Obj, depth: int) -> bool:
    from torchwise.flow.objects import find_method

    if _random(obj.cls):
        return True
    if obj.cls in ("list", "torch.nn.Sequential") or obj.cls.startswith(VISION):
        inner = (*(obj.items or ()), *obj.attrs.values())
        return any(draws(run, state, v, depth + 1) for v in inner)
    for name in ("__call__", "forward"):
        method = find_method(run, state, value, obj, name)
        if isinstance(method, Func) and _body_draws(run, method.scope):
            return True
    return any(draws(run, state, v, depth + 1) for n, v in obj.attrs.items() if "transform" in n)


def _random(path: str) -> bool:
    name = path.rpartition(".")[2]
    row = OPS.get(path)
    return (path.startswith(VISION) and name.startswith(RANDOM)) or (row is not None and "random" in row.tags)


def _body_draws(run: Run, key: str) -> bool:
    scope = run.lookup.scope(key)
    return scope is not None and any(_random(path) for path in _paths(run, key, definitions(scope)))


def _paths(run: Run, key: str, defs: Definitions) -> Iterator[str]:
    """What outside of the project is called, by its import path."""
    for instr in defs.values():
        if isinstance(instr, ir.Call) and isinstance(instr.callee, int):
            path = _path(run, key, defs, instr.callee)
            if path:
                yield path


def _path(run: Run, key: str, defs: Definitions, ref: int) -> str:
    instr = defs.get(ref)
    if isinstance(instr, ir.Attr):
        base = _path(run, key, defs, instr.base)
        return f"{base}.{instr.name}" if base else ""
    if isinstance(instr, ir.Load):
        value = run.lookup.global_value(key, instr.name).value
        return value.path if isinstance(value, Named) else ""
    return ""
