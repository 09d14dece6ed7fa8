"""What forward hooks collect, call after call.

A list that a hook appends to may be filled from anywhere, so what is in it is not known. But what the hooks
that are known append is written down beside it, as a mark of the list, until anything else changes the
list: so an output that joins one whose graph has been freed is noted as "hook-kept".

What a hook gives back takes the place of what it was handed: noted where it returns, as "hook-gives".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.effects import LookInto
from torchwise.domain.value import (
    NONE,
    Const,
    Dtype,
    Func,
    Items,
    Num,
    Partial,
    Pointer,
    Region,
    Site,
    Some,
    Tensor,
    Value,
    Wrapped,
)
from torchwise.ir import nodes as ir

if TYPE_CHECKING:
    from torchwise.flow.opcalls import Args
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

COLLECTED = "collected-by-hooks"  # mark of a list: the tensor that a hook appended last
HOOK = "hook"
Paths = list[tuple["State", Value]]


def watch_hooks(run: Run, paths: Paths, module: Pointer, args: Args, ref: int, site: Site) -> Paths:
    """Runs the forward hooks of a module aside: nothing is taken from it but what they collect."""
    from torchwise.flow.calls import call
    from torchwise.flow.opcalls import Args

    given = Items(tuple([v for _, v in args.positional]))
    for state, value in paths:
        obj = state.heap.get(module.to)
        hooks = obj.marks.get("hooks") if obj is not None else None
        if not isinstance(hooks, Items) or not isinstance(value, Tensor) or not state.grad_mode().holds:
            continue
        for number, hook in enumerate(hooks.items):
            if not isinstance(hook, Func):
                continue
            aside = state.copy()
            aside.regions = (*aside.regions, Region(HOOK, "", site))
            handed = Args(((None, module), (None, given), (None, value)))
            for after, _ in call(run, aside, hook, handed, ref, site.of(f"hook{number}")):
                _take_over(state, after)
    return paths


def _take_over(state: State, after: State) -> None:
    for place, obj in after.heap.items():
        known = state.heap.get(place)
        if known is not None and obj.cls == "list" and obj.marks.get(COLLECTED) != known.marks.get(COLLECTED):
            state.heap[place] = known.with_mark(COLLECTED, obj.marks.get(COLLECTED))


def look_into(run: Run, state: State, it: LookInto, ref: int, site: Site) -> None:
    """Runs a hook aside as it is registered, with arguments of which nothing is known."""
    from torchwise.flow.calls import call
    from torchwise.flow.opcalls import Args

    key = _scope_of(it.func) if it.how in REPLACING else ""
    if key and not in_hook(state):
        aside = state.copy()
        aside.regions = (*aside.regions, Region(HOOK, f"{it.how} {key}", site))
        call(run, aside, it.func, Args(open=True), ref, site.of("hook"))


def look_into_by_name(run: Run, state: State, it: ir.Call, args: Args) -> None:
    """`layer.register_forward_hook(keep)` of a layer of which nothing is known."""
    attr = run.defs.get(it.callee) if isinstance(it.callee, int) else None
    if isinstance(attr, ir.Attr) and args.values():
        look_into(run, state, LookInto(args.values()[0], attr.name), it.out, run.site(it.out))


REPLACING = frozenset(
    f"register_{n}hook" for n in ("", "forward_", "forward_pre_", "full_backward_", "full_backward_pre_")
)


def _scope_of(hook: Value) -> str:
    while isinstance(hook, Partial | Wrapped):
        hook = hook.func
    return hook.scope if isinstance(hook, Func) else ""


def note_given_back(run: Run, state: State, it: ir.Return, value: Value) -> None:
    """Called for a return statement under regions."""
    for region in state.regions:
        if (
            region.kind == HOOK
            and region.mode.endswith(f" {run.key}")
            and it.value is not None
            and value != NONE
        ):
            obj, how = state.obj(value), region.mode.partition(" ")[0]
            plain = isinstance(value, Num | Const | Dtype) or (
                isinstance(value, Some) and value.kind in PLAIN
            )
            kind = "plain" if plain else obj.cls if obj is not None and obj.cls in COLLECTIONS else ""
            because = (region.at,) if region.at is not None else ()
            run.event("hook-gives", it.value, state, because, value, f"{how} {kind}")


PLAIN = ("int", "float", "bool", "str")
COLLECTIONS = ("list", "dict", "set")


def in_hook(state: State) -> bool:
    return any(region.kind == HOOK for region in state.regions)


def note_collected(run: Run, state: State, holder: Value | None, tensors: list[Tensor], ref: int) -> None:
    """Called where a list gets tensors with a graph, in a hook."""
    from torchwise.flow.kept import spent

    obj = state.obj(holder)  # type: ignore[arg-type]
    if obj is None or obj.cls != "list" or not isinstance(holder, Pointer) or not tensors:
        return
    before = obj.marks.get(COLLECTED)
    if isinstance(before, Items) and any(spent(state, t) for t in before.items):
        run.event("hook-kept", ref, state, tuple(tensors[0].calls), tensors[0])
    state.heap[holder.to] = obj.with_mark(COLLECTED, Items((tensors[0],)))


def forgotten(state: State, target: Value) -> None:
    """Called where anything but a hook changes a list, or may."""
    obj = state.obj(target)
    if obj is not None and isinstance(target, Pointer) and obj.marks.get(COLLECTED) is not None:
        state.heap[target.to] = obj.with_mark(COLLECTED, None)
