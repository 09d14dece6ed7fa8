"""Parts of a tensor, which share its memory: slices, `select`, `narrow`, `split`, `chunk`, `unbind`."""

from __future__ import annotations

from collections.abc import Sequence

from torchwise.domain.dim import Dim
from torchwise.domain.polynomial import Quotient, value_of
from torchwise.domain.value import Const, Items, Many, Num, Shape, Slice, Tensor, Value
from torchwise.ops.axis_arguments import axis_of
from torchwise.ops.rows import Answer, both, method
from torchwise.ops.spec import Broken, Given, Outcome, op
from torchwise.ops.views import laid_out, of_tensor, refused

ZERO, ONE = Dim.of(0), Dim.of(1)
MOST_PIECES = 64


def at_least(size: Dim, number: int) -> bool:
    """Whether a length is taken to be so long: a symbol is neither 0 nor 1."""
    if number <= 0 or size.less_than(number).fails:
        return True
    if size.number is not None:
        return False
    return number == 1 or (
        number == 2 and len(size.terms) == 1 and not isinstance(size.terms[0][0][0], Quotient)
    )


def fits(part: Dim, size: Dim) -> bool:
    """Whether a length is certainly not longer than another: `H//2` fits in H."""
    if part == size or size.less_than(part).fails:
        return True
    if part.number is not None:
        return at_least(size, part.number)
    if len(part.terms) != 1:
        return False
    (monomial, factor) = part.terms[0]
    if len(monomial) != 1 or not isinstance(monomial[0], Quotient):
        return False
    under = value_of(monomial[0].under)
    if under is None:
        return factor == 1 and fits(Dim(monomial[0].over), size)
    return 0 < factor <= under and fits(Dim(monomial[0].over), size)


def bound(given: Given, value: Value, size: Dim, otherwise: Dim) -> Dim | None:
    """One end of a slice as a place from 0 to the size; None where it is not known."""
    if value == Const(None):
        return otherwise
    if not isinstance(value, Num):
        return None
    at = value.dim
    if at.number is not None and size.number is not None:
        number = at.number + size.number if at.number < 0 else at.number
        return Dim.of(max(0, min(number, size.number)))
    if (
        (at.number or 0) < 0
        or (at.number is None and at.less_than(0).holds)
        or (at.terms[0:1] and at.terms[0][1] < 0)
    ):
        return size + at if fits(-at, size) else None
    return at if fits(at, size) else None


def sliced_size(given: Given, part: Slice, size: Dim) -> tuple[Dim, Dim] | None:
    """The length and the step of a slice; None where the step is not known."""
    step = ONE if part.step == Const(None) else part.step.dim if isinstance(part.step, Num) else None
    if step is None:
        return None
    start, stop = bound(given, part.start, size, ZERO), bound(given, part.stop, size, size)
    if isinstance(part.crop, Num):
        return part.crop.dim, step
    if start is None or stop is None:
        return given.fresh("slice"), step
    length = stop - start
    if length.number is not None:
        length = Dim.of(max(0, length.number))
    elif not (fits(start, stop) or start == ZERO):
        return given.fresh("slice"), step
    return (length if step == ONE else -(-length // step)), step


def with_axis(x: Tensor, axis: int, size: Dim, step: Dim | None = ONE) -> Tensor:
    """One axis has another length, and goes in other steps."""
    assert x.shape is not None, "only tensors of known rank are taken apart"
    strides = None
    if x.strides is not None and step is not None:
        strides = (*x.strides[:axis], x.strides[axis] * step, *x.strides[axis + 1 :])
    return laid_out(x, (*x.shape[:axis], size, *x.shape[axis + 1 :]), strides)


def without_axis(x: Tensor, axis: int) -> Tensor:
    assert x.shape is not None, "only tensors of known rank are taken apart"
    strides = None if x.strides is None else (*x.strides[:axis], *x.strides[axis + 1 :])
    return laid_out(x, (*x.shape[:axis], *x.shape[axis + 1 :]), strides)


def index_range(param: str, index: Dim, size: Dim, x: Tensor, axis: int) -> tuple[Broken, ...]:
    """The requirement that an index lies in its axis."""
    if index.number is None or size.number is None or -size.number <= index.number < size.number:
        return ()
    return (Broken("index-range", param, str(axis), size, index, x),)


def _select(given: Given, x: Tensor, shape: Shape) -> Answer:
    """One index of an axis: the axis is gone."""
    if not shape:
        return refused(Broken("rank", "input", wanted="1-d or more", got="0-d", because=x))
    axis = axis_of(given, "dim", len(shape))
    if isinstance(axis, Broken):
        return refused(axis)
    if axis is None:
        return laid_out(x, [given.fresh(f"axis{i}") for i in range(len(shape) - 1)], None)
    index = given.dim("index")
    broken = () if index is None else index_range("index", index, shape[axis], x, axis)
    return Outcome(without_axis(x, axis), broken)


both("select", "input dim index", of_tensor(_select), view="input")


def _narrow(given: Given, x: Tensor, shape: Shape) -> Answer:
    """`length` elements of an axis from `start`."""
    axis = axis_of(given, "dim", len(shape))
    if isinstance(axis, Broken):
        return refused(axis)
    if not shape:
        return refused(Broken("rank", "input", wanted="1-d or more", got="0-d", because=x))
    if axis is None:
        return laid_out(x, [given.fresh(f"axis{i}") for i in range(len(shape))], None)
    start, length = given.dim("start"), given.dim("length")
    if length is None:
        return with_axis(x, axis, given.fresh("length"))
    size, first = shape[axis], ZERO if start is None else start
    if first.number is not None and first.number < 0:
        first = size + first
    if length.less_than(0).holds or size.less_than(first + length).holds or first.less_than(0).holds:
        return refused(Broken("index-range", "length", str(axis), size, first + length, x))
    return with_axis(x, axis, length)


both("narrow", "input dim start length", of_tensor(_narrow), view="input")


def pieces(given: Given, x: Tensor, axis: int, sizes: Sequence[Dim] | None) -> Value:
    """A tuple of parts of these lengths; of unknown number, where they are not known."""
    if sizes is None or len(sizes) > MOST_PIECES:
        return Many(with_axis(x, axis, given.fresh("piece")), "tuple")
    return Items(tuple([with_axis(x, axis, size) for size in sizes]))


def equal_pieces(size: Dim, length: Dim) -> list[Dim] | None:
    """Pieces of one length, the last as long as what is left; None where their number is not known."""
    if size.number is not None and length.number is not None and length.number > 0:
        full, rest = divmod(size.number, length.number)
        return [length] * full + ([Dim.of(rest)] if rest or not full else [])
    if size == length:
        return [size]
    even = length.divides(size)
    count = (size // length).number
    if even.holds and count is not None and 0 < count <= MOST_PIECES:
        return [length] * count
    return None


def _split(given: Given, x: Tensor, shape: Shape) -> Answer:
    """Pieces of `split_size`, or of the lengths in a list."""
    axis = axis_of(given, "dim", len(shape), 0)
    if isinstance(axis, Broken):
        return refused(axis)
    name = "split_size_or_sections" if "split_size_or_sections" in given else "split_size"
    if not shape:
        return refused(Broken("rank", "input", wanted="1-d or more", got="0-d", because=x))
    if axis is None:
        return Outcome(Many(Tensor(None, None, x.dtype, x.device), "tuple"))
    size, value = shape[axis], given[name]
    if isinstance(value, Num):
        return pieces(given, x, axis, equal_pieces(size, value.dim))
    lengths = given.dims(name)
    if lengths is None:
        return pieces(given, x, axis, None)
    if None not in lengths:
        total = ZERO
        for length in lengths:
            total = total + length  # type: ignore[operator]
        if total.same_as(size).fails:
            return refused(Broken("argument", name, str(axis), f"lengths that add up to {size}", total, x))
    return pieces(
        given, x, axis, [given.fresh(f"piece{i}") if d is None else d for i, d in enumerate(lengths)]
    )


both("split", "input split_size_or_sections dim", of_tensor(_split), view="input")
op(
    *("torch.split_with_sizes", "Tensor.split_with_sizes"),
    params="input split_size_or_sections dim",
    returns=of_tensor(_split),
    view="input",
    name="split",
    source="generated/torch.split.html",
)


def _chunk(given: Given, x: Tensor, shape: Shape) -> Answer:
    """At most `chunks` pieces, each as long as the axis divided by that, rounded up."""
    axis, count = axis_of(given, "dim", len(shape), 0), given.int("chunks")
    if isinstance(axis, Broken):
        return refused(axis)
    if not shape:
        return refused(Broken("rank", "input", wanted="1-d or more", got="0-d", because=x))
    if axis is None:
        return Outcome(Many(Tensor(None, None, x.dtype, x.device), "tuple"))
    if count is None:
        return pieces(given, x, axis, None)
    if count < 1:
        return refused(Broken("argument", "chunks", wanted="1 or more", got=Dim.of(count)))
    size = shape[axis]
    if size.number == 0:
        return pieces(given, x, axis, [ZERO] * count)
    if size.number is not None:
        return pieces(given, x, axis, equal_pieces(size, -(-size // count)))
    if Dim.of(count).divides(size).holds or count == 1:
        return pieces(given, x, axis, [size // count] * count)
    # as many pieces as are asked for, if the axis is long enough
    piece = given.fresh("chunk")
    return Items(tuple([with_axis(x, axis, piece)] * (count - 1) + [with_axis(x, axis, given.fresh("last"))]))


both("chunk", "input chunks dim", of_tensor(_chunk), view="input")


def _tensor_split(given: Given, x: Tensor, shape: Shape) -> Answer:
    """That many pieces, the first ones longer by one; or pieces that end at the indices."""
    axis = axis_of(given, "dim", len(shape), 0)
    if isinstance(axis, Broken):
        return refused(axis)
    if not shape:
        return refused(Broken("rank", "input", wanted="1-d or more", got="0-d", because=x))
    value = given["indices_or_sections"]
    if axis is None:
        return Many(Tensor(None, None, x.dtype, x.device), "tuple")
    size = shape[axis]
    if isinstance(value, Num):
        count = value.dim.number
        if count is None:
            return pieces(given, x, axis, None)
        if count < 1:
            return refused(Broken("argument", "indices_or_sections", wanted="1 or more", got=value.dim))
        if size.number is None:
            even = Dim.of(count).divides(size).holds
            return pieces(
                given, x, axis, [size // count if even else given.fresh(f"p{i}") for i in range(count)]
            )
        each, longer = divmod(size.number, count)
        return pieces(given, x, axis, [Dim.of(each + (i < longer)) for i in range(count)])
    ends = given.dims("indices_or_sections")
    if ends is None:
        return pieces(given, x, axis, None)
    parts: list[Dim] = []
    start: Value = Const(None)
    for end in (*(None if e is None else Num(e) for e in ends), Const(None)):
        found = None if end is None else sliced_size(given, Slice(start, end, Const(None)), size)
        parts.append(given.fresh(f"piece{len(parts)}") if found is None else found[0])
        start = Tensor() if end is None else end
    return pieces(given, x, axis, parts)


both("tensor_split", "input indices_or_sections dim", of_tensor(_tensor_split), view="input")


def _unbind(given: Given, x: Tensor, shape: Shape) -> Answer:
    """All indices of an axis, as a tuple."""
    axis = axis_of(given, "dim", len(shape), 0)
    if not shape:
        return refused(Broken("rank", "input", wanted="1-d or more", got="0-d", because=x))
    if isinstance(axis, Broken):
        return refused(axis)
    if axis is None:
        return Many(laid_out(x, [given.fresh(f"axis{i}") for i in range(len(shape) - 1)], None), "tuple")
    part, count = without_axis(x, axis), shape[axis].number
    if count is None or count > MOST_PIECES:
        return Many(part, "tuple", shape[axis])
    return Items((part,) * count)


both("unbind", "input dim", of_tensor(_unbind), view="input")
op(
    "Tensor.__iter__",
    params="input",
    returns=of_tensor(_unbind),
    view="input",
    name="unbind",
    source="generated/torch.unbind.html",
)


def _unfold(given: Given, x: Tensor, shape: Shape) -> Answer:
    """Windows of an axis: it becomes the number of windows, and the last axis runs inside of a window."""
    axis, size, step = axis_of(given, "dimension", len(shape)), given.dim("size"), given.dim("step")
    if isinstance(axis, Broken):
        return refused(axis)
    if axis is None or size is None or step is None:
        return laid_out(x, [given.fresh(f"axis{i}") for i in range(len(shape) + 1)], None)
    whole = shape[axis] if shape else ONE
    if whole.less_than(size).holds:
        return refused(Broken("argument", "size", str(axis), f"at most {whole}", size, x))
    if step.less_than(1).holds:
        return refused(Broken("argument", "step", wanted="1 or more", got=step))
    if not shape:
        return laid_out(x, (size,), (ONE,))
    windows = with_axis(x, axis, (whole - size) // step + 1, step)
    strides = None if windows.strides is None or x.strides is None else (*windows.strides, x.strides[axis])
    return laid_out(x, (*(windows.shape or ()), size), strides)


method("unfold", "input dimension size step", of_tensor(_unfold), view="input")


def _diagonal(given: Given, x: Tensor, shape: Shape) -> Answer:
    """The diagonal of two axes, as a last axis."""
    offset, a, b = (
        given.int("offset", 0),
        axis_of(given, "dim1", len(shape), 0),
        axis_of(given, "dim2", len(shape), 1),
    )
    broken = tuple(axis for axis in (a, b) if isinstance(axis, Broken))
    if broken:
        return refused(*broken)
    if not isinstance(a, int) or not isinstance(b, int):
        return laid_out(x, [given.fresh(f"axis{i}") for i in range(len(shape) - 1)], None)
    if a == b:
        return refused(Broken("dim-range", "dim2", wanted="another axis", got=Dim.of(b), because=x))
    length = _diagonal_length(given, shape[a], shape[b], offset)
    rest = [axis for axis in range(len(shape)) if axis not in (a, b)]
    strides = None
    if x.strides is not None:
        strides = (*[x.strides[axis] for axis in rest], x.strides[a] + x.strides[b])
    return laid_out(x, (*[shape[axis] for axis in rest], length), strides)


def _diagonal_length(given: Given, rows: Dim, columns: Dim, offset: int | None) -> Dim:
    if offset is not None and rows.number is not None and columns.number is not None:
        below, right = max(-offset, 0), max(offset, 0)
        return Dim.of(max(0, min(rows.number - below, columns.number - right)))
    return rows if offset == 0 and rows == columns else given.fresh("diagonal")


both("diagonal", "input offset dim1 dim2", of_tensor(_diagonal), "torch.linalg.diagonal", view="input")


def _as_strided(given: Given) -> Answer:
    x, size, stride = given["input"], given.dims("size"), given.dims("stride")
    if not isinstance(x, Tensor) or size is None:
        return Tensor()
    shape = [given.fresh(f"size{i}") if d is None else d for i, d in enumerate(size)]
    strides = None if stride is None or None in stride else [d for d in stride if d is not None]
    return laid_out(x, shape, strides)


both("as_strided", "input size stride storage_offset", _as_strided, view="input")
