"""Products of matrices: `@`, mm, bmm, addmm, einsum, tensordot, outer, and what is like them."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.shape import Shape, broadcast, contiguous_strides, differ
from torchwise.domain.value import ANY, Tensor
from torchwise.ops.agreement import on_accelerator
from torchwise.ops.array_operators import product_of_arrays
from torchwise.ops.axes import agreed
from torchwise.ops.axis_arguments import wrapped
from torchwise.ops.learning import of_sizes
from torchwise.ops.operands import together
from torchwise.ops.rows import Answer, both, function, result_and_broken
from torchwise.ops.spec import Broken, Given, Outcome, Returns, op
from torchwise.ops.views import refused

HALVES = ("float16", "bfloat16")
LOWERED = ("float32", *HALVES)


def product_dtype(given: Given, a: Tensor, b: Tensor, param: str) -> tuple[str | None, tuple[Broken, ...]]:
    """Both must have one dtype, but autocast runs products in its own."""
    for kind, mode in reversed(given.regions):
        if kind == "autocast" and mode != "off":
            known = on_accelerator(a) and a.dtype in LOWERED and b.dtype in LOWERED
            return (mode if known and mode in HALVES else None), ()
    if a.dtype is None or b.dtype is None:
        return None, ()
    if a.dtype != b.dtype:
        return None, (Broken("dtype", param, wanted=a.dtype, got=b.dtype, because=a),)
    return a.dtype, ()


def matmul_shape(a: Tensor, b: Tensor, param: str) -> tuple[Shape | None, tuple[Broken, ...]]:
    """(*b, n, k) by (*b, k, m) is (*b, n, m); a vector loses its axis again."""
    one, other = a.shape, b.shape
    if one is None or other is None:
        return None, ()
    if not one or not other:
        name, empty = ("input", a) if not one else (param, b)
        return None, (Broken("rank", name, wanted="1-d or more", got="0-d", because=empty),)
    inner, wanted = other[-2] if len(other) > 1 else other[0], one[-1]
    if differ(wanted, inner):
        axis = str(-2 if len(other) > 1 else -1)
        return None, (Broken("axis", param, axis, wanted, inner, a),)
    batch, clash = broadcast((one[:-2], other[:-2]))
    if clash is not None:
        at, wanted, got = clash
        return None, (Broken("broadcast", param, str(at - 2), wanted, got, a),)
    rows = one[-2:-1] if len(one) > 1 else ()
    columns = other[-1:] if len(other) > 1 else ()
    return (*batch, *rows, *columns), ()


def _matmul(given: Given) -> Answer:
    a, b = given["input"], given["other"]
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return ANY if a is ANY and isinstance(b, Tensor) is False else Tensor()
    shape, broken = matmul_shape(a, b, "other")
    dtype, clash = product_dtype(given, a, b, "other")
    device, apart = agreed(given, [("input", Tensor(device=a.device)), ("other", Tensor(device=b.device))])[
        1:
    ]
    strides = None if shape is None else contiguous_strides(shape)
    return Outcome(Tensor(shape, strides, dtype, device), broken + clash + apart)


# Where batches are stretched, or lie so that they are copied first, torch keeps the copy instead.
SAVES = "input<other other<input"
both("matmul", "input other", _matmul, "Tensor.__matmul__", "torch.linalg.matmul", saves=SAVES)


def _operator(given: Given) -> Answer:
    a, b = given["input"], given["other"]
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return _matmul(given) if a is not ANY else ANY
    return product_of_arrays(given, a, b)


op(
    "operator.matmul",
    params="input other",
    returns=_operator,
    saves=SAVES,
    name="matmul",
    source="generated/torch.matmul.html",
)
op(
    "operator.imatmul",
    params="input other",
    returns=_operator,
    saves=SAVES,
    name="matmul",
    source="generated/torch.matmul.html",
)


def exact(wanted: dict[str, int]) -> Returns:
    """Products of tensors of fixed ranks, which a tensor of unknown shape has too."""
    first, second = wanted

    def returns(given: Given) -> Answer:
        a, b = given.tensor(first), given.tensor(second)
        if a is None or b is None:
            return Tensor()
        broken = _of_rank(first, a, wanted[first]) + _of_rank(second, b, wanted[second])
        dtype, clash = product_dtype(given, a, b, second)
        device, apart = agreed(given, [(first, Tensor(device=a.device)), (second, Tensor(device=b.device))])[
            1:
        ]
        if broken:
            return Outcome(Tensor(None, None, dtype, device), broken + clash + apart)
        left, right = _sizes(a, b, wanted[first], wanted[second])
        one, taught = of_sizes(given, first, a, left)
        other, more = of_sizes(given, second, b, right)
        made, wrong = matmul_shape(one, other, second)
        wrong = wrong or _of_batch(one, other, second)
        shape = None if wrong else made
        strides = None if shape is None else contiguous_strides(shape)
        faults = wrong + clash + apart
        return Outcome(Tensor(shape, strides, dtype, device), faults, () if faults else taught + more)

    return returns


def _of_rank(param: str, x: Tensor, rank: int) -> tuple[Broken, ...]:
    if x.shape is None or len(x.shape) == rank:
        return ()
    return (Broken("rank", param, wanted=f"{rank}-d", got=f"{len(x.shape)}-d", because=x),)


def _sizes(
    a: Tensor, b: Tensor, left: int, right: int
) -> tuple[tuple[Dim | None, ...], tuple[Dim | None, ...]]:
    """The lengths that each of two factors has from the other: the inner one, and the batch."""
    inner_of_a = a.shape[-1] if a.shape else None
    inner_of_b = None if not b.shape else b.shape[-2] if right > 1 else b.shape[-1]
    batch_of_a = a.shape[:-2] if a.shape else (None,) * (left - 2)
    batch_of_b = b.shape[:-2] if b.shape else (None,) * (right - 2)
    one = (*batch_of_b[: max(left - 2, 0)], *((None,) if left > 1 else ()), inner_of_b)
    other = (*batch_of_a[: max(right - 2, 0)], inner_of_a, *((None,) if right > 1 else ()))
    return one, other


def _of_batch(a: Tensor, b: Tensor, param: str) -> tuple[Broken, ...]:
    """bmm stretches nothing."""
    if a.shape is None or b.shape is None or len(a.shape) != 3 or not a.shape[0].same_as(b.shape[0]).fails:
        return ()
    return (Broken("axis", param, "0", a.shape[0], b.shape[0], a),)


for _name, _first, _second, _ranks in (
    ("mm", "input", "mat2", (2, 2)),
    ("bmm", "input", "mat2", (3, 3)),
    ("mv", "input", "vec", (2, 1)),
    ("dot", "input", "tensor", (1, 1)),
    ("vdot", "input", "tensor", (1, 1)),
):
    both(
        _name,
        f"{_first} {_second}",
        exact({_first: _ranks[0], _second: _ranks[1]}),
        saves=f"{_first}<{_second} {_second}<{_first}",
    )


def added(first: str, second: str, ranks: tuple[int, int], summed: bool = False) -> Returns:
    """addmm and its like: the input is stretched to the product and added."""
    inner = exact({first: ranks[0], second: ranks[1]})

    def returns(given: Given) -> Answer:
        found = inner(given)
        made, broken = result_and_broken(found)
        x = given["input"]
        if not isinstance(made, Tensor) or not isinstance(x, Tensor):
            return found
        if summed and made.shape is not None:
            made = Tensor(made.shape[1:], contiguous_strides(made.shape[1:]), made.dtype, made.device)
        if x.shape is not None and made.shape is not None:
            clash = stretches(x, made.shape)
            if clash is not None:
                return Outcome(Tensor(None, None, made.dtype, made.device), (*broken, clash))
        a = given[first]
        if (
            isinstance(a, Tensor)
            and x.dtype is not None
            and a.dtype is not None
            and x.dtype != a.dtype
            and not given.regions
        ):
            broken = (*broken, Broken("dtype", "input", wanted=a.dtype, got=x.dtype, because=a))
        return Outcome(made, broken, found.effects if isinstance(found, Outcome) and not broken else ())

    return returns


def stretches(x: Tensor, shape: Shape, param: str = "input") -> Broken | None:
    """The requirement that a tensor can be expanded to a shape."""
    sizes = x.shape or ()
    if len(sizes) > len(shape):
        return Broken("rank", param, wanted=f"at most {len(shape)}-d", got=f"{len(sizes)}-d", because=x)
    for axis in range(-len(sizes), 0):
        if sizes[axis].same_as(1).fails and sizes[axis].same_as(shape[axis]).fails:
            return Broken("broadcast", param, str(axis), shape[axis], sizes[axis], x)
    return None


def _in_place(computed: Returns) -> Returns:
    """The result is the input, which cannot be stretched."""
    return lambda given: _kept(given, computed(given))


def _kept(given: Given, found: Answer) -> Outcome:
    made, broken = result_and_broken(found)
    x = given["input"]
    if isinstance(x, Tensor) and isinstance(made, Tensor) and x.shape is not None and made.shape is not None:
        if len(x.shape) != len(made.shape) or any(a.same_as(b).fails for a, b in zip(x.shape, made.shape)):
            broken = broken or (Broken("broadcast", "input", wanted=made.shape, got=x.shape, because=x),)
    return Outcome(x, broken)


for _name, _first, _second, _ranks in (
    ("addmm", "mat1", "mat2", (2, 2)),
    ("addmv", "mat", "vec", (2, 1)),
    ("baddbmm", "batch1", "batch2", (3, 3)),
    ("addbmm", "batch1", "batch2", (3, 3)),
):
    _returns = added(_first, _second, _ranks, summed=_name == "addbmm")
    _params, _saves = f"input {_first} {_second} beta alpha", f"{_first}<{_second} {_second}<{_first}"
    _source = f"generated/torch.{_name}.html"
    op(f"torch.{_name}", f"Tensor.{_name}", params=_params, returns=_returns, saves=_saves, source=_source)
    op(
        f"Tensor.{_name}_",
        params=_params,
        returns=_in_place(_returns),
        inplace="input",
        saves=_saves,
        source=_source,
    )


def _outer(given: Given) -> Answer:
    """(n) and (m) make (n, m); dtypes are promoted."""
    a, b = given["input"], given["vec2"]
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return Tensor()
    all_ = together(given, ("input", "vec2"))
    dtype = all_.dtype
    for name, x in (("input", a), ("vec2", b)):
        if x.shape is not None and len(x.shape) != 1:
            return refused(Broken("rank", name, wanted="1-d", got=f"{len(x.shape)}-d", because=x))
    if a.shape is None or b.shape is None:
        return Tensor(None, None, dtype, a.device)
    shape = (a.shape[0], b.shape[0])
    if dtype is None and a.dtype is not None and a.dtype == b.dtype:
        dtype = a.dtype
    return Tensor(shape, contiguous_strides(shape), dtype, a.device if a.device == b.device else None)


both("outer", "input vec2", _outer, "torch.ger", "Tensor.ger", saves="input<vec2 vec2<input")


def _tensordot(given: Given) -> Answer:
    """The last `dims` axes of a with the first of b; or the axes in two lists."""
    a, b = given["a"], given["b"]
    if not isinstance(a, Tensor) or not isinstance(b, Tensor) or a.shape is None or b.shape is None:
        return Tensor()
    dtype, broken = product_dtype(given, a, b, "b")
    pairs = _paired_axes(given, a.shape, b.shape)
    if isinstance(pairs, Broken):
        return refused(*broken, pairs)
    if pairs is None:
        return Outcome(Tensor(None, None, dtype, a.device), broken)
    one, other = pairs
    if len(one) != len(other):
        return refused(
            *broken, Broken("argument", "dims", wanted=f"{len(one)} axes", got=f"{len(other)} axes")
        )
    for i, j in zip(one, other):
        if differ(a.shape[i], b.shape[j]) and not _stretch(a.shape[i], b.shape[j]):
            return refused(*broken, Broken("axis", "b", str(j), a.shape[i], b.shape[j], a))
    left = [size for axis, size in enumerate(a.shape) if axis not in one]
    right = [size for axis, size in enumerate(b.shape) if axis not in other]
    shape = (*left, *right)
    device = a.device if a.device == b.device else None
    return Outcome(Tensor(shape, contiguous_strides(shape), dtype, device), broken)


def _paired_axes(given: Given, a: Shape, b: Shape) -> tuple[list[int], list[int]] | Broken | None:
    """The axes of both that are summed over; None where they are not known."""
    count = given.dim("dims", 2)
    if count is not None:
        n = count.number
        if n is None:
            return None
        if n < 0 or n > len(a) or n > len(b):
            return Broken("argument", "dims", wanted="axes of both", got=count)
        return list(range(len(a) - n, len(a))), list(range(n))
    lists = given.list("dims")
    named = [given.sizes_of(part) for part in lists] if lists is not None and len(lists) == 2 else [None]
    axes: list[list[int]] = []
    for part, shape in zip(named, (a, b)):
        if part is None or any(size is None or size.number is None for size in part):
            return None
        found = [wrapped(size.number or 0, len(shape), "dims", given) for size in part if size is not None]
        wrong = next((axis for axis in found if isinstance(axis, Broken)), None)
        if wrong is not None:
            return wrong
        axes.append([axis for axis in found if isinstance(axis, int)])
    return axes[0], axes[1]


def _stretch(a: Dim, b: Dim) -> bool:
    return not (a.same_as(1).fails and b.same_as(1).fails)


function("torch.tensordot", "a b dims", _tensordot)


def _cross(given: Given) -> Answer:
    """Three components along an axis, by default the last for linalg and the first of length 3 for torch."""
    all_ = together(given, ("input", "other"))
    return Outcome(Tensor(all_.shape, None, all_.dtype, all_.device), all_.broken)


both("cross", "input other dim", _cross, "torch.linalg.cross", saves="input<other other<input")


def _kron(given: Given) -> Answer:
    a, b = given["input"], given["other"]
    if not isinstance(a, Tensor) or not isinstance(b, Tensor) or a.shape is None or b.shape is None:
        return Tensor()
    one = (Dim.of(1),)
    rank = max(len(a.shape), len(b.shape))
    left, right = one * (rank - len(a.shape)) + a.shape, one * (rank - len(b.shape)) + b.shape
    shape = tuple(x * y for x, y in zip(left, right))
    dtype = a.dtype if a.dtype == b.dtype else None
    return Tensor(shape, None, dtype, a.device if a.device == b.device else None)


both("kron", "input other", _kron)


def _cdist(given: Given) -> Answer:
    """(*b, n, d) and (*b, m, d) make distances (*b, n, m)."""
    a, b = given["x1"], given["x2"]
    if not isinstance(a, Tensor) or not isinstance(b, Tensor) or a.shape is None or b.shape is None:
        return Tensor()
    if len(a.shape) < 2 or len(b.shape) < 2:
        return refused(Broken("rank", "x1", wanted="2-d or more", got=f"{len(a.shape)}-d", because=a))
    if differ(a.shape[-1], b.shape[-1]):
        return refused(Broken("axis", "x2", "-1", a.shape[-1], b.shape[-1], a))
    batch, clash = broadcast((a.shape[:-2], b.shape[:-2]))
    if clash is not None:
        at, wanted, got = clash
        return refused(Broken("broadcast", "x2", str(at - 2), wanted, got, a))
    return Tensor((*batch, a.shape[-2], b.shape[-2]), None, a.dtype if a.dtype == b.dtype else None, a.device)


function("torch.cdist", "x1 x2 p compute_mode", _cdist, saves="x1 x2 result")
