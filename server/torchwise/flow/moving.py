"""The modules inside a module, and what moving them does to their tensors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from torchwise.domain import effects as fx
from torchwise.domain.value import Either, Obj, Pointer, Site, Tensor, Value
from torchwise.domain.verdict import Verdict
from torchwise.flow.reach import reach

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State


def modules_in(state: State, root: Value, perhaps: bool = False) -> list[Pointer]:
    """A module and every module inside it. `perhaps`: those too of which it holds one or another."""
    out: list[Pointer] = []
    queue = [root]
    seen: set[Site] = set()
    while queue:
        value = queue.pop()
        if perhaps and isinstance(value, Either):
            queue += value.options
        if not isinstance(value, Pointer) or value.to in seen:
            continue
        seen.add(value.to)
        obj = state.heap.get(value.to)
        if obj is None or obj.cls in ("list", "dict", "set"):
            continue  # a plain list hides its layers from train() and eval()
        if "torch.nn.Module" in obj.bases or obj.cls == "torch.nn.Module":
            out.append(value)
            queue += [*obj.attrs.values(), *(obj.items or ()), *((obj.each,) if obj.each else ())]
    return out


def replace_tensors(run: Run, state: State, it: fx.ReplaceTensors, ref: int, site: Site) -> None:
    modules = modules_in(state, it.target, perhaps=True)
    if it.requires_grad is None and any(_applies(run, state.heap[m.to].cls) for m in modules):
        modules = [Pointer(to) for to in reach(modules, state.heap)]  # what it moves is its own affair
        it = replace(it, dtype="?", device="?")
    for module in modules:
        obj = state.heap[module.to]
        attrs = {n: _replaced(state, v, it) for n, v in obj.attrs.items()}
        marks = {**obj.marks}
        if it.memory_format is not None:
            marks["memory_format"] = it.memory_format
        state.heap[module.to] = Obj(obj.cls, attrs, obj.items, obj.each, marks, obj.bases)


def _applies(run: Run, cls: str) -> bool:
    """Whether a class of the project says itself how its tensors are moved."""
    facts = run.lookup.class_facts(cls) if "::" in cls else None
    own = [run.lookup.class_facts(c) for c in facts.order if "::" in c] if facts is not None else []
    return any(base is not None and "_apply" in base.names for base in own)


def known(name: str) -> str | None:
    """ "?" is a device or dtype that nobody knows."""
    return None if name == "?" else name


def _replaced(state: State, value: Value, it: fx.ReplaceTensors) -> Value:
    if not isinstance(value, Tensor) or value.kind == "tensor":
        return value
    tensor = state.current(value)
    assert isinstance(tensor, Tensor)
    floating = tensor.dtype is None or tensor.dtype.startswith(("float", "bfloat", "complex"))
    made = tensor.but(
        dtype=known(it.dtype) if it.dtype is not None and floating else tensor.dtype,
        device=known(it.device) if it.device is not None else tensor.device,
    )
    if it.requires_grad is not None and tensor.kind == "parameter":
        made = made.but(requires_grad=Verdict.of(it.requires_grad))
    if made.id is not None and made.id in state.tensors:
        state.tensors[made.id] = made
    return made
