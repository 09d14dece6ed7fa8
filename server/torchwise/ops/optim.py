"""Optimizers: objects that hold parameters (`params`), clear their gradients and step."""

from __future__ import annotations

from torchwise.domain.effects import Clip, Effect, Invoke, SetAttrOf, SetMark, Step
from torchwise.domain.value import ANY, NONE, Items, Many, Obj, Params, Tensor, Value
from torchwise.domain.verdict import FAILS, HOLDS
from torchwise.ops.layers import MODULE, initialises, signature
from torchwise.ops.optim_groups import in_two_groups
from torchwise.ops.parameters import cleared, sources
from torchwise.ops.spec import Broken, Given, Made, Outcome, Returns, op

OPTIMIZER = "torch.optim.Optimizer"
PAGE = "generated/torch.optim.Optimizer."
BETAS = "betas=(0.9,0.999) eps=1e-8"  # of all that are like Adam

OPTIMIZERS = {
    "ASGD": "lr=0.01 lambd=0.0001 alpha=0.75 t0=1e6 weight_decay=0",
    "Adadelta": "lr=1.0 rho=0.9 eps=1e-6 weight_decay=0",
    "Adafactor": "lr=0.01 beta2_decay=-0.8 eps=(None,0.001) d=1.0 weight_decay=0.0",
    "Adagrad": "lr=0.01 lr_decay=0 weight_decay=0 initial_accumulator_value=0 eps=1e-10",
    "Adam": f"lr=0.001 {BETAS} weight_decay=0 amsgrad=False",
    "AdamW": f"lr=0.001 {BETAS} weight_decay=0.01 amsgrad=False",
    "Adamax": f"lr=0.002 {BETAS} weight_decay=0",
    "LBFGS": "lr=1 max_iter=20 max_eval=None tolerance_grad=1e-7 tolerance_change=1e-9 history_size=100 "
    "line_search_fn=None",
    "Muon": "lr=0.001 weight_decay=0.1 momentum=0.95 nesterov=True",
    "NAdam": f"lr=0.002 {BETAS} weight_decay=0 momentum_decay=0.004 decoupled_weight_decay=False",
    "RAdam": f"lr=0.001 {BETAS} weight_decay=0 decoupled_weight_decay=False",
    "RMSprop": "lr=0.01 alpha=0.99 eps=1e-8 weight_decay=0 momentum=0 centered=False",
    "Rprop": "lr=0.01 etas=(0.5,1.2) step_sizes=(1e-6,50)",
    "SGD": "lr=0.001 momentum=0 dampening=0 weight_decay=0 nesterov=False",
    "SparseAdam": f"lr=0.001 {BETAS}",
}


def _constructor(path: str, arguments: str) -> Returns:
    names, defaults = signature(arguments)

    def construct(given: Given) -> Outcome:
        params = given.get("params")
        attrs: dict[str, Value] = {"params": params}
        for name in names:
            attrs[name] = given.get(name, defaults.get(name, ANY))
        broken = (*_parameters_fault(given, params), *_rate_fault(given))
        made = Made(Obj(path, attrs, marks={"stepped": FAILS}, bases=(OPTIMIZER,)))
        return Outcome(made, broken, _held(given, params))

    return construct


def _held(given: Given, params: Value) -> tuple[Effect, ...]:
    return tuple([SetMark(module, "held", HOLDS, deep=True) for module in sources(given.heap, params)])


def _parameters_fault(given: Given, params: Value) -> tuple[Broken, ...]:
    """What torch refuses: one tensor, a module, nothing at all, a tensor that is no leaf."""
    if isinstance(params, Tensor):
        return (Broken("argument", "params", wanted="parameters in a list or iterator", got="a tensor"),)
    obj = given.obj("params")
    if obj is not None and MODULE in obj.bases and not obj.cls.startswith("torch.nn.Parameter"):
        return (Broken("argument", "params", wanted="parameters()", got="a module", because=params),)
    items = params.kept if isinstance(params, Params) else given.list("params")
    if items == ():
        return (Broken("argument", "params", wanted="parameters", got="an empty list"),)
    for item in items or ():
        if isinstance(item, Tensor) and item.leaf.fails:
            return (
                Broken("leaf", "params", wanted="a leaf", got="the result of a computation", because=item),
            )
    return in_two_groups(given, params)


def _rate_fault(given: Given) -> tuple[Broken, ...]:
    for name in ("lr", "weight_decay", "momentum", "eps"):
        value = given.const(name, 0.0)
        if isinstance(value, int | float) and value < 0:
            return (Broken("argument", name, wanted="at least 0", got=value),)
    return ()


for _name, _arguments in OPTIMIZERS.items():
    _own = ["params", *(a.partition("=")[0] for a in _arguments.split())]
    _build, _page = _constructor(f"torch.optim.{_name}", _arguments), f"generated/torch.optim.{_name}.html"
    op(
        f"torch.optim.{_name}",
        f"torch.optim.{_name.lower()}.{_name}",
        params=" ".join(_own),
        returns=_build,
        grad="cut",
        tags="optimizer pure",
        source=_page,
    )
    initialises(f"torch.optim.{_name}", " ".join(_own), _build, _page)


def _initialised(given: Given) -> Outcome:
    """An optimizer of the project: `super().__init__(params, defaults)`."""
    params = given["params"]
    effects = (SetAttrOf(given["self"], "params", params), SetMark(given["self"], "stepped", FAILS))
    return Outcome(NONE, _parameters_fault(given, params), effects)


def _step(given: Given) -> Outcome:
    """With a closure, it is called first (and clears, computes and differentiates); its loss is the
    result."""
    closure = given.get("closure", NONE)
    stepped: tuple[Effect, ...] = (Step(given["self"]),)
    if closure == NONE:
        return Outcome(NONE, (), stepped)
    return Outcome(ANY, (), (Invoke(closure), *stepped))


def _lbfgs_step(given: Given) -> Outcome:
    """The closure is called some twenty times, and the parameters move in between."""
    done, closure = _step(given), given.get("closure", NONE)
    if closure != NONE:
        again = Invoke(closure, again=True, uses=True)
        return Outcome(ANY, (), (*done.effects, again, Step(given["self"])))
    return Outcome(ANY, (Broken("argument", "closure", wanted="a closure", got="none"),), done.effects)


BARE = "bare"  # mark of an optimizer: its groups hold no `initial_lr`, which schedulers put there
REGROUPED = "regrouped"  # mark of an optimizer: its groups are no longer those that it was made with


def _added(given: Given) -> Outcome:
    obj = given.obj()
    if obj is None:
        return Outcome(NONE)
    group = given["param_group"]
    both = Items((obj.attrs.get("params", ANY), group))
    own = (SetAttrOf(given["self"], "params", both), SetMark(given["self"], REGROUPED, HOLDS))
    again = in_two_groups(given, both, "param_group")
    return Outcome(NONE, again, (*own, *_held(given, group)))


def _state(given: Given) -> Made:
    return Made(Obj("dict", items=None, each=ANY, marks={"state_of": given["self"]}))


def _method(name: str, params: str, returns: Returns, tags: str = "pure") -> None:
    op(
        f"{OPTIMIZER}.{name}",
        params=f"self {params}",
        returns=returns,
        grad="cut",
        tags=tags,
        source=f"{PAGE}{name}.html",
    )


_method("__init__", "params defaults", _initialised)
_method("zero_grad", "set_to_none", lambda given: Outcome(NONE, (), (cleared(given),)))
_method("step", "closure", _step, "step")
_method("add_param_group", "param_group", _added)
_method("state_dict", "", _state)
_method(
    "load_state_dict",
    "state_dict",
    lambda given: Outcome(
        NONE, (), (SetMark(given["self"], "loaded", HOLDS), SetMark(given["self"], BARE, FAILS))
    ),
)
for _name in ("register_step_post_hook", "register_step_pre_hook", "register_load_state_dict_post_hook"):
    _method(_name, "hook", lambda given: Made(Obj("torch.utils.hooks.RemovableHandle")), "hook")
for _name in ("train", "eval"):  # of the schedule-free optimizers
    _method(_name, "", lambda given: NONE)
op(
    "torch.optim.LBFGS.step",
    params="self closure",
    returns=_lbfgs_step,
    grad="cut",
    tags="step",
    source="generated/torch.optim.LBFGS.html",
)
for _name in ("param_groups", "state"):
    op(
        f"{OPTIMIZER}.{_name}",
        params="self",
        returns=lambda given: Many(ANY),
        grad="cut",
        tags="attribute",
        source="optim.html",
    )


# What is done to gradients and parameters between backward and step


def _clipped(given: Given) -> Outcome:
    """The norm before clipping."""
    return Outcome(
        Tensor((), (), None, None), (), (Clip(given["parameters"]),) if "parameters" in given else ()
    )


for _name, _params in (
    ("clip_grad_norm_", "parameters max_norm norm_type error_if_nonfinite foreach"),
    ("clip_grad_norm", "parameters max_norm norm_type error_if_nonfinite foreach"),
    ("get_total_norm", "tensors norm_type error_if_nonfinite foreach"),
):
    op(
        f"torch.nn.utils.{_name}",
        f"torch.nn.utils.clip_grad.{_name}",
        params=_params,
        returns=_clipped,
        grad="cut",
        tags="pure clip" if _name.startswith("clip") else "pure",
        source=f"generated/torch.nn.utils.{_name}.html",
    )
for _name, _params in (
    ("clip_grad_value_", "parameters clip_value foreach"),
    ("clip_grads_with_norm_", "parameters max_norm total_norm foreach"),
):
    op(
        f"torch.nn.utils.{_name}",
        f"torch.nn.utils.clip_grad.{_name}",
        params=_params,
        returns=lambda given: Outcome(NONE, (), (Clip(given["parameters"]),)),
        grad="cut",
        tags="pure clip",
        source=f"generated/torch.nn.utils.{_name}.html",
    )


# Weight averaging

SWA = "torch.optim.swa_utils"
AVERAGED = f"{SWA}.AveragedModel"
SLOTS = ("avg_fn", "multi_avg_fn")  # called with one tensor, and with lists of all of them


def _averaged(given: Given) -> Outcome:
    """A deep copy of the model, that update_parameters moves; nothing is known of its parameters one by
    one."""
    marks: dict[str, object] = {"training": HOLDS, "opaque": True, "averages": given["model"]}
    plain = all(given.get(name, NONE) == NONE for name in SLOTS)
    if plain and given.const("use_buffers", False) is False:
        marks["simple"] = True  # an equal mean of weights that may lie far apart
    attrs: dict[str, Value] = {"module": ANY, "n_averaged": Tensor((), (), "int64")}
    return Outcome(Made(Obj(AVERAGED, attrs, marks=marks, bases=(MODULE,))), _wrong_slot(given))


def _wrong_slot(given: Given) -> tuple[Broken, ...]:
    """A function of one tensor is called with lists of all of them, or the other way round."""
    for name, other in (SLOTS, SLOTS[::-1]):
        function = given.obj(name)
        if function is not None and function.cls == f"{SWA}.{other}":
            return (Broken("argument", name, wanted=name, got=other, because=given[name]),)
    return ()


def _moved(given: Given) -> Outcome:
    """The statistics of BatchNorm are those of the last model, until `update_bn`."""
    obj = given.obj()
    simple = obj is not None and obj.marks.get("simple") is True
    return Outcome(NONE, (), (SetMark(given["self"], "statistics", FAILS),) if simple else ())


op(
    AVERAGED,
    params="model device avg_fn multi_avg_fn use_buffers",
    returns=_averaged,
    grad="cut",
    tags="pure",
    source="optim.html#weight-averaging-swa-and-ema",
)
op(
    f"{AVERAGED}.update_parameters",
    params="self model",
    grad="cut",
    tags="pure",
    returns=_moved,
    source="optim.html#weight-averaging-swa-and-ema",
)
op(
    f"{AVERAGED}.__call__",
    f"{AVERAGED}.forward",
    name="averaged",
    params="self input",
    source="optim.html#weight-averaging-swa-and-ema",
)
op(
    f"{SWA}.update_bn",
    params="loader model device",
    grad="cut",
    tags="pure",
    returns=lambda given: Outcome(NONE, (), (SetMark(given["model"], "statistics", HOLDS),)),
    source="optim.html#weight-averaging-swa-and-ema",
)


def _function_for(slot: str) -> Returns:
    return lambda given: Made(Obj(f"{SWA}.{slot}"))


for _name in ("get_ema_multi_avg_fn", "get_ema_avg_fn", "get_swa_multi_avg_fn", "get_swa_avg_fn"):
    op(
        f"{SWA}.{_name}",
        params="decay" if "ema" in _name else "",
        returns=_function_for(_name[len("get_ema_") :]),
        grad="cut",
        tags="pure",
        source="optim.html#weight-averaging-swa-and-ema",
    )
