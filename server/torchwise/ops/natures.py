"""What operators make of the nature of numbers (see `domain.nature`): which masks keep and which drop,
which indices repeat.
"""

from __future__ import annotations

from collections.abc import Callable

from torchwise.domain.nature import (
    BATCHED,
    COMPUTED,
    DISTINCT,
    DROP,
    FLAGS,
    GRADIENT,
    HEADS,
    IN_TIME,
    INVERTED,
    JAGGED,
    KEEP,
    LEAF_GRADIENT,
    LOG_PROBABILITIES,
    LOG_SIGMOID,
    MASKS,
    MEAN,
    ONES,
    PENALTY,
    PER_CLASS,
    PER_EXAMPLE,
    POSITIONS,
    PROBABILITIES,
    REPEATING,
    REPLAYED,
    REWRAPPED,
    ROUNDED,
    SCORES,
    SIGMOID,
    TIME_FIRST,
    UNBATCHED,
    UNBORN,
    UNWRITTEN,
    WEIGHTED,
    made_at,
    word_of,
)
from torchwise.domain.value import ANY, Any, Const, Num, Pointer, Some, Tensor, Value
from torchwise.ops.iterables import covering, elements
from torchwise.ops.moved_axes import UNMOVED, moves_first, normalised, rounded, splits_heads
from torchwise.ops.natures_spread import decided, per_class
from torchwise.ops.spec import Given, Op

CUT = (GRADIENT, PENALTY, REWRAPPED, ROUNDED)
MEASURES = frozenset(("norm", "vector_norm", "pow", "square", "mean", "sum", "abs", "sqrt", "var"))
Nature = Callable[[Given], "str | None"]


def nature_of(op: Op, given: Given) -> str | None:
    """Of the result of a call."""
    if given.regions and _has(given, BATCHED):
        return BATCHED
    if op.name in LINEAR and _has(given, LEAF_GRADIENT):
        return LEAF_GRADIENT
    hard = decided(op, given)
    if hard is not None:
        return hard
    source = _first(given)
    if source is not None and word_of(source.nature) == JAGGED:
        return source.nature if op.name in RAGGED else None
    if source is not None and splits_heads(op.name, given, source):
        return HEADS
    if source is not None and source.nature == HEADS:
        return HEADS if op.name in UNMOVED else None
    if source is not None and word_of(source.nature) in OUTPUTS and (op.view is not None or op.name in KEPT):
        return word_of(source.nature) if moves_first(op.name, given) else source.nature
    if any(isinstance(v, Tensor) and word_of(v.nature) == PER_CLASS for v in given.values.values()):
        return per_class(op, given)
    rule = _RULES.get(op.name)
    if rule is not None:
        return rule(given)
    return _carried(given) if op.view is not None else _cut_off(op, given)


# What leaves the lengths of a nested tensor as they are.
RAGGED = frozenset((
    "linear", "add", "sub", "mul", "div", "relu", "gelu", "silu", "tanh", "sigmoid", "dropout", "layer_norm",
    "embedding", "float", "half", "to", "clone", "detach", "neg", "exp", "softmax",
))  # fmt: skip
# of a model, or a loss
OUTPUTS = frozenset((SCORES, PROBABILITIES, SIGMOID, LOG_PROBABILITIES, LOG_SIGMOID, PER_EXAMPLE))
KEPT = frozenset((  # what moves numbers, or changes them a little, leaves them what they are
    "reshape", "flatten", "unflatten", "clip", "clamp", "clamp_min", "clamp_max", "index_select",
    "masked_select", "identity",
    "contiguous", "clone", "detach", "float", "double", "half", "bfloat16", "to", "type", "cuda", "cpu",
    "getitem", "squeeze",
    "requires_grad_",
))  # fmt: skip
LINEAR = frozenset(("mul", "div", "neg", "add", "sub", "lerp", "addcdiv", "sign", "clamp"))


# In place, and yet the same numbers.
REARRANGED = frozenset(
    ("detach_", "requires_grad_", "squeeze_", "unsqueeze_", "transpose_", "swapaxes_", "t_")
)


def overwrites(op: Op, result: Tensor) -> bool:
    """Whether an op in place makes other numbers of a mask or of positions."""
    nature = result.nature
    masking = nature in MASKS or nature in (ONES, POSITIONS)
    return op.inplace is not None and masking and op.name not in REARRANGED


def _has(given: Given, nature: str) -> bool:
    return any(isinstance(v, Tensor) and v.nature == nature for v in given.values.values())


def _log(given: Given) -> str | None:
    source = _first(given)
    logs = {PROBABILITIES: LOG_PROBABILITIES, SIGMOID: LOG_SIGMOID}
    return None if source is None else logs.get(word_of(source.nature))


def _first(given: Given) -> Tensor | None:
    found = given.tensor("input")
    return found if found is not None else given.tensor("self")


def _carried(given: Given) -> str | None:
    source = _first(given)
    return None if source is None or word_of(source.nature) in IN_TIME else source.nature


def _cut_off(op: Op, given: Given) -> str | None:
    """What is computed of gradients (or of tensors cut off from their graph) and numbers alone is of their
    kind.
    """
    if op.grad != "record":
        return None
    return _measured(op.name, given)


def _measured(name: str, given: Given) -> str | None:
    nature = _alone(list(given.values.values()))
    return PENALTY + nature[len(GRADIENT) :] if name in MEASURES and word_of(nature) == GRADIENT else nature  # type: ignore[index]


def _alone(values: list[Value]) -> str | None:
    natures = [v.nature if isinstance(v, Tensor) else None for v in values if not _is_number(v)]
    return natures[0] if natures and all(word_of(n) in CUT for n in natures) else None


def _is_number(value: Value) -> bool:
    return isinstance(value, Num | Const) or (
        isinstance(value, Some) and value.kind in ("int", "float", "bool")
    )


def _always(nature: str) -> Nature:
    return lambda given: nature


def _drawn(given: Given) -> str | None:
    """Draws from one row are distinct, unless they are put back."""
    weights, put_back = given["input"], given.const("replacement", False)
    if put_back is False and isinstance(weights, Tensor) and weights.shape is not None:
        return DISTINCT if len(weights.shape) == 1 else REPEATING
    return REPEATING if put_back is True else None


# Masks


def _compared(
    of_number: str, left_positions: str | None = None, right_positions: str | None = None
) -> Nature:
    """Of a comparison: with a number, or with positions on the left or on the right side."""

    def compared(given: Given) -> str:
        left, right = given.get("input"), given.get("other")
        at = [isinstance(v, Tensor) and v.nature == POSITIONS for v in (left, right)]
        if at == [True, False] and isinstance(right, Tensor) and left_positions:
            return left_positions
        if at == [False, True] and isinstance(left, Tensor) and right_positions:
            return right_positions
        return of_number if _is_number(right) and not any(at) else FLAGS

    return compared


def _inverted(given: Given) -> str | None:
    source = _first(given)
    return None if source is None else INVERTED.get(source.nature or "")


def _part_of_ones(nature: str, diagonal: int) -> Nature:
    """A triangle of ones: below the diagonal lies the past."""

    def triangle(given: Given) -> str | None:
        source = _first(given)
        if source is None or source.nature != ONES:
            return None
        return nature if given.int("diagonal", 0) == diagonal else FLAGS

    return triangle


def _counted(given: Given) -> str | None:
    """How many of each row count: lengths, which come in any order."""
    source = _first(given)
    if source is not None and source.nature in MASKS and "dim" in given:
        return REPEATING
    return _measured("sum", given)


def _cast(given: Given) -> str | None:
    source = _first(given)
    return source.nature if source is not None and word_of(source.nature) not in IN_TIME else None


def _copied(given: Given) -> str | None:
    """A copy is no longer where the original is."""
    nature = _cast(given)
    return None if nature in (REPLAYED, COMPUTED, UNBORN) else nature


def _subtracted(given: Given) -> str | None:
    """`1 - mask` is the other mask, where it works at all."""
    left, right = given.get("input"), given.get("other")
    if (
        _is_number(left)
        and isinstance(right, Tensor)
        and right.nature in MASKS
        and given.const("input") in (1, 1.0)
    ):
        return INVERTED[right.nature]
    return _alone([left, right])


def _multiplied(given: Given) -> str | None:
    """By a number; what nothing is known of is taken for one."""
    if any(isinstance(v, Tensor) and v.nature in (MEAN, WEIGHTED) for v in given.values.values()):
        return WEIGHTED if any(isinstance(v, Const | Num) for v in given.values.values()) else None
    return _alone([v for v in (given.get("input"), given.get("other")) if not isinstance(v, Any)])


# Losses


def _averaged(given: Given) -> str | None:
    return _measured("mean", given) or (MEAN if "dim" not in given else None)


def _added(given: Given) -> str | None:
    """The sum of means is one that counts each example once, as they do."""
    both = [v.nature for v in (given.get("input"), given.get("other")) if isinstance(v, Tensor)]
    if len(both) == 2 and (timed := [n for n in both if word_of(n) == TIME_FIRST]):  # round a layer
        return timed[0]
    if MEAN in both and all(nature in (MEAN, WEIGHTED) for nature in both):
        return MEAN
    return _measured("add", given)


# Which axis is time


def _sequences(given: Given) -> str | None:
    """Of the output of a recurrent or attention layer: how it took its input."""
    x = next((t for n in ("input", "query", "src", "tgt") if (t := given.tensor(n)) is not None), None)
    rank = len(x.shape) if x is not None and x.shape is not None else None
    first = _batch_first(given, given["self"])
    if first is False and rank in (3, None):
        return made_at(TIME_FIRST, given.site) if given.site is not None else None
    return (
        UNBATCHED if first is True and rank == 2 and not isinstance(given.get("input", ANY), Tensor) else None
    )


def _batch_first(given: Given, layer: Value) -> bool | None:
    """Of a layer; of the layers in a stack."""
    obj = given.heap.get(layer.to) if isinstance(layer, Pointer) else None
    if obj is None:
        return None
    own = obj.attrs.get("batch_first")
    if isinstance(own, Const) and isinstance(own.value, bool):
        return own.value
    inner = [*obj.attrs.values(), *(obj.items or ())]
    found = {_batch_first(given, v) for v in inner if isinstance(v, Pointer) and v != layer}
    return next(iter(found)) if len(found) == 1 else None


def _kept_in_time(given: Given) -> str | None:
    source = _first(given)
    if source is not None and word_of(source.nature) == TIME_FIRST:
        return source.nature
    return _alone(list(given.values.values()))


# Gradients, and what lost its graph


def _rewrapped(given: Given) -> str | None:
    """`torch.tensor` of a tensor, or a list of tensors, that requires grad."""
    data = given.get("data")
    numbers = [v.dim.number if isinstance(v, Num) else None for v in given.list("data") or ()]
    if len(numbers) > 1 and None not in numbers:
        if len(set(numbers)) == len(numbers) or given.site is None:
            return DISTINCT if len(set(numbers)) == len(numbers) else REPEATING
        return made_at(REPEATING, given.site)
    one = data if isinstance(data, Tensor) else covering(elements(given, given["data"]))
    inside = given.list("data") or (one,)
    cut = any(isinstance(t, Tensor) and t.requires_grad.holds for t in inside)
    return made_at(REWRAPPED, given.site) if cut and given.site is not None else None


def reads_first(op: Op) -> bool:
    """Whether an op in place makes the new numbers of the old ones."""
    return op.name in ACCUMULATES


ACCUMULATES = frozenset((
    "add_", "sub_", "mul_", "div_", "pow_", "index_add_", "scatter_add_", "addmm_", "addcmul_", "addcdiv_",
    "addmv_", "baddbmm_", "lerp_",
))  # fmt: skip

_RULES: dict[str, Nature] = {
    **dict.fromkeys(("empty", "empty_like", "new_empty"), _always(UNWRITTEN)),
    "ne": _compared(KEEP),
    "eq": _compared(DROP),
    "lt": _compared(FLAGS, KEEP, DROP),
    "le": _compared(FLAGS, None, None),
    "gt": _compared(FLAGS, None, KEEP),
    "ge": _compared(FLAGS, DROP, None),
    "logical_not": _inverted,
    "bitwise_not": _inverted,
    "tril": _part_of_ones(KEEP, 0),
    "triu": _part_of_ones(DROP, 1),
    "ones": _always(ONES),
    "arange": _always(POSITIONS),
    "randperm": _always(DISTINCT),
    "argsort": _always(DISTINCT),
    "bincount": lambda given: None if given.site is None else made_at(PER_CLASS, given.site),
    "argmax": _always(REPEATING),
    "argmin": _always(REPEATING),
    "randint": _always(REPEATING),
    "multinomial": _drawn,
    "tensor": _rewrapped,
    **dict.fromkeys(("round", "floor", "ceil", "trunc", "sign", "heaviside"), rounded),
    "bilinear": _always(SCORES),
    "softmax": normalised,
    "softmax2d": _always(PROBABILITIES),
    "sigmoid": _always(SIGMOID),
    "log_softmax": _always(LOG_PROBABILITIES),
    "logsigmoid": _always(LOG_SIGMOID),
    "log": _log,
    "sub": _subtracted,
    "mul": _multiplied,
    "sum": _counted,
    "mean": _averaged,
    "add": _added,
    **dict.fromkeys(("lstm", "gru", "rnn", "multi_head_attention", "transformer"), _sequences),
    "linear": lambda given: _kept_in_time(given) or SCORES,
    **dict.fromkeys(("dropout", "layer_norm", "relu", "tanh", "gelu"), _kept_in_time),
    **dict.fromkeys(
        ("float", "long", "int", "bool", "byte", "half", "double", "bfloat16",
         "to", "type", "type_as", "clone", "contiguous", "cuda", "cpu"),
        _copied,
    ),
    **dict.fromkeys(("detach", "unsqueeze", "getitem"), _cast),
}  # fmt: skip
