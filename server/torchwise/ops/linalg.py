"""torch.linalg: determinants, inverses, factorizations and solutions of batches of matrices (*b, m, n)."""

from __future__ import annotations

from collections.abc import Callable

from torchwise.domain.dim import Dim
from torchwise.domain.dtype import category, complex_of, real_part
from torchwise.domain.shape import contiguous_strides, differ
from torchwise.domain.value import Const, Items, Shape, Tensor, Value
from torchwise.ops.axes import agreed
from torchwise.ops.axis_arguments import axes_of, flag, is_none
from torchwise.ops.matmul import matmul_shape
from torchwise.ops.operands import together
from torchwise.ops.rows import Answer, function
from torchwise.ops.spec import Broken, Given, Outcome, Returns, op
from torchwise.ops.views import refused

Shapes = Callable[[Given, Shape], tuple[tuple[Shape | None, str], ...]]
REAL, COMPLEX, SAME, INDEX = "real", "complex", "same", "int32"


def dtype_of(dtype: str | None, kind: str) -> str | None:
    if dtype is None or kind == SAME:
        return dtype
    return real_part(dtype) if kind == REAL else complex_of(dtype) if kind == COMPLEX else kind


def matrices(shapes: Shapes, square: bool, kind: str = "", names: tuple[str, ...] = ()) -> Returns:
    """Of matrices (*b, m, n), square ones where it says so. `shapes`: the results, and what their dtype is.

    Where a result is a matrix its strides are those of the libraries behind torch, and stay unknown.
    """

    def returns(given: Given) -> Answer:
        a = given["A"]
        if not isinstance(a, Tensor):
            return Tensor()
        broken = _requirements(a, square)
        known = a.shape is not None and not broken
        results = shapes(given, a.shape) if known and a.shape is not None else shapes(given, (Dim.of(2),) * 2)
        made: list[Value] = []
        for shape, of in results:
            found = shape if known else None
            strides = contiguous_strides(found) if found is not None and len(found) < 2 else None
            made.append(Tensor(found, strides, dtype_of(a.dtype, of), a.device))
        result = made[0] if len(made) == 1 and not kind else Items(tuple(made), kind or "tuple", names)
        return Outcome(result, broken)

    return returns


def _requirements(a: Tensor, square: bool) -> tuple[Broken, ...]:
    broken: tuple[Broken, ...] = ()
    if a.dtype is not None and category(a.dtype) < 2:
        broken += (Broken("dtype", "A", wanted="floating point or complex", got=a.dtype, because=a),)
    if a.shape is not None and len(a.shape) < 2:
        broken += (Broken("rank", "A", wanted="2-d or more", got=f"{len(a.shape)}-d", because=a),)
    elif a.shape is not None and square and a.shape[-1].same_as(a.shape[-2]).fails:
        broken += (Broken("axis", "A", "-1", a.shape[-2], a.shape[-1], a),)
    return broken


def _like(given: Given, s: Shape) -> tuple[tuple[Shape | None, str], ...]:
    return ((s, SAME),)


def _batch(given: Given, s: Shape) -> tuple[tuple[Shape | None, str], ...]:
    return ((s[:-2], SAME),)


def _smaller(given: Given, m: Dim, n: Dim) -> Dim:
    if m.number is not None and n.number is not None:
        return Dim.of(min(m.number, n.number))
    return m if m == n else given.fresh("min")


def _svd(given: Given, s: Shape) -> tuple[tuple[Shape | None, str], ...]:
    k = _smaller(given, s[-2], s[-1])
    full = flag(given, "full_matrices", True)
    if full is None:
        return (None, SAME), ((*s[:-2], k), REAL), (None, SAME)
    left, right = (s[-2], s[-1]) if full else (k, k)
    return ((*s[:-1], left), SAME), ((*s[:-2], k), REAL), ((*s[:-2], right, s[-1]), SAME)


def _old_svd(given: Given, s: Shape) -> tuple[tuple[Shape | None, str], ...]:
    """torch.svd has V where torch.linalg.svd has its transpose, and is reduced by default."""
    k = _smaller(given, s[-2], s[-1])
    if flag(given, "some", True) is not True:
        return (None, SAME), ((*s[:-2], k), REAL), (None, SAME)
    return ((*s[:-1], k), SAME), ((*s[:-2], k), REAL), ((*s[:-2], s[-1], k), SAME)


def _qr(given: Given, s: Shape) -> tuple[tuple[Shape | None, str], ...]:
    mode = given.const("mode", "reduced")
    if mode not in ("reduced", "complete"):
        return (None, SAME), (None, SAME)
    k = _smaller(given, s[-2], s[-1]) if mode == "reduced" else s[-2]
    return ((*s[:-1], k), SAME), ((*s[:-2], k, s[-1]), SAME)


# names; shapes of the results; square only; kind and names of a named tuple; kept for backward
ROWS: tuple[tuple[str, Shapes, bool, str, tuple[str, ...], str], ...] = (
    ("torch.linalg.det torch.det Tensor.det", _batch, True, "", (), "A result"),
    ("torch.logdet Tensor.logdet", _batch, True, "", (), "A"),
    ("torch.linalg.inv torch.inverse Tensor.inverse torch.linalg.inverse", _like, True, "", (), "result"),
    ("torch.linalg.cholesky torch.cholesky Tensor.cholesky", _like, True, "", (), "result"),
    ("torch.linalg.matrix_exp torch.matrix_exp Tensor.matrix_exp", _like, True, "", (), "A"),
    ("torch.linalg.eigvals", lambda g, s: ((s[:-1], COMPLEX),), True, "", (), "A"),
    ("torch.linalg.eigvalsh", lambda g, s: ((s[:-1], REAL),), True, "", (), ""),
    (
        *("torch.linalg.eig", lambda g, s: ((s[:-1], COMPLEX), (s, COMPLEX)), True),
        *("linalg_eig", ("eigenvalues", "eigenvectors"), "result"),
    ),
    (
        *("torch.linalg.eigh", lambda g, s: ((s[:-1], REAL), (s, SAME)), True),
        *("linalg_eigh", ("eigenvalues", "eigenvectors"), "result"),
    ),
    (
        *(
            "torch.linalg.slogdet torch.slogdet Tensor.slogdet",
            lambda g, s: ((s[:-2], SAME), (s[:-2], REAL)),
            True,
        ),
        *("linalg_slogdet", ("sign", "logabsdet"), "A"),
    ),
    (
        "torch.linalg.svdvals",
        lambda g, s: (((*s[:-2], _smaller(g, s[-2], s[-1])), REAL),),
        *(False, "", (), ""),
    ),
    ("torch.linalg.svd", _svd, False, "linalg_svd", ("U", "S", "Vh"), "result"),
    ("torch.svd Tensor.svd", _old_svd, False, "svd", ("U", "S", "V"), "result"),
    ("torch.linalg.qr torch.qr Tensor.qr", _qr, False, "linalg_qr", ("Q", "R"), "result"),
    (
        *(
            "torch.linalg.pinv torch.pinverse Tensor.pinverse",
            lambda g, s: (((*s[:-2], s[-1], s[-2]), SAME),),
        ),
        *(False, "", (), "A result"),
    ),
)
MORE_ARGUMENTS = {
    "svd": "full_matrices driver",
    "qr": "mode",
    "pinv": "rtol hermitian",
    "cholesky": "upper",
    "eigh": "UPLO",
    "eigvalsh": "UPLO",
}
for _names, _shapes, _square, _kind, _fields, _saves in ROWS:
    _first = _names.split()[0]
    _last = _first.rpartition(".")[2]
    _more = "some compute_uv" if _first == "torch.svd" else MORE_ARGUMENTS.get(_last, "")
    op(
        *_names.split(),
        params=f"A {_more}",
        returns=matrices(_shapes, _square, _kind, _fields),
        saves="" if _fields else _saves,
        source=f"generated/{_first}.html",
    )


def _solve(given: Given) -> Answer:
    """A x = b for (*b, n, n) and (*b, n, k), or for vectors (*b, n)."""
    a, b = given["A"], given["B"]
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return Tensor()
    broken = _requirements(a, square=True)
    dtype, device, clash = agreed(given, [("A", a), ("B", b)])
    if broken or clash or a.shape is None or b.shape is None or not b.shape:
        return Outcome(Tensor(None, None, dtype, device), broken + clash)
    vector = len(b.shape) == 1 or (len(b.shape) == len(a.shape) - 1 and b.shape == a.shape[:-1])
    if vector:
        if differ(b.shape[-1], a.shape[-1]):
            return refused(Broken("axis", "B", "-1", a.shape[-1], b.shape[-1], a))
        return Tensor((*a.shape[:-2], a.shape[-1]) if len(b.shape) == 1 else b.shape, None, dtype, device)
    if len(b.shape) < 2 or not given.const("left", True):
        return Tensor(None, None, dtype, device)
    shape, apart = matmul_shape(a, b, "B")
    return Outcome(Tensor(shape, None, dtype, device), apart)


function("torch.linalg.solve", "A B left", _solve)


def _matrix_power(given: Given) -> Answer:
    a = given["A"]
    if not isinstance(a, Tensor) or a.shape is None:
        return Tensor(dtype=a.dtype if isinstance(a, Tensor) else None)
    if len(a.shape) < 2:
        return refused(Broken("rank", "A", wanted="2-d or more", got=f"{len(a.shape)}-d", because=a))
    if a.shape[-1].same_as(a.shape[-2]).fails:
        return refused(Broken("axis", "A", "-1", a.shape[-2], a.shape[-1], a))
    return Tensor(a.shape, None, a.dtype, a.device)


function(
    "torch.linalg.matrix_power", "A n", _matrix_power, "torch.matrix_power", "Tensor.matrix_power", saves="A"
)


def _matrix_norm(given: Given) -> Answer:
    """The last two axes are measured away."""
    a = given["A"]
    if not isinstance(a, Tensor):
        return Tensor()
    broken = _requirements(a, square=False)
    dtype = None if a.dtype is None else real_part(a.dtype)
    if a.shape is None or broken or not is_none(given, "dtype"):
        return Outcome(Tensor(None, None, None, a.device), broken)
    axes = (
        (len(a.shape) - 2, len(a.shape) - 1) if is_none(given, "dim") else axes_of(given, "dim", len(a.shape))
    )
    keepdim = flag(given, "keepdim")
    if isinstance(axes, Broken):
        return refused(axes)
    if axes is None or keepdim is None:
        return Tensor(None, None, dtype, a.device)
    one = Dim.of(1)
    shape = tuple(one if i in axes else size for i, size in enumerate(a.shape) if keepdim or i not in axes)
    return Tensor(shape, contiguous_strides(shape), dtype, a.device)


function("torch.linalg.matrix_norm", "A ord dim keepdim dtype", _matrix_norm)
function("torch.linalg.cond", "A p", lambda given: _of_batch(given, REAL))
function("torch.linalg.matrix_rank", "A tol hermitian", lambda given: _of_batch(given, "int64"), grad="cut")


def _of_batch(given: Given, kind: str) -> Answer:
    """One number for each matrix."""
    return matrices(lambda given, s: ((s[:-2], kind),), False)(given)


def _trace(given: Given) -> Answer:
    a = given["A"]
    if not isinstance(a, Tensor):
        return Tensor()
    if a.shape is not None and len(a.shape) != 2:
        return refused(Broken("rank", "A", wanted="2-d", got=f"{len(a.shape)}-d", because=a))
    dtype = None if a.dtype is None else "int64" if category(a.dtype) < 2 else a.dtype
    return Tensor((), (), dtype, a.device)


function("torch.trace", "A", _trace, "Tensor.trace")


def _vecdot(given: Given) -> Answer:

    all_ = together(given, ("x", "y"))
    shape = (
        None if not all_.shape or not isinstance(given.get("dim", Const(None)), Const) else all_.shape[:-1]
    )
    strides = None if shape is None else contiguous_strides(shape)
    return Outcome(Tensor(shape, strides, all_.dtype, all_.device), all_.broken)


function("torch.linalg.vecdot", "x y dim", _vecdot)
