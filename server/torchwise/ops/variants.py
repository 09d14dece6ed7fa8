"""Operators that are others in a special form: hsplit, unsafe_split, `..._copy` for a view, multi_dot."""

from __future__ import annotations

from dataclasses import replace

from torchwise.domain.dim import Dim
from torchwise.domain.value import Items, Many, Num, Shape, Tensor, Value
from torchwise.ops.axis_arguments import sizes_of
from torchwise.ops.creation import OPTIONS, asked_dtype, made
from torchwise.ops.joining import tensors_of
from torchwise.ops.matmul import matmul_shape, product_dtype
from torchwise.ops.operands import default_dtype
from torchwise.ops.pointwise import row
from torchwise.ops.rows import Answer, both, function, result_and_broken
from torchwise.ops.spec import OPS, Broken, Given, Outcome, Returns, op
from torchwise.ops.views import refused


def asked(path: str, given: Given, **values: Value) -> Answer:
    """The answer of another row."""
    return OPS[path].returns(Given(values, given.heap, (), given.defaults, given.regions, given.site))


def _split_along(axis: int, least: int) -> Returns:
    """hsplit splits the second axis (the first of a vector), vsplit the first, dsplit the third."""

    def returns(given: Given) -> Answer:
        x, value = given["input"], given["indices_or_sections"]
        if not isinstance(x, Tensor):
            return Many(Tensor(), "tuple")
        if x.shape is None:
            return Many(Tensor(None, None, x.dtype, x.device), "tuple")
        if len(x.shape) < least:
            return refused(
                Broken("rank", "input", wanted=f"{least}-d or more", got=f"{len(x.shape)}-d", because=x)
            )
        at = 0 if axis == 1 and len(x.shape) == 1 else axis
        if isinstance(value, Num) and value.dim.divides(x.shape[at]).fails:
            return refused(Broken("axis", "input", str(at), f"a multiple of {value.dim}", x.shape[at], x))
        where = {"indices_or_sections": value} if "indices_or_sections" in given else {}
        return asked("torch.tensor_split", given, input=x, dim=Num(Dim.of(at)), **where)

    return returns


for _name, _axis, _least in (("hsplit", 1, 1), ("vsplit", 0, 2), ("dsplit", 2, 3)):
    both(_name, "input indices_or_sections", _split_along(_axis, _least), view="input")
for _name, _params in (
    ("chunk", "input chunks dim"),
    ("split", "input split_size_or_sections dim"),
    ("split_with_sizes", "input split_size_or_sections dim"),
):
    _path = f"torch.{_name}"
    op(
        f"torch.unsafe_{_name}",
        f"Tensor.unsafe_{_name}",
        params=_params,
        returns=OPS[_path].returns,
        source="torch.html",
    )


def _copied(path: str) -> Returns:
    """What the view would be, in memory of its own."""

    def returns(given: Given) -> Answer:
        found, broken = result_and_broken(OPS[path].returns(given))
        if isinstance(found, Tensor):
            return Outcome(replace(found, strides=None, storage=None, id=None), broken)
        if isinstance(found, Items):
            parts = [replace(p, strides=None) if isinstance(p, Tensor) else p for p in found.items]
            return Outcome(Items(tuple(parts)), broken)
        if isinstance(found, Many) and isinstance(found.each, Tensor):
            return Outcome(Many(replace(found.each, strides=None), found.kind), broken)
        return Outcome(found, broken)

    return returns


for _path in (
    *(
        "torch.diagonal",
        "Tensor.expand",
        "torch.permute",
        "torch.select",
        "torch.split",
        "torch.squeeze",
        "torch.t",
    ),
    *(
        "torch.split_with_sizes",
        "torch.transpose",
        "torch.unbind",
        "Tensor.unfold",
        "torch.unsqueeze",
        "Tensor.view",
    ),
    *("torch.as_strided", "torch.view_as_real", "torch.view_as_complex"),
):
    _row, _last = OPS[_path], _path.rpartition(".")[2]
    _params = " ".join(f"*{name}" if name == _row.star else name for name in _row.params)
    op(f"torch.{_last}_copy", params=_params, returns=_copied(_path), source="torch.html")


def _chain(given: Given) -> Answer:
    """A chain of matrices; at its ends there may be vectors."""
    name = "tensors" if "tensors" in given else "matrices"
    tensors, _ = tensors_of(given, name)
    if not tensors:
        return Tensor()
    found, broken = tensors[0], ()
    dtype = found.dtype
    for x in tensors[1:]:
        shape, clash = matmul_shape(found, x, name)
        dtype, apart = product_dtype(given, tensors[0], x, name)
        if clash or apart:
            return refused(*clash, *apart)
        found = Tensor(shape, None, dtype, found.device if found.device == x.device else None)
    return Outcome(Tensor(found.shape, None, dtype, found.device), broken)


function("torch.linalg.multi_dot", "tensors", _chain)
op("torch.chain_matmul", params="*matrices", returns=_chain, source="generated/torch.chain_matmul.html")


def _solve_triangular(given: Given) -> Answer:
    """A x = B, or x A = B with left=False: of the shape of B, with the batches of both."""
    a, b = given["A"], given["B"]
    if not isinstance(a, Tensor) or not isinstance(b, Tensor) or given.const("left", True) is not True:
        return Tensor()
    shape, broken = matmul_shape(a, b, "B") if b.shape is None or len(b.shape) > 1 else (None, ())
    return Outcome(Tensor(shape, None, b.dtype if a.dtype == b.dtype else None, b.device), broken)


function("torch.linalg.solve_triangular", "A B upper left unitriangular", _solve_triangular)


def _empty_strided(given: Given) -> Answer:
    shape, strides = sizes_of(given, "size"), given.dims("stride")
    found = made(given, shape, asked_dtype(given, default_dtype(given)))
    known: Shape | None = None
    if strides is not None and None not in strides:
        known = tuple(step for step in strides if step is not None)
    return replace(found, strides=known)


function("torch.empty_strided", f"size stride {OPTIONS}", _empty_strided, grad="leaf")


def _sparse(given: Given) -> Answer:
    """Of the size that is asked for; without one it depends on the indices."""
    values = given["values"]
    dtype = asked_dtype(given, values.dtype if isinstance(values, Tensor) else None)
    return replace(made(given, sizes_of(given, "size"), dtype, None), strides=None)


for _name, _params in (
    ("sparse_coo_tensor", "indices values size"),
    ("sparse_csr_tensor", "crow_indices col_indices values size"),
    ("sparse_csc_tensor", "ccol_indices row_indices values size"),
    ("sparse_bsr_tensor", "crow_indices col_indices values size"),
    ("sparse_bsc_tensor", "ccol_indices row_indices values size"),
    ("sparse_compressed_tensor", "compressed_indices plain_indices values size"),
):
    function(f"torch.{_name}", f"{_params} {OPTIONS}", _sparse, grad="leaf")
for _name in (
    *("chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w"),
    *("hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"),
    *("shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u"),
    *("shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w"),
):
    row(f"torch.special.{_name}", "input n", "float", "", "c", operands="input n", inplace=False, grad="cut")
