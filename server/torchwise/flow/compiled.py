"""Compiled code: what recompiles it, what its CUDA graphs write over, and what Dynamo looks into besides
the code itself.

Events: "static-called" for a call of what is compiled for fixed sizes only, with the sizes that it gets;
"number-kept" and "list-kept" where compiled code changes what Dynamo has guarded: a number or the length of
a list that outlives the call; "backward-hooked" for a call of a module with backward hooks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.nature import REPLAYED
from torchwise.domain.value import Func, Items, Pointer, Region, Site, Tensor, Value

if TYPE_CHECKING:
    from torchwise.flow.opcalls import Args
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

Paths = list[tuple["State", Value]]


def traced(state: State) -> bool:
    """Whether Dynamo reads the code that runs here."""
    found = [r for r in state.regions if r.kind in ("compile", "export", "in-graph")] if state.regions else []
    return bool(found) and found[-1].kind != "in-graph" and found[-1].mode != "disabled"


def compiling_as_configured(run: Run, regions: tuple[Region, ...]) -> tuple[Region, ...]:
    """With `torch._dynamo.config.capture_scalar_outputs` set, reading a number breaks no graph."""
    if not any(r.kind == "compile" for r in regions) or any(r.kind == "scalars" for r in regions):
        return regions
    captured = run.lookup.sets(run.key, "capture_scalar_outputs")
    return (*regions, Region("scalars", "captured")) if captured else regions


def note_compiled_call(
    run: Run, state: State, regions: tuple[Region, ...], args: list[Value], ref: int
) -> None:
    static = next((r for r in regions if r.kind == "static"), None)
    if static is None or static.at is None:
        return
    shapes = [v.shape for v in args if isinstance(v, Tensor)]
    if shapes and None not in shapes:
        run.event("static-called", ref, state, (static.at,), None, repr(shapes))


def replayed(paths: Paths, regions: tuple[Region, ...], site: Site) -> Paths:
    """Results that live in the memory of a CUDA graph, which its next run writes over."""
    if not any(r.kind == "cudagraphs" for r in regions):
        return paths
    return [(state, _marked(state, value)) for state, value in paths]


def _marked(state: State, value: Value) -> Value:
    value = state.current(value)
    if isinstance(value, Items):
        return Items(tuple(_marked(state, v) for v in value.items), value.kind, value.names)
    if not isinstance(value, Tensor) or value.id is None:
        return value
    state.tensors[value.id] = made = value.but(nature=REPLAYED)
    return made


def run_hooks(run: Run, paths: Paths, module: Pointer, args: Args, ref: int, site: Site) -> Paths:
    """Dynamo traces the forward hooks of a module with it; elsewhere what they collect is watched."""
    from torchwise.flow.calls import call
    from torchwise.flow.hook_views import note_views
    from torchwise.flow.hooks import watch_hooks
    from torchwise.flow.opcalls import Args

    if not paths:
        return paths
    note_views(run, paths, module, args, ref)
    if not traced(paths[0][0]):
        return watch_hooks(run, paths, module, args, ref, site)
    for state, value in paths:
        obj = state.heap.get(module.to)
        hooks = obj.marks.get("hooks") if obj is not None else None
        backward = obj.marks.get("backward-hooks") if obj is not None else None
        if isinstance(backward, Items) and backward.items and state.grad_mode().holds:
            run.event("backward-hooked", ref, state, (module.to,), module)
        given = Items(tuple([v for _, v in args.positional]))
        for number, hook in enumerate(hooks.items if isinstance(hooks, Items) else ()):
            if isinstance(hook, Func):
                handed = Args(((None, module), (None, given), (None, value)))
                call(run, state.copy(), hook, handed, ref, site.of(f"hook{number}"))
    return paths
