"""GradScaler, and differentiation by function: torch.autograd.grad and backward.

A scaler's marks: "scaled" once a loss was scaled; "unscaled" and "stepped" are the optimizers since the last
`update`.
"""

from __future__ import annotations

from torchwise.domain.effects import Backward, Effect, SetAttrOf, SetMark, Step, Unscale
from torchwise.domain.nature import GRADIENT, made_at
from torchwise.domain.value import (
    ANY,
    NONE,
    Const,
    Items,
    Many,
    Num,
    Obj,
    Params,
    Pointer,
    Site,
    Some,
    Tensor,
    Value,
)
from torchwise.domain.verdict import FAILS, HOLDS, UNKNOWN
from torchwise.ops.attributes import not_one
from torchwise.ops.layers import signature
from torchwise.ops.spec import Broken, Given, Made, Outcome, Returns, op

SCALER = "torch.amp.GradScaler"
NOBODY: frozenset[Site] = frozenset()
_, DEFAULTS = signature(
    "device='cuda' init_scale=65536.0 growth_factor=2.0 backoff_factor=0.5 growth_interval=2000 enabled=True"
)


def _scaler(given: Given) -> Made:
    attrs: dict[str, Value] = {**DEFAULTS, **{k: v for k, v in given.values.items() if k in DEFAULTS}}
    return Made(Obj(SCALER, attrs, marks={"scaled": FAILS, "unscaled": NOBODY, "stepped": NOBODY}))


op(
    SCALER,
    "torch.amp.grad_scaler.GradScaler",
    grad="cut",
    tags="pure scaler",
    returns=_scaler,
    params="device init_scale growth_factor backoff_factor growth_interval enabled",
    source="amp.html#gradient-scaling",
)
for _old in ("torch.cuda.amp.GradScaler", "torch.cpu.amp.GradScaler"):
    op(
        _old,
        *((f"{_old.rpartition('.')[0]}.grad_scaler.GradScaler",)),
        grad="cut",
        tags="pure scaler deprecated",
        returns=_scaler,
        params="init_scale growth_factor backoff_factor growth_interval enabled",
        source="amp.html#gradient-scaling",
    )


def enabled(obj: Obj | None) -> bool | None:
    if obj is None:
        return None
    value = obj.attrs.get("enabled")
    return bool(value.value) if isinstance(value, Const) else None


def _scale(given: Given) -> Outcome:
    """The outputs times the scale: a number in float32 makes a float32 of a tensor without axes."""
    x, on = given["outputs"], enabled(given.obj())
    effects: tuple[Effect, ...] = (SetMark(given["self"], "scaled", HOLDS),)
    obj = given.obj()
    if obj is not None and obj.marks.get("scaled") is UNKNOWN:  # it was elsewhere, and may have stepped there
        effects += tuple(SetMark(given["self"], mark, UNKNOWN) for mark in ("unscaled", "stepped"))
    if on is False:
        return Outcome(x)
    if not isinstance(x, Tensor):
        return Outcome(ANY, (), effects)
    half = x.dtype in ("float16", "bfloat16")
    dtype = None if half and x.shape is None else "float32" if half and x.shape == () else x.dtype
    scaled = "scaled" if on is True else None
    return Outcome(
        Tensor(x.shape, x.strides if x.shape == () else None, dtype, x.device, nature=scaled), (), effects
    )


def _sites(obj: Obj | None, mark: str) -> frozenset[Site] | None:
    found = None if obj is None else obj.marks.get(mark)
    return found if isinstance(found, frozenset) else None


def _added(given: Given, mark: str) -> tuple[Effect, ...]:
    optimizer, known = given["optimizer"], _sites(given.obj(), mark)
    if not isinstance(optimizer, Pointer) or known is None:
        return (SetMark(given["self"], mark, UNKNOWN),)
    return (SetMark(given["self"], mark, known | {optimizer.to}),)


def _fault(given: Given, *asked: str) -> tuple[Broken, ...]:
    """What the scaler raises on: the same again since the last update, or no scaled loss before."""
    obj, optimizer = given.obj(), given["optimizer"]
    if obj is None or enabled(obj) is not True or obj.marks.get("scaled") is UNKNOWN:
        return ()
    for mark, words in (("unscaled", "unscale_"), ("stepped", "step")):
        known = _sites(obj, mark)
        if mark in asked and isinstance(optimizer, Pointer) and known is not None and optimizer.to in known:
            return (Broken("scaler", "optimizer", axis=words, got="already called since the last update"),)
    if obj.marks.get("scaled") is FAILS:
        return (Broken("scaler", "self", axis="scale", wanted="scale(loss) before it"),)
    return ()


def _unscale(given: Given) -> Outcome:
    if enabled(given.obj()) is False:
        return Outcome(NONE)
    return Outcome(
        NONE, _fault(given, "unscaled", "stepped"), (Unscale(given["optimizer"]), *_added(given, "unscaled"))
    )


def _step(given: Given) -> Outcome:
    steps: tuple[Effect, ...] = (Step(given["optimizer"], unscales=True),)
    if enabled(given.obj()) is False:
        return Outcome(ANY, (), steps)
    return Outcome(ANY, _fault(given, "stepped"), (*steps, *_added(given, "stepped")))


def _update(given: Given) -> Outcome:
    obj = given.obj()
    if enabled(obj) is False:
        return Outcome(NONE)
    broken = _fault(given)
    if not broken and obj is not None and enabled(obj) and obj.marks.get("scaled") is HOLDS:
        if obj.marks.get("unscaled") == obj.marks.get("stepped") == NOBODY:
            broken = (Broken("scaler", "self", axis="step", wanted="step(optimizer) before it"),)
    cleared = (SetMark(given["self"], "unscaled", NOBODY), SetMark(given["self"], "stepped", NOBODY))
    return Outcome(NONE, broken, cleared)


for _name, _params, _returns, _tags in (
    ("unscale_", "optimizer", _unscale, "pure"),
    ("step", "optimizer", _step, "step"),
    ("update", "new_scale", _update, "pure"),
    ("get_scale", "", lambda given: Some("float"), "pure"),
    ("is_enabled", "", lambda given: given.attr("enabled"), "pure"),
    (
        "state_dict",
        "",
        lambda given: Made(Obj("dict", items=None, each=ANY, marks={"state_of": given["self"]})),
        "pure",
    ),
    ("load_state_dict", "state_dict", lambda given: NONE, "pure"),
):
    op(
        f"{SCALER}.{_name}",
        params=f"self {_params}",
        returns=_returns,
        grad="cut",
        tags=_tags,
        source="amp.html#gradient-scaling",
    )
op(f"{SCALER}.scale", params="self outputs", returns=_scale, tags="scale", source="amp.html#gradient-scaling")


# Differentiation


def _keeps(given: Given) -> bool:
    """Whether the graph may be kept: what is not known is kept, so that nobody is accused."""
    retain, create = given.const("retain_graph", None), given.const("create_graph", False)
    return (create is not False) if retain is None else retain is not False


def _roots(given: Given, name: str) -> tuple[Value, ...]:
    items = given.list(name)
    return (given[name],) if items is None else items


def _backward(given: Given) -> Outcome:
    keep = _keeps(given)
    into = None if given.get("inputs", NONE) == NONE else given["inputs"]
    effects = tuple(Backward(root, keep, into=into) for root in _roots(given, "tensors"))
    implied = given.get("grad_tensors", NONE) == NONE == given.get("grad_variables", NONE)
    return Outcome(NONE, not_one(given, given["tensors"], "tensors") if implied else (), effects)


def _grad(given: Given) -> Outcome:
    """A tuple with one gradient for each input, shaped like it; without create_graph it has no graph."""
    keep = _keeps(given)
    effects = tuple(Backward(root, keep, stores=False) for root in _roots(given, "outputs"))
    implied = given.get("grad_outputs", NONE) == NONE
    broken = not_one(given, given["outputs"], "outputs") if implied else ()
    inputs = given["inputs"]
    if isinstance(inputs, Params):
        return Outcome(Many(Tensor(), "tuple"), broken, effects)
    values = _roots(given, "inputs")
    if inputs is ANY or any(not isinstance(v, Tensor) for v in values):
        return Outcome(ANY, broken, effects)
    made = tuple(_gradient(given, v, i) for i, v in enumerate(values) if isinstance(v, Tensor))
    return Outcome(Items(made), broken, effects)


def _gradient(given: Given, of: Tensor, number: int) -> Tensor:
    higher = given.const("create_graph", False)
    plain = Tensor(of.shape, None, of.dtype, of.device)
    if higher is not False or given.site is None:
        return plain
    site = given.site.of(f"grad{number}")
    return Tensor(
        of.shape,
        None,
        of.dtype,
        of.device,
        FAILS,
        HOLDS,
        site,
        site,
        frozenset((given.site,)),
        None,
        made_at(GRADIENT, given.site),
    )


op(
    "torch.autograd.grad",
    grad="record",
    tags="differentiates",
    returns=_grad,
    source="generated/torch.autograd.grad.html",
    params="outputs inputs grad_outputs retain_graph create_graph only_inputs allow_unused is_grads_batched "
    "materialize_grads",
)
op(
    "torch.autograd.backward",
    grad="cut",
    tags="differentiates",
    returns=_backward,
    params="tensors grad_tensors retain_graph create_graph grad_variables inputs",
    source="generated/torch.autograd.backward.html",
)
op(
    "torch.autograd.Function.__call__",
    "torch.autograd.function.Function.__call__",
    params="self *args",
    grad="cut",
    returns=lambda given: Outcome(ANY, (Broken("legacy-function", "self"),)),
    source="generated/torch.autograd.Function.html",
)
op("torch.autograd.Function.apply", params="*args", source="generated/torch.autograd.Function.html")


def _saved(given: Given) -> Outcome:
    """What backward finds in `ctx.saved_tensors`."""
    tensors = given.list("tensors")
    saved = Items(tuple(tensors)) if tensors is not None else ANY
    return Outcome(NONE, (), (SetAttrOf(given["self"], "saved_tensors", saved),))


op(
    "torch.autograd.function.FunctionCtx.save_for_backward",
    params="self *tensors",
    returns=_saved,
    grad="cut",
    source="generated/torch.autograd.function.FunctionCtx.save_for_backward.html",
)
for _name, _params in (
    ("save_for_forward", "*tensors"),
    ("mark_dirty", "*args"),
    ("mark_non_differentiable", "*args"),
    ("set_materialize_grads", "value"),
):
    op(
        f"torch.autograd.function.FunctionCtx.{_name}",
        params=f"self {_params}",
        returns=lambda given: NONE,
        tags="pure",
        grad="cut",
        source="generated/torch.autograd.Function.html",
    )
for _name, _params in (
    ("gradcheck", "func inputs eps atol rtol raise_exception"),
    ("gradgradcheck", "func inputs grad_outputs"),
):
    op(
        f"torch.autograd.{_name}",
        f"torch.autograd.gradcheck.{_name}",
        params=_params,
        returns=lambda given: Some("bool"),
        grad="cut",
        source="autograd.html",
    )
__all__ = ["Num", "Returns", "enabled"]
