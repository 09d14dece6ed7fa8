"""Learning rate schedulers: objects that know their optimizer and whether they have stepped."""

from __future__ import annotations

from dataclasses import replace

from torchwise.domain.effects import SetMark
from torchwise.domain.value import ANY, NONE, Many, Obj, Pointer, Some, Value
from torchwise.domain.verdict import FAILS, HOLDS
from torchwise.ops.layers import signature
from torchwise.ops.optim import BARE
from torchwise.ops.spec import Broken, Given, Made, Outcome, Returns, op

SCHEDULER = "torch.optim.lr_scheduler.LRScheduler"

SCHEDULERS = {
    "ChainedScheduler": "schedulers optimizer=None",
    "ConstantLR": "optimizer factor=0.3333333333333333 total_iters=5 last_epoch=-1",
    "CosineAnnealingLR": "optimizer T_max eta_min=0.0 last_epoch=-1",
    "CosineAnnealingWarmRestarts": "optimizer T_0 T_mult=1 eta_min=0.0 last_epoch=-1",
    "CyclicLR": "optimizer base_lr max_lr step_size_up=2000 step_size_down=None mode='triangular' gamma=1.0 "
    "scale_fn=None scale_mode='cycle' cycle_momentum=True base_momentum=0.8 max_momentum=0.9 last_epoch=-1",
    "ExponentialLR": "optimizer gamma last_epoch=-1",
    "LambdaLR": "optimizer lr_lambda last_epoch=-1",
    "LinearLR": "optimizer start_factor=0.3333333333333333 end_factor=1.0 total_iters=5 last_epoch=-1",
    "MultiStepLR": "optimizer milestones gamma=0.1 last_epoch=-1",
    "MultiplicativeLR": "optimizer lr_lambda last_epoch=-1",
    "OneCycleLR": "optimizer max_lr total_steps=None epochs=None steps_per_epoch=None pct_start=0.3 "
    "anneal_strategy='cos' cycle_momentum=True base_momentum=0.85 max_momentum=0.95 div_factor=25.0 "
    "final_div_factor=10000.0 three_phase=False last_epoch=-1",
    "PolynomialLR": "optimizer total_iters=5 power=1.0 last_epoch=-1",
    "ReduceLROnPlateau": "optimizer mode='min' factor=0.1 patience=10 threshold=0.0001 "
    "threshold_mode='rel' cooldown=0 "
    "min_lr=0 eps=1e-8",
    "SequentialLR": "optimizer schedulers milestones last_epoch=-1",
    "StepLR": "optimizer step_size gamma=0.1 last_epoch=-1",
    "LRScheduler": "optimizer last_epoch=-1",
}
# These put no `initial_lr` into the groups of their optimizer, and need none.
APART = frozenset(("ChainedScheduler", "ReduceLROnPlateau", "SequentialLR"))
SWALR = "optimizer swa_lr anneal_epochs=10 anneal_strategy='cos' last_epoch=-1"


def _constructor(path: str, arguments: str) -> Returns:
    names, defaults = signature(arguments)

    def construct(given: Given) -> Outcome:
        attrs: dict[str, Value] = {name: given.get(name, defaults.get(name, ANY)) for name in names}
        unknown = [name for name in given.values if name not in names]
        broken = tuple(Broken("keyword", name, message=f"{path} takes no `{name}`") for name in unknown)
        effects = () if path.rpartition(".")[2] in APART else (SetMark(given["optimizer"], BARE, FAILS),)
        return Outcome(Made(Obj(path, attrs, marks={"stepped": FAILS}, bases=(SCHEDULER,))), broken, effects)

    return construct


def _add(path: str, spelling: str, arguments: str) -> None:
    op(
        path,
        spelling,
        params=" ".join(a.partition("=")[0] for a in arguments.split()),
        returns=_constructor(path, arguments),
        grad="cut",
        tags="scheduler pure",
        source=f"generated/{path}.html",
    )


for _name, _arguments in SCHEDULERS.items():
    _also = "torch.optim.lr_scheduler._LRScheduler" if _name == "LRScheduler" else f"torch.optim.{_name}"
    _add(f"torch.optim.lr_scheduler.{_name}", _also, _arguments)
_add("torch.optim.swa_utils.SWALR", "torch.optim.lr_scheduler.SWALR", SWALR)


def _step(given: Given) -> Outcome:
    optimizer = given.attr("optimizer")
    held = given.heap.get(optimizer.to) if isinstance(optimizer, Pointer) else None
    early = held is not None and held.marks.get("stepped") is FAILS
    broken = (Broken("order", "self", message="the optimizer has not stepped yet"),) if early else ()
    return Outcome(NONE, broken, (SetMark(given["self"], "stepped", HOLDS),))


def _plateau_step(given: Given) -> Outcome:
    done = replace(_step(given), broken=())
    if "metrics" in given:
        return done
    return Outcome(NONE, (Broken("argument", "metrics", wanted="a metric", got="none"),), done.effects)


def _method(name: str, params: str, returns: Returns, cls: str = SCHEDULER, tags: str = "pure") -> None:
    op(
        f"{cls}.{name}",
        params=f"self {params}",
        returns=returns,
        grad="cut",
        tags=tags,
        source=f"generated/{cls}.html",
    )


_method(
    "__init__",
    "optimizer last_epoch",
    lambda given: Outcome(
        NONE, (), (SetMark(given["self"], "stepped", FAILS), SetMark(given["optimizer"], BARE, FAILS))
    ),
)
_method("step", "epoch", _step, tags="pure scheduler-step")
_method(
    "step",
    "metrics epoch",
    _plateau_step,
    "torch.optim.lr_scheduler.ReduceLROnPlateau",
    "pure scheduler-step",
)
_method("get_last_lr", "", lambda given: Many(Some("float"), "list"))
_method("get_lr", "", lambda given: Many(Some("float"), "list"))
_method("print_lr", "is_verbose group lr epoch", lambda given: NONE)
_method(
    "state_dict", "", lambda given: Made(Obj("dict", items=None, each=ANY, marks={"state_of": given["self"]}))
)
_method("load_state_dict", "state_dict", lambda given: NONE)
