"""Several tensors into one, and one repeated: `cat`, `stack`, `repeat`, `tile`, `flip`, `roll`, `tril` ..."""

from __future__ import annotations

from collections.abc import Sequence

from torchwise.domain.device import same_device
from torchwise.domain.dim import Dim
from torchwise.domain.shape import broadcast, contiguous_strides, differ, numel
from torchwise.domain.strides import elementwise_strides
from torchwise.domain.value import Items, Many, Num, Pointer, Shape, Tensor, Value
from torchwise.ops.axis_arguments import axes_of, axis_of, is_none, wrapped
from torchwise.ops.expanding import inserted
from torchwise.ops.iterables import count_of
from torchwise.ops.operands import default_dtype, promoted
from torchwise.ops.pieces import _diagonal_length, without_axis
from torchwise.ops.rows import Answer, both, function, method
from torchwise.ops.spec import Broken, Given, Outcome, Returns
from torchwise.ops.views import asked_shape, fresh, laid_out, of_tensor, refused

ONE, ZERO = Dim.of(1), Dim.of(0)


def tensors_of(given: Given, name: str) -> tuple[list[Tensor] | None, Tensor | None]:
    """The tensors of a list argument; or, where their number is not known, what covers each of them."""
    value = given.values.get(name)
    items = given.list(name)
    if items is not None:
        found = [item for item in items if isinstance(item, Tensor)]
        return (found, None) if len(found) == len(items) else (None, None)
    each: Value | None = value.each if isinstance(value, Many) else None
    if isinstance(value, Pointer) and value.to in given.heap:
        each = given.heap[value.to].each
    if isinstance(value, Tensor) and value.shape:
        each = without_axis(value, 0)
    return None, each if isinstance(each, Tensor) else None


def merged(
    given: Given, param: str, tensors: Sequence[Tensor]
) -> tuple[str | None, str | None, tuple[Broken, ...]]:
    """The dtype that they are promoted to, their one device, and the clash where there is none."""
    device = tensors[0].device
    broken: tuple[Broken, ...] = ()
    for tensor in tensors[1:]:
        if same_device(device, tensor.device) is False and tensor.shape:
            broken = (Broken("device", param, wanted=device, got=tensor.device, because=tensor),)
        if tensor.device != device:
            device = None
    return promoted(tensors, (), default_dtype(given)), device, broken


ALONE = Broken("argument", "tensors", wanted="a list or a tuple of tensors", got="a tensor")


def _cat(given: Given) -> Answer:
    """All axes but one are of the same length; that one adds up. Empty 1-d tensors are passed over."""
    tensors, each = tensors_of(given, "tensors")
    if isinstance(given.get("tensors"), Tensor):
        return refused(ALONE)
    if tensors is None:
        return _cat_unknown(given, each)
    if not tensors:
        return refused(Broken("argument", "tensors", wanted="at least one tensor", got="none"))
    dtype, device, broken = merged(given, "tensors", tensors)
    if any(t.shape is None for t in tensors):
        return Outcome(Tensor(None, None, dtype, device), broken)
    if any(t.shape == () for t in tensors):
        return refused(*broken, Broken("rank", "tensors", wanted="1-d or more", got="0-d"))
    counted = [t for t in tensors if not _is_nothing(t)] or tensors[:1]
    first = counted[0].shape or ()
    axis = axis_of(given, "dim", len(first), 0)
    if isinstance(axis, Broken):
        return refused(*broken, axis)
    if axis is None:
        return Outcome(Tensor(None, None, dtype, device), broken)
    shape, clash = _along(counted, axis)
    if clash is not None:
        return refused(*broken, clash)
    strides = _cat_strides(tensors, shape, len(counted) == len(tensors))
    return Outcome(Tensor(shape, strides, dtype, device), broken)


def _is_nothing(x: Tensor) -> bool:
    return x.shape is not None and len(x.shape) == 1 and x.shape[0].number == 0


def _along(tensors: Sequence[Tensor], axis: int) -> tuple[Shape | None, Broken | None]:
    shape = list(tensors[0].shape or ())
    total = shape[axis]
    for number, tensor in enumerate(tensors[1:], 1):
        sizes = tensor.shape or ()
        if len(sizes) != len(shape):
            wanted, got = f"{len(shape)}-d", f"{len(sizes)}-d"
            return None, Broken("rank", "tensors", str(number), wanted, got, tensor)
        for at, (one, other) in enumerate(zip(shape, sizes)):
            if at == axis or one == other:
                continue
            if differ(one, other):
                return None, Broken("axis", "tensors", str(at), one, other, tensor)
            if one.number is None and (other.number is not None or one.hidden):
                shape[at] = other
        total = total + sizes[axis]
    shape[axis] = total
    return tuple(shape), None


def _cat_strides(tensors: Sequence[Tensor], shape: Shape | None, all_counted: bool) -> Shape | None:
    """Contiguous, if all inputs are; in another memory format torch looks at each of them."""
    if shape is None or any(t.strides is None for t in tensors):
        return None
    flat = all(t.strides == contiguous_strides(t.shape or ()) for t in tensors)
    return contiguous_strides(shape) if (flat and all_counted) or len(shape) not in (4, 5) else None


def _cat_unknown(given: Given, each: Tensor | None) -> Answer:
    """A list of unknown length: the joined axis is unknown, the others are those of each."""
    if each is None or not each.shape:
        return Tensor(dtype=each.dtype if each is not None else None)
    axis = axis_of(given, "dim", len(each.shape), 0)
    if not isinstance(axis, int):
        return Tensor(None, None, each.dtype, each.device)
    count = count_of(given, given["tensors"])
    total = given.fresh("cat") if count is None else each.shape[axis] * count
    shape = (*each.shape[:axis], total, *each.shape[axis + 1 :])
    return Tensor(shape, None, each.dtype, each.device)


function("torch.cat", "tensors dim", _cat, "torch.concat", "torch.concatenate")


def _stack(given: Given) -> Answer:
    """Tensors of one shape along a new axis."""
    tensors, each = tensors_of(given, "tensors")
    if isinstance(given.get("tensors"), Tensor):
        return refused(ALONE)
    if tensors == []:
        return refused(Broken("argument", "tensors", wanted="at least one tensor", got="none"))
    found = tensors if tensors is not None else [each] if each is not None else []
    if not found:
        return Tensor()
    dtype, device, broken = merged(given, "tensors", found)
    count = count_of(given, given["tensors"]) or given.fresh("stack")
    shape: Shape | None = found[0].shape
    for number, tensor in enumerate(found[1:], 1):
        if shape is None or tensor.shape is None:
            shape = None
            break
        shape, clash = _same_shape(shape, tensor, number)
        if clash is not None:
            return refused(*broken, clash)
    if shape is None:
        return Outcome(Tensor(None, None, dtype, device), broken)
    at = given.int("dim", 0)
    if at is None:
        return Outcome(Tensor(None, None, dtype, device), broken)
    axis = wrapped(at, len(shape) + 1, "dim", given)
    if isinstance(axis, Broken):
        return refused(*broken, axis)
    whole = (*shape[:axis], count, *shape[axis:])
    flat = all(t.strides is not None and t.strides == contiguous_strides(t.shape or ()) for t in found)
    return Outcome(Tensor(whole, contiguous_strides(whole) if flat else None, dtype, device), broken)


def _same_shape(shape: Shape, tensor: Tensor, number: int) -> tuple[Shape, Broken | None]:
    sizes = tensor.shape or ()
    if len(sizes) != len(shape):
        return shape, Broken("rank", "tensors", str(number), f"{len(shape)}-d", f"{len(sizes)}-d", tensor)
    out = list(shape)
    for at, (one, other) in enumerate(zip(shape, sizes)):
        if one != other and differ(one, other):
            return shape, Broken("axis", "tensors", str(at), one, other, tensor)
        if one.number is None and (other.number is not None or one.hidden):
            out[at] = other
    return tuple(out), None


function("torch.stack", "tensors dim", _stack)


def _stacked(least: int, axis: int) -> Returns:
    """hstack, vstack, dstack: tensors get as many axes as that, then are joined along one of them."""

    def returns(given: Given) -> Answer:
        tensors, _ = tensors_of(given, "tensors")
        if not tensors or any(t.shape is None for t in tensors):
            return Tensor()
        ready = tuple([_at_least(t, least) for t in tensors])
        at = 0 if axis == 1 and len(ready[0].shape or ()) == 1 else axis
        return _cat(Given({"tensors": Items(ready), "dim": Num(Dim.of(at))}, given.heap, site=given.site))

    return returns


def _at_least(x: Tensor, least: int) -> Tensor:
    """atleast_1d, 2d, 3d: new axes in front, and for 3d one behind."""
    rank = len(x.shape or ())
    if least >= 1 and rank == 0:
        x = inserted(x, 0)
    if least >= 2 and len(x.shape or ()) == 1:
        x = inserted(x, 0)
    if least >= 3 and len(x.shape or ()) == 2:
        x = inserted(x, 2)
    return x


for _name, _least, _axis in (("hstack", 1, 1), ("vstack", 2, 0), ("row_stack", 2, 0), ("dstack", 3, 2)):
    function(f"torch.{_name}", "tensors", _stacked(_least, _axis))
for _least in (1, 2, 3):

    def _at(given: Given, x: Tensor, shape: Shape, least: int = _least) -> Value:
        return x if len(shape) >= least else _at_least(x, least)

    function(f"torch.atleast_{_least}d", "input", of_tensor(_at))


def _column_stack(given: Given) -> Answer:
    tensors, _ = tensors_of(given, "tensors")
    if not tensors or any(t.shape is None for t in tensors):
        return Tensor()
    ready = []
    for x in tensors:
        x = inserted(x, 0) if x.shape == () else x
        ready.append(inserted(x, 1) if len(x.shape or ()) == 1 else x)
    return _cat(Given({"tensors": Items(tuple(ready)), "dim": Num(ONE)}, given.heap, site=given.site))


function("torch.column_stack", "tensors", _column_stack)


def _repeat(given: Given, x: Tensor, shape: Shape) -> Answer:
    """Each axis times its number; missing axes come in front."""
    times = asked_shape(given, "repeats")
    if times is None:
        return Tensor(None, None, x.dtype, x.device)
    if len(times) < len(shape):
        return refused(
            Broken("rank", "repeats", wanted=f"{len(shape)} numbers or more", got=f"{len(times)}", because=x)
        )
    for number in times:
        if number.less_than(0).holds:
            return refused(Broken("argument", "repeats", wanted="0 or more", got=number))
    whole = (ONE,) * (len(times) - len(shape)) + shape
    return fresh(x, [size * number for size, number in zip(whole, times)])


method("repeat", "input *repeats", of_tensor(_repeat))


def _tile(given: Given, x: Tensor, shape: Shape) -> Answer:
    """Like repeat, but missing numbers are 1."""
    times = asked_shape(given, "dims")
    if times is None:
        return Tensor(None, None, x.dtype, x.device)
    rank = max(len(times), len(shape))
    times = (ONE,) * (rank - len(times)) + times
    whole = (ONE,) * (rank - len(shape)) + shape
    return fresh(x, [size * number for size, number in zip(whole, times)])


both("tile", "input *dims", of_tensor(_tile))


def _repeat_interleave(given: Given, x: Tensor, shape: Shape) -> Answer:
    """Each element of an axis that many times in a row; without an axis, of the flat tensor."""
    times = given.dim("repeats")
    if is_none(given, "dim"):
        total = numel(shape)
        return fresh(x, (given.fresh("repeats") if times is None else total * times,))
    axis = axis_of(given, "dim", len(shape))
    if isinstance(axis, Broken):
        return refused(axis)
    if axis is None:
        return laid_out(x, [given.fresh(f"axis{i}") for i in range(len(shape))], None)
    size = given.fresh("repeats") if times is None else (shape[axis] if shape else ONE) * times
    return laid_out(x, (*shape[:axis], size, *shape[axis + 1 :]), None)


both("repeat_interleave", "input repeats dim output_size", of_tensor(_repeat_interleave))


def kept(x: Tensor) -> Tensor:
    """A fresh tensor of the same shape, with strides as elementwise operators give."""
    assert x.shape is not None, "only tensors of known rank"
    return laid_out(x, x.shape, elementwise_strides(x.shape, ((x.shape, x.strides),)))


def flat(x: Tensor) -> Tensor:
    """A fresh tensor of the same shape; its strides are known if the input is contiguous."""
    assert x.shape is not None, "only tensors of known rank"
    return laid_out(x, x.shape, x.strides if x.strides == contiguous_strides(x.shape) else None)


def _flip(given: Given, x: Tensor, shape: Shape) -> Answer:
    axes = axes_of(given, "dims", len(shape))
    return refused(axes) if isinstance(axes, Broken) else flat(x)


both("flip", "input *dims", of_tensor(_flip))


def _two_or_more(given: Given, x: Tensor, shape: Shape) -> Answer:
    if len(shape) < 2:
        return refused(Broken("rank", "input", wanted="2-d or more", got=f"{len(shape)}-d", because=x))
    return flat(x)


for _name in ("tril", "triu"):
    both(_name, "input diagonal", of_tensor(_two_or_more))
    method(f"{_name}_", "input diagonal", lambda given: given["input"], inplace="input")


def _roll(given: Given, x: Tensor, shape: Shape) -> Answer:
    if given.dims("shifts") == ():
        return refused(Broken("argument", "shifts", wanted="at least one", got="none"))
    if is_none(given, "dims") or given.dims("dims") == ():
        return flat(x)
    if not shape:
        return refused(Broken("dim-range", "dims", wanted="no axis", got=given.dims("dims"), because=x))
    axes, shifts = axes_of(given, "dims", len(shape)), given.dims("shifts")
    if isinstance(axes, Broken) and axes.wanted != "each axis once":
        return refused(axes)
    if isinstance(axes, tuple) and shifts is not None and len(axes) != len(shifts):
        return refused(Broken("argument", "shifts", wanted=f"{len(axes)} numbers", got=f"{len(shifts)}"))
    return flat(x)


both("roll", "input shifts dims", of_tensor(_roll))
for _name in ("fliplr", "flipud"):
    both(_name, "input", of_tensor(lambda given, x, shape: flat(x)))


def _diag(given: Given, x: Tensor, shape: Shape) -> Answer:
    """A vector onto the diagonal of a matrix, or the diagonal of a matrix."""
    offset = given.int("diagonal", 0)
    if len(shape) not in (1, 2):
        return refused(Broken("rank", "input", wanted="1-d or 2-d", got=f"{len(shape)}-d", because=x))
    if len(shape) == 1:
        size = given.fresh("diagonal") if offset is None else shape[0] + abs(offset)
        return fresh(x, (size, size))
    return fresh(x, (_diagonal_length(given, shape[0], shape[1], offset),))


both("diag", "input diagonal", of_tensor(_diag))


def _meshgrid(given: Given) -> Answer:
    """As many tensors as come in, each of the shape that all vectors span."""
    tensors, _ = tensors_of(given, "tensors")
    if tensors is None or any(t.shape is None for t in tensors):
        return Many(Tensor(), "tuple")
    sizes = [t.shape[0] if t.shape else ONE for t in tensors]
    swapped = given.const("indexing", "ij") == "xy" and len(sizes) > 1
    shape = (sizes[1], sizes[0], *sizes[2:]) if swapped else tuple(sizes)
    out = []
    for own, t in enumerate(tensors):
        own = 1 - own if swapped and own < 2 else own
        step = t.strides[0] if t.strides else None if t.shape else ZERO
        strides = (
            None if step is None else tuple([step if axis == own else ZERO for axis in range(len(sizes))])
        )
        out.append(Tensor(shape, strides, t.dtype, t.device))
    return Items(tuple(out))


function("torch.meshgrid", "*tensors indexing", _meshgrid)


def _broadcast_tensors(given: Given) -> Answer:
    tensors, _ = tensors_of(given, "tensors")
    if tensors is None or any(t.shape is None for t in tensors):
        return Many(Tensor(), "tuple")
    shape, clash = broadcast([t.shape or () for t in tensors])
    if clash is not None:
        axis, wanted, got = clash
        return refused(Broken("broadcast", "tensors", str(axis), wanted, got))
    return Items(tuple([Tensor(shape, None, t.dtype, t.device) for t in tensors]))


function("torch.broadcast_tensors", "*tensors", _broadcast_tensors)


def _cartesian(given: Given) -> Answer:
    tensors, _ = tensors_of(given, "tensors")
    if not tensors or any(t.shape is None or len(t.shape) != 1 for t in tensors):
        return Tensor()
    total = numel([t.shape[0] for t in tensors if t.shape])
    return fresh(tensors[0], (total, Dim.of(len(tensors))) if len(tensors) > 1 else (total,))


function("torch.cartesian_prod", "*tensors", _cartesian)
function("torch.block_diag", "*tensors", lambda given: Tensor())
