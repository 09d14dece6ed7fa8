"""Train and eval mode at the moment a module is called, and what a backward later makes of it.

Notes these kinds of event: "train-mode-forward" where layers that behave differently in training are
certainly in train
mode; "eval-mode-step" where gradients flow through a call that a module answered in eval mode although it
had been
trained in train mode before, and an optimizer then steps; "graph-forward" where a call of a module with
parameters builds a graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, NONE, Const, Graph, Obj, Pointer, Site, Tensor, Value
from torchwise.domain.verdict import FAILS, HOLDS, UNKNOWN
from torchwise.flow.autograd import MODULE
from torchwise.flow.averaged import note_followed
from torchwise.flow.early import note_early
from torchwise.flow.facts import Arg, CallFact
from torchwise.flow.moving import modules_in
from torchwise.flow.reduced import note_reduced
from torchwise.flow.state import CLEAR, Grad
from torchwise.ops.sensitive import mode_matters

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

NORMALISES = "torch.nn.modules.batchnorm._BatchNorm"
TRAINED = "called-in-train-mode-with-grad"


def note_forward(run: Run, state: State, module: Pointer, ref: int) -> None:
    """Called for every call of a module, before it runs."""
    note_early(run, state, module, ref)
    note_followed(run, state, module, ref)
    note_reduced(run, state, module, ref)
    obj = state.heap.get(module.to)
    if obj is None:
        return
    recording = state.grad_mode().holds
    noisy = noisy_layer(state, module)
    on_purpose = obj.marks.get("training") is FAILS  # a layer alone was set back, as for Monte Carlo dropout
    if noisy is not None and not on_purpose:
        at = noisy[1].marks.get("training@")
        because = (at.to,) if isinstance(at, Pointer) else ()
        run.event("train-mode-forward", ref, state, (*because, noisy[0]), module, noisy[1].cls)
        if obj.marks.get(TRAINED) is True or obj.marks.get("settled") is HOLDS:
            run.event("settled-forward", ref, state, (noisy[0],), module, noisy[1].cls)
    if noisy is not None and recording:
        _note_frozen_norm(run, state, module, ref)
    if recording and trainable(state, module):
        detail = "training" if obj.marks.get("training") is HOLDS else ""
        run.event("graph-forward", ref, state, (), module, detail)
    _note_average(run, state, module, obj, ref)
    training = obj.marks.get("training")
    if not recording:
        return
    if training is HOLDS:
        state.heap[module.to] = obj.with_mark(TRAINED, True)
    elif training is FAILS and obj.marks.get(TRAINED) is True:
        at = obj.marks.get("training@")
        if isinstance(at, Pointer):
            run.eval_forwards[ref, run.turn] = (run.site(ref), at.to)


def note_module_call(
    run: Run,
    state: State,
    module: Pointer,
    obj: Obj,
    positional: Sequence[tuple[int | None, Value]],
    site: Site,
    called: int | None,
) -> None:
    """A call of a user's module is a fact of its own: rules about modes and grad modes read it."""
    if MODULE not in obj.bases:
        return
    given = {"self": Arg(called, module)}
    if positional:
        given["input"] = Arg(*positional[0])
    place = (run.turn, run.loops, state.regions, (), obj.cls, site.part)
    run.calls.append(CallFact(site.ref, "forward", "forward", given, ANY, *place))


def _note_average(run: Run, state: State, module: Pointer, obj: Obj, ref: int) -> None:
    """An averaged model whose BatchNorm layers have the statistics of other weights than its own."""
    model = obj.marks.get("averages")
    if obj.marks.get("statistics") is not FAILS or not isinstance(model, Pointer):
        return
    if obj.marks.get("training") is not FAILS:  # in train mode a call gathers them
        state.heap[module.to] = obj.with_mark("statistics", UNKNOWN)
    elif any(NORMALISES in state.heap[m.to].bases for m in modules_in(state, model)):
        moved = obj.marks.get("statistics@")
        at = moved.to if isinstance(moved, Pointer) else module.to
        run.event("averaged-without-statistics", ref, state, (at, module.to), module)


def _note_frozen_norm(run: Run, state: State, module: Pointer, ref: int) -> None:
    """A BatchNorm whose own parameters are frozen, in train mode, where other parameters are trained."""
    for inner in modules_in(state, module):
        obj = state.heap[inner.to]
        if not obj.cls.startswith("torch.nn.BatchNorm") or obj.marks.get("training") is not HOLDS:
            continue
        weight = state.current(obj.attrs.get("weight", NONE))
        tracks = obj.attrs.get("track_running_stats") == Const(True)
        if tracks and isinstance(weight, Tensor) and weight.requires_grad is FAILS:
            if trainable(state, module) and not _beside_original(state, inner):
                set_at = obj.marks.get("training@")
                because = (inner.to, set_at.to) if isinstance(set_at, Pointer) else (inner.to,)
                run.event("frozen-norm", ref, state, because, module, obj.cls)
            return


def _beside_original(state: State, layer: Pointer) -> bool:
    """Whether a layer is part of a copy that one module holds with the original, as a momentum encoder is:
    its weights follow those of the other.
    """
    for holder in state.heap.values():
        held = [v for v in holder.attrs.values() if isinstance(v, Pointer)] if MODULE in holder.bases else []
        for one in held:
            original = state.heap[one.to].marks.get("copy-of") if one.to in state.heap else None
            if original in held and layer in modules_in(state, one):
                return True
    return False


def trainable(state: State, module: Value) -> bool:
    """Whether a parameter inside certainly requires grad."""
    for inner in modules_in(state, module):
        for value in state.heap[inner.to].attrs.values():
            value = state.current(value)
            if isinstance(value, Tensor) and value.kind == "parameter" and value.requires_grad is HOLDS:
                return True
    return False


def noisy_layer(state: State, module: Value) -> tuple[Site, Obj] | None:
    """A layer inside that certainly drops out or normalises by the batch."""
    for inner in modules_in(state, module):
        obj = state.heap[inner.to]
        if obj.marks.get("training") is HOLDS and mode_matters(obj):
            return inner.to, obj
    return None


def evaluated(run: Run, graph: Graph) -> tuple[Site, ...]:
    """The forward in a graph that ran in a mode left over from evaluation, and where the mode was set; ()
    if none did.
    """
    if run.eval_forwards:
        nodes = {(n.ref, n.turn) for n in graph.nodes if n.scope == run.key}
        for key, because in run.eval_forwards.items():
            if key in nodes:
                return because
    return ()


def note_step(run: Run, state: State, used: Iterable[Grad], ref: int) -> None:
    """Called for every step of an optimizer, with the gradients that it used."""
    because = next((g.evaluating for g in used if g.evaluating and g.kind in ("fresh", "mixed")), ())
    if because:
        run.event("eval-mode-step", ref, state, because)


def note_step_inside(run: Run, before: State, after: State, flowed: tuple[Site, ...], ref: int) -> None:
    """Called after a call of a function of the project that may have run a step, or a backward (`flowed`)
    and a step.
    """
    for leaf, grad in after.grads.items():
        was = before.grads.get(leaf, CLEAR)
        if grad.kind == "used" and was.step != grad.step:
            if flowed and was.kind != "fresh":
                run.event("eval-mode-step", ref, after, flowed)
            return


def note_wrapped_method(run: Run, state: State, owner: Value, result: Value, ref: int) -> None:
    """`ddp.module.scores(x)` gives a graph that the wrapper knows nothing of."""
    obj = state.obj(owner)
    me = state.env.get(run.scope.params[0].name) if run.scope.params else None
    if obj is not None and obj.marks.get("wrapped") is HOLDS and owner != me:
        if isinstance(result, Tensor) and result.requires_grad.holds:
            run.event("wrapped-called", ref, state, (), owner)
