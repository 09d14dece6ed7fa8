"""Losses that compare an input with a target, as functions.

`reduction` "mean" and "sum" give a tensor without axes; "none" one loss for each element or example.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from torchwise.domain.dim import Dim
from torchwise.domain.dtype import FLOATS, is_floating
from torchwise.domain.nature import MEAN, PER_EXAMPLE
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import NONE, Shape, Tensor
from torchwise.ops.agreement import autocast, axis, elsewhere
from torchwise.ops.operands import Together, together
from torchwise.ops.spec import Broken, Given, Outcome, Returns

REDUCTIONS = ("none", "mean", "sum")


def reduction_of(given: Given, *more: str) -> tuple[str | None, tuple[Broken, ...]]:
    """ "none", "mean", "sum"; None where it is not known, as with the old `reduce=` and `size_average=`."""
    if given.get("size_average", NONE) != NONE or given.get("reduce", NONE) != NONE:
        return None, ()
    asked = given.const("reduction", "mean")
    if isinstance(asked, str) and asked not in (*REDUCTIONS, *more):
        return None, (Broken("argument", "reduction", wanted="none, mean or sum", got=asked),)
    return asked if isinstance(asked, str) else None, ()


def reduced(
    how: str | None, each: Shape | None, dtype: str | None, device: str | None, strides: Shape | None
) -> Tensor:
    """The loss: without axes, or `each`."""
    if how is None:
        return Tensor(None, None, dtype, device)
    if how == "none":
        return Tensor(each, strides, dtype, device, nature=PER_EXAMPLE)
    return Tensor((), (), dtype, device, nature=MEAN if how == "mean" else None)


def elementwise(*names: str, floating: bool = True, one_step: bool = True) -> Returns:
    """A loss that is computed element by element, broadcasting its operands.

    `one_step`: by one operator, which promotes dtypes and lays out its result as operators do. What is
    computed in several steps is told for operands that are alike.
    """

    def loss(given: Given) -> Outcome:
        how, broken = reduction_of(given, "batchmean")
        both = together(given, names)
        dtype = both.dtype if autocast(given) is None else None
        if not one_step:
            both, dtype = alike(given, names, both, dtype)
        if (
            floating
            and how == "mean"
            and dtype is not None
            and not is_floating(dtype)
            and not dtype.startswith("complex")
        ):
            broken += (
                Broken("dtype", names[0], wanted="a floating dtype", got=dtype, because=given[names[0]]),
            )
            dtype = None
        return Outcome(reduced(how, both.shape, dtype, both.device, both.strides), both.broken + broken)

    return loss


def alike(
    given: Given, names: tuple[str, ...], both: Together, dtype: str | None
) -> tuple[Together, str | None]:
    """Without strides and dtype where the operands differ in them."""
    tensors = [t for name in names if (t := given.tensor(name)) is not None]
    if len({(t.shape, t.strides) for t in tensors}) > 1:
        both = replace(both, strides=None)
    return both, dtype if len({t.dtype for t in tensors}) == 1 else None


def binary(given: Given, *, strict: bool = True) -> Outcome:
    """Input and target of one shape and a floating dtype, both of them; `strict`: of the same one."""
    how, broken = reduction_of(given)
    x, target = given.tensor("input"), given.tensor("target")
    both = together(given, ("input", "target"))
    broken += tuple(b for b in both.broken if b.kind == "device")
    if x is not None and target is not None:
        broken += _same_shape(x, target)
        apart = strict and x.dtype is not None and target.dtype != x.dtype and autocast(given) is None
        if target.dtype is not None and (target.dtype not in FLOATS or apart) and not broken:
            broken += (
                Broken("dtype", "target", wanted=x.dtype or "float32", got=target.dtype, because=target),
            )
        both, _ = alike(given, ("input", "target"), both, None)
    shape = x.shape if x is not None else None
    dtype = both.dtype if autocast(given) is None and not broken else None
    return Outcome(reduced(how, shape, dtype, both.device, both.strides if not broken else None), broken)


def _same_shape(x: Tensor, target: Tensor) -> tuple[Broken, ...]:
    if x.shape is None or target.shape is None:
        return ()
    if len(x.shape) != len(target.shape):
        return (
            Broken("rank", "target", wanted=f"{len(x.shape)}-d", got=f"{len(target.shape)}-d", because=x),
        )
    clashes = (axis("target", str(i), a, b, x) for i, (a, b) in enumerate(zip(x.shape, target.shape)))
    return next((c for c in clashes if c), ())


def cross_entropy(given: Given) -> Outcome:
    """Scores (N, C, *sizes) or (C), with class indices (N, *sizes) or probabilities shaped like scores."""
    x, target = given.tensor("input"), given.tensor("target")
    how, broken = reduction_of(given)
    broken += elsewhere(given, x, "target", "weight") if x is not None else ()
    if x is None or target is None or x.shape is None or target.shape is None:
        broken += _scores(x)
        return Outcome(reduced(how, None, _loss_dtype(given, x), x.device if x else None, None), broken)
    if not x.shape:
        return Outcome(reduced(how, None, None, x.device, None), (*broken, _rank("input", "at least 1-d", x)))
    broken += _scores(x)
    if len(target.shape) == len(x.shape):
        fault, each = _probabilities(x, target)
    else:
        fault, each = _indices(x, target)
    broken += fault
    strides = None if each is None or len(each) > 1 else contiguous_strides(each)
    return Outcome(reduced(how, each, _loss_dtype(given, x), x.device, strides), broken + _weights(given, x))


def _loss_dtype(given: Given, x: Tensor | None) -> str | None:
    return x.dtype if x is not None and x.dtype in FLOATS and autocast(given) is None else None


def _scores(x: Tensor | None) -> tuple[Broken, ...]:
    if x is None or x.dtype is None or x.dtype in FLOATS:
        return ()
    return (Broken("dtype", "input", wanted="a floating dtype", got=x.dtype, because=x),)


def _rank(param: str, wanted: str, tensor: Tensor) -> Broken:
    return Broken("rank", param, wanted=wanted, got=f"{len(tensor.shape or ())}-d", because=tensor)


def _probabilities(x: Tensor, target: Tensor) -> tuple[tuple[Broken, ...], Shape | None]:
    """Equal ranks: the shapes must be the same, and the target a distribution over classes."""
    assert x.shape is not None and target.shape is not None
    each = x.shape[1:] if len(x.shape) == 1 else (x.shape[0], *x.shape[2:])
    for i, (a, b) in enumerate(zip(x.shape, target.shape)):
        if len(x.shape) > 1 and axis("target", str(i), a, b):
            if i == min(1, len(x.shape) - 1):
                return (_rank("target", f"{len(x.shape) - 1}-d", target),), None
            return axis("target", str(i), a, b, x), None
    if x.shape == target.shape and target.dtype is not None and target.dtype not in FLOATS:
        return (Broken("dtype", "target", wanted="a floating dtype", got=target.dtype, because=target),), each
    return (), each


def _indices(x: Tensor, target: Tensor) -> tuple[tuple[Broken, ...], Shape | None]:
    assert x.shape is not None and target.shape is not None
    if len(target.shape) != len(x.shape) - 1:
        return (_rank("target", f"{len(x.shape) - 1}-d", target),), None
    fault = _whole_numbers(target)
    if fault:
        return fault, None
    each = x.shape[1:] if len(x.shape) == 1 else (x.shape[0], *x.shape[2:])
    for i, (a, b) in enumerate(zip(each, target.shape)):
        clash = axis("target", str(i), a, b, x)
        if clash:
            return clash, None
    return (), target.shape


def _whole_numbers(target: Tensor) -> tuple[Broken, ...]:
    """Class indices; bytes will do where they have one axis or none."""
    allowed = ("int64", "uint8") if len(target.shape or ()) < 2 else ("int64",)
    if target.dtype is None or target.dtype in allowed:
        return ()
    return (Broken("dtype", "target", wanted="int64", got=target.dtype, because=target),)


def _weights(given: Given, x: Tensor) -> tuple[Broken, ...]:
    """One weight for each class."""
    weight = given.tensor("weight")
    if weight is None or weight.shape is None or not x.shape or len(weight.shape) != 1:
        return ()
    target = given.tensor("target")
    indexed = target is not None and target.shape is not None and len(target.shape) < len(x.shape)
    if (
        indexed
        and weight.dtype is not None
        and x.dtype in FLOATS
        and weight.dtype != x.dtype
        and autocast(given) is None
    ):
        return (Broken("dtype", "weight", wanted=x.dtype, got=weight.dtype, because=weight),)
    return axis("weight", "0", x.shape[min(1, len(x.shape) - 1)], weight.shape[0], x)


def nll(given: Given) -> Outcome:
    """Log-probabilities (N, C, *sizes) or (C), with class indices (N, *sizes)."""
    x, target = given.tensor("input"), given.tensor("target")
    how, broken = reduction_of(given)
    if x is None or target is None or not x.shape or target.shape is None:
        return Outcome(reduced(how, None, _loss_dtype(given, x), x.device if x else None, None), broken)
    if len(x.shape) == 1 and len(target.shape) == 1:  # one example, and a batch of one target
        broken += axis("target", "0", Dim.of(1), target.shape[0], x) or _weights(given, x)
        broken += _whole_numbers(target)
        return Outcome(reduced(how, (), _loss_dtype(given, x), x.device, None), broken)
    fault, each = _indices(x, target)
    strides = None if each is None or len(each) > 1 else contiguous_strides(each)
    out = reduced(how, each, _loss_dtype(given, x), x.device, strides)
    return Outcome(out, broken + fault + _weights(given, x))


def over_last(*names: str, keep: Callable[[Shape], Shape] = lambda shape: shape[:-1]) -> Returns:
    """A loss with one value for each row of its first operand."""

    def loss(given: Given) -> Outcome:
        how, broken = reduction_of(given)
        x = given.tensor(names[0])
        both = together(given, names)
        dtype = both.dtype if autocast(given) is None else None
        each = None if x is None or not x.shape else keep(x.shape)
        device = None if x is None else x.device
        strides = None if each is None or len(each) > 1 else contiguous_strides(each)
        return Outcome(reduced(how, each, dtype, device, strides), broken)

    return loss


def triplet(given: Given) -> Outcome:
    """Distances along the last axis; the three operands are broadcast."""
    names = ("anchor", "positive", "negative")
    tensors = [given.tensor(n) for n in names]
    how, broken = reduction_of(given)
    ranks = {len(t.shape) for t in tensors if t is not None and t.shape is not None}
    if len(ranks) > 1:
        first = tensors[0]
        broken += (
            Broken("rank", "positive", wanted=f"{max(ranks)}-d", got=f"{min(ranks)}-d", because=first),
        )
        return Outcome(Tensor(), broken)
    both = together(given, names)
    each = both.shape[:-1] if both.shape else None
    strides = None if each is None or len(each) > 1 else contiguous_strides(each)
    plain = autocast(given) is None and both.dtype in FLOATS
    out = reduced(how, each, both.dtype if plain else None, both.device, strides)
    return Outcome(out, broken + both.broken)


def margin_ranking(given: Given) -> Outcome:
    """Three operands of one rank, broadcast."""
    names = ("input1", "input2", "target")
    tensors = [given.tensor(n) for n in names]
    for name, tensor in zip(names[1:], tensors[1:]):
        first = tensors[0]
        if first and tensor and first.shape is not None and tensor.shape is not None:
            if len(first.shape) != len(tensor.shape):
                return Outcome(Tensor(), (_rank(name, f"{len(first.shape)}-d", tensor),))
    return elementwise(*names, one_step=False)(given)  # type: ignore[return-value]


def soft_margin(given: Given) -> Outcome:
    """The target may be stretched, the input not."""
    done = elementwise("input", "target", one_step=False)(given)
    x, both = given.tensor("input"), together(given, ("input", "target"))
    assert isinstance(done, Outcome)
    if x is None or x.shape is None or both.shape is None or done.broken:
        return done
    if len(x.shape) != len(both.shape):
        return Outcome(done.result, (_rank("target", f"{len(x.shape)}-d", given["target"]),))  # type: ignore[arg-type]
    clashes = (axis("target", str(i), a, b, x) for i, (a, b) in enumerate(zip(x.shape, both.shape)))
    return Outcome(done.result, next((c for c in clashes if c), ()))


def ctc(given: Given) -> Outcome:
    """Log-probabilities (time, batch, classes) or (time, classes)."""
    how, broken = reduction_of(given)
    x = given.tensor("log_probs")
    if x is None or x.shape is None:
        return Outcome(reduced(how, None, None, None, None), broken)
    if len(x.shape) not in (2, 3):
        return Outcome(Tensor(), (*broken, _rank("log_probs", "2-d or 3-d", x)))
    each = x.shape[1:2] if len(x.shape) == 3 else ()
    return Outcome(reduced(how, each, _loss_dtype(given, x), x.device, contiguous_strides(each)), broken)


def cosine_embedding(given: Given) -> Outcome:
    """(N, D), (N, D), (N), or without N."""
    how, broken = reduction_of(given)
    target, x = given.tensor("target"), given.tensor("input1")
    both = together(given, ("input1", "input2"))
    if target is not None and target.shape is not None and x is not None and x.shape is not None:
        if len(target.shape) > 1:
            broken += (_rank("target", "0-d or 1-d", target),)
        elif len(x.shape) != len(target.shape) + 1:
            broken += (_rank("input1", f"{len(target.shape) + 1}-d", x),)
    each = None if both.shape is None or not both.shape else both.shape[:-1]
    dtype = both.dtype if both.dtype in FLOATS and autocast(given) is None else None
    strides = None if each is None else contiguous_strides(each)
    return Outcome(
        reduced(how, each if not broken else None, dtype, both.device, strides), broken + both.broken
    )
