"""`x[...]` and `x[...] = y` of tensors: ints, slices, None, Ellipsis, masks and index tensors, mixed.

Ints, slices and None give a view. Masks and index tensors gather a copy: their common shape stands where they
stood, or in front where something stands between them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from torchwise.domain.dim import Dim
from torchwise.domain.shape import broadcast, contiguous_strides
from torchwise.domain.strides import iterated_strides
from torchwise.domain.value import Const, Items, Num, Pointer, Shape, Slice, Some, Tensor, Value
from torchwise.ops.creation import contents
from torchwise.ops.expanding import inserted
from torchwise.ops.pieces import index_range, sliced_size, with_axis, without_axis
from torchwise.ops.spec import Broken, Given, Outcome
from torchwise.ops.views import sharing

INTEGER_INDEX = frozenset(("int64", "int32", "int16", "int8"))
MASKS = frozenset(("bool", "uint8"))


@dataclass(slots=True)
class Walk:
    """Where indexing stands: what is left of the tensor, the next axis, and the gathers met so far."""

    x: Tensor
    axis: int = 0
    gathers: list[tuple[int, Tensor]] = field(default_factory=list)  # axis of x, index tensor
    broken: tuple[Broken, ...] = ()
    unclear: bool = False


def parts_of(given: Given, index: Value) -> tuple[Value, ...]:
    return index.items if isinstance(index, Items) else (index,)


def consumed(given: Given, part: Value) -> int | None:
    """How many axes one part of an index takes up; None where that is not known."""
    match part:
        case Num() | Slice() | Some("int"):
            return 1
        case Const(builtin) if builtin is None or builtin is ...:
            return 0
        case Tensor(shape, _, dtype):
            if dtype is None:
                return None
            return 1 if dtype not in MASKS else None if shape is None else len(shape)
        case Items() | Pointer():
            shape, kinds = contents(given, part)
            if shape is None or "?" in kinds or len(kinds) > 1:
                return None
            return len(shape) if kinds == {"bool"} else 1
    return None


def indexed(given: Given, x: Tensor, index: Value) -> Outcome:
    parts = parts_of(given, index)
    if x.shape is None:
        return Outcome(Tensor(None, None, x.dtype, x.device))
    takes = [consumed(given, part) for part in parts]
    if None in takes:
        return Outcome(Tensor(None, None, x.dtype, x.device))
    total = sum(count for count in takes if count is not None)
    if total > len(x.shape):
        wanted, got = f"at most {len(x.shape)} indices", f"{total}"
        return Outcome(Tensor(), (Broken("rank", "index", wanted=wanted, got=got, because=x),))
    walk = Walk(Tensor(x.shape, x.strides, x.dtype, x.device))
    for part in parts:
        if part == Const(...):
            walk.axis += len(x.shape) - total
        else:
            _step(given, walk, part)
        if walk.unclear:
            return Outcome(Tensor(None, None, x.dtype, x.device), walk.broken)
    if not walk.gathers:
        return Outcome(sharing(walk.x, x), walk.broken)
    return _gathered(given, walk, x)


def _step(given: Given, walk: Walk, part: Value) -> None:
    x = walk.x
    assert x.shape is not None, "only tensors of known rank are indexed"
    match part:
        case Num(at):
            walk.broken += index_range("index", at, x.shape[walk.axis], x, walk.axis)
            walk.x = without_axis(x, walk.axis)
        case Some("int"):
            walk.x = without_axis(x, walk.axis)
        case Const(None):
            walk.x = inserted(x, walk.axis)
            walk.axis += 1
        case Slice():
            _slice(given, walk, part)
        case Tensor():
            _gather(given, walk, part)
        case Items() | Pointer():
            shape, kinds = contents(given, part)
            dtype = "bool" if kinds == {"bool"} else "int64"
            strides = None if shape is None else contiguous_strides(shape)
            _gather(given, walk, Tensor(shape, strides, dtype, "cpu"))
        case _:
            walk.unclear = True


def _slice(given: Given, walk: Walk, part: Slice) -> None:
    x, axis = walk.x, walk.axis
    assert x.shape is not None, "only tensors of known rank are indexed"
    step = part.step.dim if isinstance(part.step, Num) else None
    if step is not None and step.less_than(1).holds:
        walk.broken += (Broken("slice-step", "index", str(axis), "greater than 0", step, x),)
        walk.unclear = True
        return
    found = sliced_size(given, part, x.shape[axis])
    if found is None:
        walk.x = with_axis(x, axis, given.fresh(f"slice{axis}"), None)
    else:
        size, by = found
        walk.x = with_axis(
            x, axis, given.fresh(f"slice{axis}") if size.hidden and "slice" in repr(size) else size, by
        )
    walk.axis += 1


def _gather(given: Given, walk: Walk, index: Tensor) -> None:
    """Notes an index tensor; a mask becomes one index tensor for each of its axes."""
    x, dtype = walk.x, index.dtype
    assert x.shape is not None and dtype is not None, "consumed() has seen to that"
    if dtype in MASKS:
        if not index.shape:
            walk.unclear = True
            return
        _check_mask(walk, index, x.shape)
        chosen = Tensor((given.fresh(f"chosen{walk.axis}"),), (Dim.of(1),), "int64", index.device)
        for _ in index.shape:
            walk.gathers.append((walk.axis, chosen))
            walk.axis += 1
        return
    if dtype not in INTEGER_INDEX:
        walk.broken += (Broken("dtype", "index", wanted="an integer or bool", got=dtype, because=index),)
        walk.unclear = True
        return
    if index.shape == ():
        walk.x = without_axis(x, walk.axis)
        return
    walk.gathers.append((walk.axis, index))
    walk.axis += 1


def _check_mask(walk: Walk, mask: Tensor, shape: Shape) -> None:
    for i, size in enumerate(mask.shape or ()):
        if shape[walk.axis + i].same_as(size).fails:
            wanted = shape[walk.axis + i]
            walk.broken += (Broken("axis", "index", str(walk.axis + i), wanted, size, mask),)


def _gathered(given: Given, walk: Walk, x: Tensor) -> Outcome:
    """The common shape of the index tensors, among the axes that are left."""
    left = walk.x
    assert left.shape is not None, "only tensors of known rank are indexed"
    axes = [axis for axis, _ in walk.gathers]
    shapes = [index.shape for _, index in walk.gathers]
    if None in shapes:
        return Outcome(Tensor(None, None, x.dtype, x.device), walk.broken)
    common, clash = broadcast(shapes)  # type: ignore[arg-type]
    if clash is not None:
        at, wanted, got = clash
        broken = Broken("broadcast", "index", str(at), wanted, got, walk.gathers[-1][1])
        return Outcome(Tensor(), (*walk.broken, broken))
    adjacent = axes == list(range(axes[0], axes[0] + len(axes)))
    at = axes[0] if adjacent else 0
    rest = [axis for axis in range(len(left.shape)) if axis not in axes]
    before = [axis for axis in rest if axis < at] if adjacent else []
    behind = [axis for axis in rest if axis not in before]
    shape = (*[left.shape[a] for a in before], *common, *[left.shape[a] for a in behind])
    strides = _gathered_strides(left, walk, shape, common, before, behind)
    return Outcome(Tensor(shape, strides, x.dtype, x.device), walk.broken)


def _gathered_strides(
    left: Tensor, walk: Walk, shape: Shape, common: Shape, before: list[int], behind: list[int]
) -> Shape | None:
    if left.strides is None or any(index.strides is None for _, index in walk.gathers):
        return None
    zero = Dim.of(0)
    source = (*[left.strides[a] for a in before], *[zero] * len(common), *[left.strides[a] for a in behind])
    operands = [source]
    for _, index in walk.gathers:
        assert index.shape is not None and index.strides is not None, "checked above"
        lead = len(common) - len(index.shape)
        steps = [zero if s.number == 1 else t for s, t in zip(index.shape, index.strides)]
        operands.append((*[zero] * (len(before) + lead), *steps, *[zero] * len(behind)))
    return iterated_strides(shape, operands)


def stored(given: Given, x: Tensor, index: Value, value: Value) -> Outcome:
    """The value must be of the shape of what it is stored in, or stretch to it."""
    region = indexed(given, x, index)
    target = region.result
    if (
        not isinstance(target, Tensor)
        or target.shape is None
        or not isinstance(value, Tensor)
        or not value.shape
    ):
        return Outcome(x, region.broken)
    shape = value.shape
    while len(shape) > len(target.shape) and shape[0].number == 1:
        shape = shape[1:]
    if len(shape) > len(target.shape):
        if all(size.number is not None for size in shape[: len(shape) - len(target.shape)]):
            broken = Broken("broadcast", "value", wanted=target.shape, got=value.shape, because=x)
            return Outcome(x, (*region.broken, broken))
        return Outcome(x, region.broken)
    for axis in range(-len(shape), 0):
        if shape[axis].same_as(1).fails and shape[axis].same_as(target.shape[axis]).fails:
            broken = Broken("broadcast", "value", str(axis), target.shape[axis], shape[axis], x)
            return Outcome(x, (*region.broken, broken))
    return Outcome(x, region.broken)
