"""Activations and dropout as layers. Each is its function in torch.nn.functional."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.effects import Write
from torchwise.domain.strides import elementwise_strides
from torchwise.domain.value import ANY, Const, Num, Tensor, Value
from torchwise.ops.activations import in_place_tag
from torchwise.ops.layers import by, flag, layer, parameter
from torchwise.ops.spec import Broken, Given, Outcome, Returns, op

F = "torch.nn.functional."

# class, arguments, what its call is, the attributes that the call uses, what is kept for backward
ACTIVATIONS = (
    ("ReLU", "inplace=False", "relu", "inplace", "result"),
    ("ReLU6", "inplace=False", "relu6", "inplace", "input<input"),
    (
        "RReLU",
        "lower=0.125 upper=0.3333333333333333 inplace=False",
        "rrelu",
        "inplace training",
        "input<input",
    ),
    (
        "Hardtanh",
        "min_val=-1.0 max_val=1.0 inplace=False min_value=None max_value=None",
        "hardtanh",
        "inplace",
        "input<input",
    ),
    ("Hardsigmoid", "inplace=False", "hardsigmoid", "inplace", "input<input"),
    ("Hardswish", "inplace=False", "hardswish", "inplace", "input<input"),
    ("ELU", "alpha=1.0 inplace=False", "elu", "inplace", "input<input"),
    ("CELU", "alpha=1.0 inplace=False", "celu", "inplace", "input<input"),
    ("SELU", "inplace=False", "selu", "inplace", "input<input"),
    ("SiLU", "inplace=False", "silu", "inplace", "input<input"),
    ("Mish", "inplace=False", "mish", "inplace", "input<input"),
    ("GELU", "approximate='none'", "gelu", "approximate", "input<input"),
    ("LeakyReLU", "negative_slope=0.01 inplace=False", "leaky_relu", "inplace", "input<input"),
    ("Threshold", "threshold value inplace=False", "threshold", "threshold value inplace", "input<input"),
    ("Sigmoid", "", "sigmoid", "", "result"),
    ("Tanh", "", "tanh", "", "result"),
    ("LogSigmoid", "", "logsigmoid", "", "input<input"),
    ("Softplus", "beta=1.0 threshold=20.0", "softplus", "", "input<input"),
    ("Softsign", "", "softsign", "", "input<input"),
    ("Tanhshrink", "", "tanhshrink", "", ""),
    ("Softshrink", "lambd=0.5", "softshrink", "", "input<input"),
    ("Hardshrink", "lambd=0.5", "hardshrink", "", "input<input"),
    ("GLU", "dim=-1", "glu", "dim", "input<input"),
    ("Softmax", "dim=None", "softmax", "dim", "result"),
    ("LogSoftmax", "dim=None", "log_softmax", "dim", "result"),
    ("Softmin", "dim=None", "softmin", "dim", "result"),
)

for _cls, _arguments, _does, _attributes, _saves in ACTIVATIONS:
    layer(
        f"torch.nn.{_cls}",
        _arguments,
        home="activation",
        call=by(F + _does, _attributes),
        does=_does,
        saves=_saves,
        bases="torch.nn.Hardtanh" if _cls == "ReLU6" else "",
        call_tags=in_place_tag(_does),
    )
layer(
    "torch.nn.Softmax2d",
    home="activation",
    call=by(F + "softmax", dim=Num(Dim.of(-3))),
    does="softmax",
    saves="result",
)
layer(
    "torch.nn.PReLU",
    "num_parameters=1 init=0.25 device=None dtype=None",
    home="activation",
    holds=lambda given: {"weight": parameter(given, given.dim("num_parameters"))},
    call=by(F + "prelu", "weight"),
    does="prelu",
    saves="input<weight weight<input",
)


def dropout(given: Given) -> Outcome:
    """In training mode a fresh tensor like its input, and otherwise the input itself."""
    x = given["input"]
    broken = p_range(given)
    if not isinstance(x, Tensor):
        return Outcome(Tensor() if x is ANY else ANY, broken)
    inplace, training = flag(given, "inplace"), given.const("training", True)
    if training is False or given.const("p", 0.5) == 0 or any(d.number == 0 for d in x.shape or ()):
        return Outcome(x, broken)
    if inplace:
        return Outcome(x, broken, (Write(x),))
    if training is ... or inplace is None:
        return Outcome(like(x), broken)
    return Outcome(like(x), broken)


def like(x: Tensor) -> Tensor:
    """A fresh tensor of the same shape, computed element by element."""
    strides = None if x.shape is None else elementwise_strides(x.shape, ((x.shape, x.strides),))
    return Tensor(x.shape, strides, x.dtype, x.device)


def p_range(given: Given) -> tuple[Broken, ...]:
    p = given.const("p", 0.5)
    if isinstance(p, int | float) and not 0 <= p <= 1:
        return (Broken("argument", "p", wanted="between 0 and 1", got=p),)
    return ()


DROPOUTS = (
    # class, function, default p of the function, its default for training
    ("Dropout", "dropout", "0.5"),
    ("Dropout1d", "dropout1d", "0.5"),
    ("Dropout2d", "dropout2d", "0.5"),
    ("Dropout3d", "dropout3d", "0.5"),
    ("AlphaDropout", "alpha_dropout", "0.5"),
    ("FeatureAlphaDropout", "feature_alpha_dropout", "0.5"),
)


def _with_training(default: bool) -> Returns:
    """Alpha dropout is off by default, all others are on."""

    def call(given: Given) -> Outcome:
        if "training" in given:
            return dropout(given)
        values: dict[str, Value] = {**given.values, "training": Const(default)}
        return dropout(Given(values, given.heap, given.extra, given.defaults, given.regions, given.site))

    return call


for _cls, _does, _p in DROPOUTS:
    op(
        F + _does,
        params="input p training inplace",
        returns=_with_training("alpha" not in _does),
        tags="random",
        source=f"generated/{F}{_does}.html",
    )
    layer(
        f"torch.nn.{_cls}",
        f"p={_p} inplace=False",
        home="dropout",
        needs=p_range,
        call=by(dropout, "p training" if "Alpha" in _cls else "p inplace training"),  # theirs is ignored
        does=_does,
        bases="torch.nn.modules.dropout._DropoutNd",
    )
op(
    "torch.dropout",
    params="input p train",
    returns=lambda given: dropout(
        Given(
            {**given.values, "training": given["train"]}, given.heap, regions=given.regions, site=given.site
        )
    ),
    source="generated/torch.nn.functional.dropout.html",
)
