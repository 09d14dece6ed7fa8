"""Operators that few programs use: products, diagonals, slices that are written back, sparse forms."""

from __future__ import annotations

from torchwise.domain.dtype import category, promote
from torchwise.domain.shape import broadcast, numel
from torchwise.domain.value import ANY, Dtype, Items, Num, Shape, Some, Tensor
from torchwise.ops.axis_arguments import axes_of, axis_of, dtype_named
from torchwise.ops.copies import copied
from torchwise.ops.creation import OPTIONS, asked_dtype, contents, made_for
from torchwise.ops.joining import flat
from torchwise.ops.matmul import product_dtype
from torchwise.ops.operands import default_dtype, together
from torchwise.ops.pointwise import row
from torchwise.ops.rows import Answer, both, function, method
from torchwise.ops.spec import OPS, Broken, Given, Outcome
from torchwise.ops.views import fresh, laid_out, of_tensor, refused

row("heaviside", "input values", "same", "", "cNA", operands="input values")


def _positive(given: Given) -> Answer:
    """The tensor itself."""
    x = given["input"]
    if isinstance(x, Tensor) and x.dtype == "bool":
        return refused(Broken("dtype", "input", wanted="no bool", got="bool", because=x))
    return x if isinstance(x, Tensor) else Tensor()


both("positive", "input", _positive)


def _ldexp(given: Given) -> Answer:
    """x * 2**other, where powers of integers are of the default float."""
    all_, x, other = together(given, ("input", "other")), given["input"], given["other"]
    same = isinstance(x, Tensor) and isinstance(other, Tensor) and x.dtype == other.dtype == "float32"
    return Outcome(Tensor(all_.shape, all_.strides, "float32" if same else None, all_.device), all_.broken)


both("ldexp", "input other", _ldexp)


def _inner(given: Given) -> Answer:
    """(*a, k) and (*b, k) make (*a, *b)."""
    a, b = given["input"], given["other"]
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return Tensor()
    dtype, broken = product_dtype(given, a, b, "other")
    if a.shape is None or b.shape is None:
        return Outcome(Tensor(None, None, dtype, a.device), broken)
    if not a.shape or not b.shape:
        return Outcome(Tensor(a.shape or b.shape, None, dtype, a.device), broken)
    if a.shape[-1].same_as(b.shape[-1]).fails:
        return refused(*broken, Broken("axis", "other", "-1", a.shape[-1], b.shape[-1], a))
    return Outcome(Tensor(a.shape[:-1] + b.shape[:-1], None, dtype, a.device), broken)


both("inner", "input other", _inner)


def _addr(given: Given) -> Answer:
    """The input stretched to (n, m), plus the outer product of two vectors."""
    a, b = given["vec1"], given["vec2"]
    if not isinstance(a, Tensor) or not isinstance(b, Tensor) or not a.shape or not b.shape:
        return Tensor()
    shape = (a.shape[0], b.shape[0])
    return Tensor(shape, None, None, a.device)


both("addr", "input vec1 vec2 beta alpha", _addr, saves="vec1<vec2 vec2<vec1")


def _rot90(given: Given, x: Tensor, shape: Shape) -> Answer:
    """Turns the plane of two axes by quarters: odd numbers swap their lengths."""
    turns = given.int("k", 1)
    axes = axes_of(given, "dims", len(shape)) if "dims" in given else (0, 1)
    if isinstance(axes, Broken):
        return refused(axes)
    if axes is None or turns is None or len(axes) != 2 or len(shape) < 2:
        return Tensor(None, None, x.dtype, x.device)
    sizes = list(shape)
    if turns % 2:
        sizes[axes[0]], sizes[axes[1]] = sizes[axes[1]], sizes[axes[0]]
    return laid_out(x, sizes, None)


both("rot90", "input k dims", of_tensor(_rot90))


def _diag_embed(given: Given, x: Tensor, shape: Shape) -> Answer:
    """The last axis onto the diagonals of new matrices."""
    offset = given.int("offset", 0)
    if not shape:
        return refused(Broken("rank", "input", wanted="1-d or more", got="0-d", because=x))
    if offset is None or given.int("dim1", -2) != -2 or given.int("dim2", -1) != -1:
        return Tensor(None, None, x.dtype, x.device)
    size = shape[-1] + abs(offset)
    return fresh(x, (*shape[:-1], size, size))


both("diag_embed", "input offset dim1 dim2", of_tensor(_diag_embed))


def _diagflat(given: Given, x: Tensor, shape: Shape) -> Answer:
    offset = given.int("offset", 0)
    size = given.fresh("diagonal") if offset is None else numel(shape) + abs(offset)
    return fresh(x, (size, size))


both("diagflat", "input offset", of_tensor(_diagflat))
for _name, _params in (
    ("slice_scatter", "input src dim start end step"),
    ("select_scatter", "input src dim index"),
    ("diagonal_scatter", "input src offset dim1 dim2"),
):
    both(_name, _params, of_tensor(lambda given, x, shape: laid_out(x, shape, flat(x).strides)))


def _narrow_copy(given: Given) -> Answer:
    found = OPS["torch.narrow"].returns(given)
    made = found.result if isinstance(found, Outcome) else found
    broken = found.broken if isinstance(found, Outcome) else ()
    known = isinstance(made, Tensor) and made.shape is not None
    return Outcome(fresh(made, made.shape) if known else made, broken)  # type: ignore[union-attr, arg-type]


both("narrow_copy", "input dim start length", _narrow_copy)


def _sum_to_size(given: Given, x: Tensor, shape: Shape) -> Answer:
    sizes = given.dims("size")
    if sizes is None or None in sizes:
        return Tensor(None, None, x.dtype, x.device)
    return laid_out(x, [size for size in sizes if size is not None], None)


method("sum_to_size", "input *size", of_tensor(_sum_to_size))


def _new_tensor(given: Given) -> Answer:
    x = given["self"]
    if not isinstance(x, Tensor):
        return Tensor()
    shape, _ = contents(given, given["data"])
    return made_for(given, x, shape, asked_dtype(given, x.dtype))


method("new_tensor", f"self data {OPTIONS}", _new_tensor, grad="leaf")


def _frexp(given: Given, x: Tensor, shape: Shape) -> Answer:
    mantissa = flat(x)
    exponent = Tensor(mantissa.shape, mantissa.strides, "int32", x.device)
    return Items((mantissa, exponent), "frexp", ("mantissa", "exponent"))


both("frexp", "input", of_tensor(_frexp))


def _covariance(given: Given, x: Tensor, shape: Shape) -> Answer:
    """(variables, observations) -> (variables, variables)."""
    if len(shape) > 2:
        return refused(Broken("rank", "input", wanted="2-d or less", got=f"{len(shape)}-d", because=x))
    if len(shape) < 2 or shape[0].number == 1:
        return Tensor((), (), None if x.dtype is None or category(x.dtype) < 2 else x.dtype, x.device)
    dtype = default_dtype(given) if x.dtype is not None and category(x.dtype) < 2 else x.dtype
    return Tensor((shape[0], shape[0]), None, dtype if x.dtype in ("float32", "float64") else None, x.device)


both("cov", "input correction fweights aweights", of_tensor(_covariance))
both("corrcoef", "input", of_tensor(_covariance))


def _histogram(given: Given, x: Tensor, shape: Shape) -> Answer:
    bins = given.dim("bins")
    size = given.fresh("bins") if bins is None else bins
    counts = Tensor((size,), None, x.dtype, x.device)
    return Items((counts, Tensor((size + 1,), None, x.dtype, x.device)), "histogram", ("hist", "bin_edges"))


both("histogram", "input bins range weight density", of_tensor(_histogram), grad="cut")


def _trapezoid(given: Given) -> Answer:
    y = given["y"]
    if not isinstance(y, Tensor) or not y.shape:
        return Tensor()
    axis = axis_of(given, "dim", len(y.shape), -1)
    if isinstance(axis, Broken):
        return refused(axis)
    if axis is None or "x" in given:
        return Tensor(None, None, None, y.device)
    shape = (*y.shape[:axis], *y.shape[axis + 1 :])
    return Tensor(shape, None, y.dtype if y.dtype and category(y.dtype) > 1 else None, y.device)


function("torch.trapezoid", "y x dx dim", _trapezoid, "torch.trapz")


def _combinations(given: Given, x: Tensor, shape: Shape) -> Answer:
    if len(shape) != 1:
        return refused(Broken("rank", "input", wanted="1-d", got=f"{len(shape)}-d", because=x))
    size = given.dim("r", 2)
    return laid_out(x, (given.fresh("combinations"), given.fresh("r") if size is None else size), None)


function("torch.combinations", "input r with_replacement", of_tensor(_combinations))


def _broadcast_shapes(given: Given) -> Answer:

    parts = [given.sizes_of(part) for part in given.list("shapes") or ()]
    if not parts or any(part is None or None in part for part in parts):
        return ANY
    shapes = [tuple(size for size in part or () if size is not None) for part in parts]
    shape, clash = broadcast(shapes)
    if clash is not None:
        at, wanted, got = clash
        return Outcome(ANY, (Broken("broadcast", "shapes", str(at), wanted, got),))
    return Items(tuple(map(Num, shape)), "size")


function("torch.broadcast_shapes", "*shapes", _broadcast_shapes, grad="cut")


def _result_type(given: Given) -> Answer:

    all_ = together(given, ("tensor1", "tensor2"))
    return ANY if all_.dtype is None else Dtype(all_.dtype)


function("torch.result_type", "tensor1 tensor2", _result_type, grad="cut")


def _promote_types(given: Given) -> Answer:

    one, other = dtype_named(given["type1"]), dtype_named(given["type2"])
    found = None if one is None or other is None else promote(one, other)
    return ANY if found is None else Dtype(found)


function("torch.promote_types", "type1 type2", _promote_types, grad="cut")

# Sparse and other layouts: only what is certain of them all.
for _name in ("to_sparse", "to_sparse_csr", "to_sparse_csc", "to_sparse_coo", "to_sparse_bsr", "to_mkldnn"):
    method(_name, "input *arguments", of_tensor(lambda given, x, shape: laid_out(x, shape, None)))
method("to_dense", "input dtype", of_tensor(lambda given, x, shape: Tensor(x.shape, None, None, x.device)))
method("coalesce", "input", of_tensor(lambda given, x, shape: laid_out(x, shape, None)))
for _name in ("indices", "values", "crow_indices", "col_indices"):
    method(_name, "input", lambda given: Tensor())
for _name in (
    "is_coalesced",
    "is_conj",
    "is_neg",
    "is_pinned",
    "is_shared",
    "is_inference",
    "is_same_size",
    "is_set_to",
):
    method(_name, "input other", lambda given: Some("bool"), grad="cut")
for _name in ("storage_offset", "sparse_dim", "dense_dim"):
    method(_name, "input", lambda given: Some("int"), grad="cut")
for _name in ("storage", "untyped_storage", "storage_type"):
    method(_name, "input", lambda given: ANY, grad="cut")


def _is_nonzero(given: Given) -> Answer:
    x = given["input"]
    if isinstance(x, Tensor) and x.shape is not None and numel(x.shape).number not in (None, 1):
        return Outcome(
            Some("bool"), (Broken("one-element", "input", wanted=1, got=numel(x.shape), because=x),)
        )
    return Some("bool", x.id if isinstance(x, Tensor) else None)


both("is_nonzero", "input", _is_nonzero, grad="cut", tags="sync")
method("rename", "input *names", of_tensor(lambda given, x, shape: copied(x)))
