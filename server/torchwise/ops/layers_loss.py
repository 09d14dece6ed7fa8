"""Losses as functions and as layers, row by row."""

from __future__ import annotations

from dataclasses import replace

from torchwise.domain.value import ANY, NONE, Value
from torchwise.ops.layers import by, layer, with_values
from torchwise.ops.losses import (
    binary,
    cosine_embedding,
    cross_entropy,
    ctc,
    elementwise,
    margin_ranking,
    nll,
    over_last,
    reduced,
    reduction_of,
    soft_margin,
    triplet,
)
from torchwise.ops.spec import Given, Made, Outcome, Returns, op

ELEMENTWISE, STEPWISE = elementwise("input", "target"), elementwise("input", "target", one_step=False)
REDUCE = "size_average=None reduce=None reduction='mean'"
# class, function, operands, more parameters, arguments of the layer, what works it out, what is kept
LOSSES: tuple[tuple[str, str, str, str, str, Returns, str], ...] = (
    ("L1Loss", "l1_loss", "input target", "{} weight", REDUCE, ELEMENTWISE, ""),
    ("MSELoss", "mse_loss", "input target", "{} weight", REDUCE, ELEMENTWISE, "input target"),
    (
        "SmoothL1Loss",
        "smooth_l1_loss",
        "input target",
        "{} beta",
        REDUCE + " beta=1.0",
        ELEMENTWISE,
        "input target",
    ),
    (
        "HuberLoss",
        "huber_loss",
        "input target",
        "reduction delta weight",
        "reduction='mean' delta=1.0",
        STEPWISE,
        "input target",
    ),
    (
        "BCELoss",
        "binary_cross_entropy",
        "input target",
        "weight {}",
        "weight=None " + REDUCE,
        binary,
        "input target",
    ),
    (
        "BCEWithLogitsLoss",
        "binary_cross_entropy_with_logits",
        "input target",
        "weight {} pos_weight",
        "weight=None " + REDUCE + " pos_weight=None",
        lambda given: binary(given, strict=False),
        "input target",
    ),
    (
        "CrossEntropyLoss",
        "cross_entropy",
        "input target",
        "weight size_average ignore_index reduce reduction label_smoothing",
        "weight=None size_average=None ignore_index=-100 reduce=None reduction='mean' label_smoothing=0.0",
        cross_entropy,
        "target<input",
    ),
    (
        "NLLLoss",
        "nll_loss",
        "input target",
        "weight size_average ignore_index reduce reduction",
        "weight=None size_average=None ignore_index=-100 reduce=None reduction='mean'",
        nll,
        "input<input target<input",
    ),
    (
        "KLDivLoss",
        "kl_div",
        "input target",
        "{} log_target",
        REDUCE + " log_target=False",
        STEPWISE,
        "input target",
    ),
    (
        "PoissonNLLLoss",
        "poisson_nll_loss",
        "input target",
        "log_input full size_average eps reduce reduction",
        "log_input=True full=False size_average=None eps=1e-8 reduce=None reduction='mean'",
        STEPWISE,
        "",
    ),
    (
        "GaussianNLLLoss",
        "gaussian_nll_loss",
        "input target var",
        "full eps reduction",
        "full=False eps=1e-6 reduction='mean'",
        elementwise("input", "target", "var", floating=False, one_step=False),
        "",
    ),
    (
        "HingeEmbeddingLoss",
        "hinge_embedding_loss",
        "input target",
        "margin {}",
        "margin=1.0 " + REDUCE,
        STEPWISE,
        "",
    ),
    ("SoftMarginLoss", "soft_margin_loss", "input target", "{}", REDUCE, soft_margin, "input target"),
    (
        "MarginRankingLoss",
        "margin_ranking_loss",
        "input1 input2 target",
        "margin {}",
        "margin=0.0 " + REDUCE,
        margin_ranking,
        "",
    ),
    (
        "CosineEmbeddingLoss",
        "cosine_embedding_loss",
        "input1 input2 target",
        "margin {}",
        "margin=0.0 " + REDUCE,
        cosine_embedding,
        "input1 input2",
    ),
    (
        "TripletMarginLoss",
        "triplet_margin_loss",
        "anchor positive negative",
        "margin p eps swap {}",
        "margin=1.0 p=2.0 eps=1e-6 swap=False " + REDUCE,
        triplet,
        "",
    ),
    (
        "TripletMarginWithDistanceLoss",
        "triplet_margin_with_distance_loss",
        "anchor positive negative",
        "distance_function margin swap reduction",
        "distance_function=None margin=1.0 swap=False reduction='mean'",
        lambda given: Outcome(reduced(reduction_of(given)[0], None, None, None, None)),
        "",
    ),
    (
        "MultiLabelMarginLoss",
        "multilabel_margin_loss",
        "input target",
        "{}",
        REDUCE,
        over_last("input"),
        "input target",
    ),
    (
        "MultiLabelSoftMarginLoss",
        "multilabel_soft_margin_loss",
        "input target",
        "weight {}",
        "weight=None " + REDUCE,
        over_last("input", "target"),
        "input target",
    ),
    (
        "MultiMarginLoss",
        "multi_margin_loss",
        "input target",
        "p margin weight {}",
        "p=1 margin=1.0 weight=None " + REDUCE,
        over_last("input"),
        "input target",
    ),
    (
        "CTCLoss",
        "ctc_loss",
        "log_probs targets input_lengths target_lengths",
        "blank reduction zero_infinity",
        "blank=0 reduction='mean' zero_infinity=False",
        ctc,
        "log_probs targets",
    ),
)


def _kept(given: Given) -> dict[str, Value]:
    """What the old `reduce=` and `size_average=` make of the reduction; class weights become a buffer."""
    old = any(given.get(name, NONE) != NONE for name in ("size_average", "reduce"))
    held: dict[str, Value] = {"reduction": ANY} if old else {}
    for name in ("weight", "pos_weight"):
        tensor = given.tensor(name)
        if tensor is not None:
            held[name] = replace(tensor, kind="buffer")
    return held


def _saved(kept: str, operands: str) -> str:
    """An operand that a loss keeps, it keeps for the gradient of any of its operands."""
    wanting = ",".join(operands.split()[:2])
    return " ".join(name if "<" in name else f"{name}<{wanting}" for name in kept.split())


def _poisson(given: Given) -> Value | Made | Outcome:
    """The layer calls its input by another name."""
    return _POISSON(with_values(given, {**given.values, "input": given["log_input"]}))


_POISSON = by(STEPWISE, "reduction")
for _cls, _does, _operands, _params, _arguments, _returns, _saves in LOSSES:
    _saves = _saved(_saves, _operands)
    _path = f"torch.nn.functional.{_does}"
    op(
        _path,
        params=f"{_operands} {_params.format('size_average reduce reduction')}",
        returns=_returns,
        saves=_saves,
        tags="loss",
        source=f"generated/{_path}.html",
    )
    layer(
        f"torch.nn.{_cls}",
        _arguments,
        home="loss",
        holds=_kept,
        call=_poisson
        if "Poisson" in _cls
        else by(_returns, " ".join(a for a in ("weight", "reduction") if a in _arguments)),
        does=_does,
        params=_operands.replace("input", "log_input") if "Poisson" in _cls else _operands,
        bases="torch.nn.modules.loss._Loss",
        saves=_saves,
        tags="loss",
    )
layer(
    "torch.nn.NLLLoss2d",
    "weight=None size_average=None ignore_index=-100 reduce=None reduction='mean'",
    home="loss",
    holds=_kept,
    call=by(nll, "weight reduction"),
    does="nll_loss",
    params="input target",
    bases="torch.nn.NLLLoss torch.nn.modules.loss._Loss",
    saves="input<input target<input",
    tags="loss",
)
