"""Views, pieces, indexing, joining, reductions and products agree with torch, whatever they are called with."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ops.draw import Draw
from tests.ops.judge import judge

Arguments = tuple[list[Any], dict[str, Any]]
CALLS: dict[str, tuple[Callable[[Draw], Arguments], dict[str, bool]]] = {}


def calls(
    *paths: str, partial: bool = False, lenient: bool = False, symbols: bool = True
) -> Callable[[Any], Any]:
    """Says how to draw the arguments of these spellings. `partial`, `lenient`: see `judge`."""

    def note(draw: Callable[[Draw], Arguments]) -> Callable[[Draw], Arguments]:
        for path in paths:
            assert path not in CALLS, f"{path} is drawn twice"
            CALLS[path] = draw, {"partial": partial, "lenient": lenient, "symbols": symbols}
        return draw

    return note


def both(*names: str) -> list[str]:
    return [f"{home}.{name}" for name in names for home in ("torch", "Tensor")]


def factored(r: Draw, total: int) -> list[int]:
    """Sizes that multiply to a number of elements, rarely not quite."""
    out = []
    while total > 1 and r.maybe(0.8):
        factor = r.choice([f for f in range(2, total + 1) if total % f == 0])
        out.append(factor)
        total //= factor
    out += [total] if total != 1 or r.maybe(0.3) else []
    if r.maybe(0.3):
        out.insert(r.randint(0, len(out)), 1)
    if out and r.maybe(0.4):
        out[r.randrange(len(out))] = -1
    if out and r.maybe(0.05):
        out[r.randrange(len(out))] += 1
    return out


@calls("Tensor.view", *both("reshape"))
def _(r):
    x = r.tensor()
    sizes = factored(r, x.real.numel())
    return ([x, tuple(sizes)], {}) if r.maybe(0.5) or not sizes else ([x, *sizes], {})


CALLS["torch.reshape"] = (
    (lambda r: ([x := r.tensor(), tuple(factored(r, x.real.numel()))], {})),
    CALLS["Tensor.view"][1],
)


@calls("Tensor.view_as", "Tensor.reshape_as", "Tensor.expand_as", "Tensor.type_as", lenient=False)
def _(r):
    x = r.tensor()
    other = r.tensor(
        r.stretched(x.real.shape) if r.maybe(0.5) else x.real.shape[::-1],
        r.choice((torch.float32, torch.int64)),
    )
    return [x, other], {}


@calls(*both("flatten"))
def _(r):
    x = r.tensor()
    rank = x.real.dim()
    return [x, *[r.axis(rank) for _ in range(r.randint(0, 2))]], {}


@calls(*both("ravel", "t", "adjoint", "clone", "detach", "squeeze", "tril", "triu", "msort", "numel"))
def _(r):
    return [r.tensor()], {}


@calls(
    "Tensor.contiguous",
    "Tensor.dim",
    "Tensor.stride",
    "Tensor.size",
    "Tensor.is_contiguous",
    "Tensor.nelement",
)
def _(r):
    return [r.tensor()], {}


@calls(*both("unflatten"))
def _(r):
    x = r.tensor(r.shape(1, 3))
    axis = r.axis(x.real.dim())
    size = x.real.shape[axis] if -x.real.dim() <= axis < x.real.dim() else 2
    return [x, axis, tuple(factored(r, size) or [1])], {}


@calls(*both("transpose", "swapaxes", "swapdims"))
def _(r):
    x = r.tensor()
    return [x, r.axis(x.real.dim()), r.axis(x.real.dim())], {}


@calls(*both("permute"))
def _(r):
    x = r.tensor()
    rank = x.real.dim()
    return [x, tuple(r.sample(range(rank), rank)) if r.maybe(0.8) else r.axes(rank)], {}


@calls(*both("movedim", "moveaxis"))
def _(r):
    x = r.tensor()
    rank = x.real.dim()
    if r.maybe(0.5):
        return [x, r.axis(rank), r.axis(rank)], {}
    count = r.randint(0, rank)
    pair = [tuple(r.sample(range(rank), count)) for _ in range(2)]
    return [x, *pair], {}


@calls("torch.squeeze.dim", "Tensor.squeeze.dim")
def _(r):
    x = r.tensor(tuple(r.choice((1, 1, 2, 3)) for _ in range(r.randint(0, 4))))
    rank = x.real.dim()
    return [x], {"dim": r.axis(rank) if r.maybe(0.6) else r.axes(rank)}


@calls(*both("unsqueeze"))
def _(r):
    x = r.tensor()
    return [x, r.axis(x.real.dim() + 1)], {}


@calls("Tensor.expand", "torch.broadcast_to", "Tensor.broadcast_to")
def _(r):
    shape = r.shape()
    x = r.tensor(r.stretched(shape))
    sizes = tuple(-1 if r.maybe(0.2) else size for size in shape)
    return [x, sizes], {}


@calls(*both("select"))
def _(r):
    x = r.tensor()
    return [x, r.axis(x.real.dim()), r.randint(-3, 3)], {}


@calls(*both("narrow"))
def _(r):
    x = r.tensor()
    return [x, r.axis(x.real.dim()), r.randint(-2, 2), r.randint(0, 3)], {}


@calls(*both("split"))
def _(r):
    x = r.tensor()
    rank = x.real.dim()
    axis = r.axis(rank)
    if r.maybe(0.5) or not -rank <= axis < rank:
        return [x, r.randint(1, 4)], {"dim": axis}
    size = x.real.shape[axis]
    first = r.randint(0, size)
    return [x, [first, size - first + (r.maybe(0.1))]], {"dim": axis}


@calls(*both("chunk"), symbols=False)  # of long enough axes as many chunks come as are asked for
@calls(*both("tensor_split"))
def _(r):
    x = r.tensor()
    return [x, r.randint(0 if r.maybe(0.1) else 1, 4)], {"dim": r.axis(x.real.dim())}


@calls(*both("tensor_split.at"))
def _(r):
    x = r.tensor()
    return [x, tuple(r.randint(-3, 5) for _ in range(r.randint(0, 3)))], {"dim": r.axis(x.real.dim())}


@calls(*both("unbind"))
def _(r):
    x = r.tensor()
    return [x, r.axis(x.real.dim())], {}


@calls("Tensor.unfold")
def _(r):
    x = r.tensor()
    return [x, r.axis(x.real.dim()), r.randint(0, 4), r.randint(0 if r.maybe(0.1) else 1, 3)], {}


@calls(*both("diagonal"))
def _(r):
    x = r.tensor(r.shape(2, 4))
    rank = x.real.dim()
    return [x, r.randint(-2, 2), r.axis(rank), r.axis(rank)], {}


@calls(*both("flip", "roll.dims", "rot90.dims"))
def _(r):
    x = r.tensor()
    return [x], {"dims": r.axes(x.real.dim())}


CALLS.pop("torch.rot90.dims"), CALLS.pop("Tensor.rot90.dims")
for path in both("roll.dims"):
    CALLS[path] = (
        lambda r: ([x := r.tensor()], {"shifts": (1,) * len(a := r.axes(x.real.dim())), "dims": a}),
        {"partial": False, "lenient": False},
    )


@calls("Tensor.repeat", *both("tile"))
def _(r):
    x = r.tensor()
    return [x, tuple(r.randint(0, 3) for _ in range(x.real.dim() + r.randint(-1, 2)))], {}


@calls(*both("repeat_interleave"), lenient=True)
def _(r):
    x = r.tensor()
    return [x, r.randint(0, 3)], {"dim": r.axis(x.real.dim())} if r.maybe(0.6) else {}


@calls(*both("diag"))
def _(r):
    return [r.tensor(r.shape(0, 3)), r.randint(-2, 2)], {}


def alike(r: Draw, shape: tuple[int, ...]) -> Any:
    dtype = torch.float32 if r.maybe(0.8) else r.dtype()
    return r.tensor(shape, dtype)


@calls("torch.cat", "torch.concat", "torch.concatenate")
def _(r):
    shape = r.shape(0 if r.maybe(0.05) else 1, 4)
    axis = r.axis(len(shape))
    parts = []
    for _ in range(r.randint(0 if r.maybe(0.05) else 1, 3)):
        sizes = list(shape)
        if -len(sizes) <= axis < len(sizes):
            sizes[axis] = r.size()
        if r.maybe(0.05) and sizes:
            sizes[r.randrange(len(sizes))] += 1
        parts.append(alike(r, (0,) if r.maybe(0.05) else tuple(sizes)))
    return [parts if r.maybe(0.5) else tuple(parts), axis], {}


@calls("torch.stack")
def _(r):
    shape = r.shape(0, 3)
    parts = [
        alike(r, shape if r.maybe(0.95) else r.shape(0, 3))
        for _ in range(r.randint(0 if r.maybe(0.05) else 1, 3))
    ]
    return [parts, r.axis(len(shape) + 1)], {}


@calls("torch.hstack", "torch.vstack", "torch.dstack", "torch.column_stack", "torch.row_stack")
def _(r):
    shape = r.shape(0, 3)
    return [[alike(r, shape) for _ in range(r.randint(1, 3))]], {}


@calls("torch.atleast_1d", "torch.atleast_2d", "torch.atleast_3d")
def _(r):
    return [r.tensor(r.shape(0, 3))], {}


@calls("torch.meshgrid", "torch.cartesian_prod")
def _(r):
    return [r.tensor(r.shape(1, 1)) for _ in range(r.randint(1, 3))], {}


@calls("torch.broadcast_tensors")
def _(r):
    shape = r.shape()
    return [r.tensor(r.stretched(shape)) for _ in range(r.randint(1, 3))], {}


# Reductions


@calls(*both("sum", "nansum", "mean", "nanmean", "amax", "amin", "all", "any", "std", "var"))
def _(r):
    x = r.tensor(dtype=None)
    rank = x.real.dim()
    named: dict[str, Any] = {}
    if r.maybe(0.8):
        named["dim"] = r.axis(rank) if r.maybe(0.5) else r.axes(rank)
        if r.maybe(0.5):
            named["keepdim"] = r.maybe(0.5)
    return [x], named


@calls(*both("logsumexp", "count_nonzero"))
def _(r):
    x = r.tensor(dtype=None)
    return [x, r.axis(x.real.dim()) if r.maybe(0.5) else r.axes(x.real.dim()) or 0], {}


@calls(*both("cummax", "cummin"), lenient=True)
def _(r):
    x = r.tensor(dtype=None)
    return [x, r.axis(x.real.dim())], {}


CALLS_WITH_DIM = both(
    "prod", "argmax", "argmin", "max", "min", "median", "nanmedian", "mode", "kthvalue", "cumsum", "cumprod"
)


@calls(*CALLS_WITH_DIM, *both("logcumsumexp", "sort", "argsort", "softmax", "log_softmax"))
def _(r):
    x = r.tensor(dtype=None)
    return [x], {"dim": r.axis(x.real.dim())} | ({} if r.maybe(0.5) else {})


for path in both("kthvalue"):
    CALLS[path] = (
        (lambda r: ([x := r.tensor(r.shape(1, 3)), 1], {"dim": r.axis(x.real.dim())})),
        {"partial": False, "lenient": True},
    )


@calls(
    *[f"{path}.all" for path in both("prod", "argmax", "argmin", "max", "min", "median", "nanmedian", "mode")]
)
def _(r):
    return [r.tensor(dtype=None)], {}


@calls(*[f"{path}.other" for path in both("max", "min")])
def _(r):
    shape = r.shape()
    return [r.tensor(shape, r.dtype()), r.tensor(r.stretched(shape), r.dtype())], {}


@calls("torch.std_mean", "torch.var_mean", "torch.aminmax")
def _(r):
    x = r.tensor()
    return [x], {"dim": r.axis(x.real.dim())}


@calls("torch.linalg.vector_norm")
def _(r):
    x = r.tensor(dtype=None)
    return [x], {"dim": r.axes(x.real.dim())} if r.maybe(0.7) else {}


@calls(*both("norm"))
def _(r):
    x = r.tensor()
    return [x], {"dim": r.axes(x.real.dim(), 2), "p": 2} if r.maybe(0.7) else {}


@calls(*both("topk"))
def _(r):
    x = r.tensor(r.shape(0, 3), r.choice((torch.float32, torch.int64)))
    return [x, r.randint(0, 3)], {"dim": r.axis(x.real.dim())} if r.maybe(0.5) else {}


@calls(*both("quantile"), lenient=True)
def _(r):
    x = r.tensor(r.shape(1, 3))
    q = 0.5 if r.maybe(0.5) else r.tensor((2,))
    return [x, q], {"dim": r.axis(x.real.dim()), "keepdim": r.maybe(0.5)}


@calls(*both("diff"), lenient=True)
def _(r):
    x = r.tensor(r.shape(0, 3))
    return [x, r.randint(1, 2)], {"dim": r.axis(x.real.dim())}


# Indices


@calls(*both("gather"), lenient=True)
def _(r):
    x = r.tensor(r.shape(0, 3), torch.float32)
    rank = x.real.dim()
    axis = r.axis(rank)
    sizes = [r.randint(0, size) if r.maybe(0.3) else size for size in x.real.shape]
    if -rank <= axis < rank:
        sizes[axis] = r.size()
    if r.maybe(0.1):
        sizes = list(r.shape(0, 3))
    dtype = torch.int64 if r.maybe(0.9) else torch.float32
    index = r.tensor(tuple(sizes), dtype) if dtype == torch.float32 else r.index(tuple(sizes), 1)
    return [x, axis, index], {}


@calls(*both("index_select"))
def _(r):
    x = r.tensor(r.shape(0, 3))
    return [x, r.axis(x.real.dim()), r.index(r.shape(0, 2) if r.maybe(0.2) else (r.size(),), 1)], {}


for path in both("index_select"):
    CALLS[path][1]["lenient"] = True


@calls(*both("scatter", "scatter_add"), "Tensor.scatter_", "Tensor.scatter_add_")
def _(r):
    x = r.tensor(r.shape(0, 3), torch.float32)
    index = r.index(x.real.shape if r.maybe(0.8) else r.shape(0, 3), 1)
    source = r.tensor(
        index.real.shape if r.maybe(0.8) else r.shape(0, 3), torch.float32 if r.maybe(0.9) else torch.float64
    )
    return [x, r.axis(x.real.dim()), index, source], {}


@calls(*both("masked_fill"), "Tensor.masked_fill_")
def _(r):
    shape = r.shape()
    mask = r.tensor(r.stretched(shape), torch.bool if r.maybe(0.9) else torch.float32)
    return [r.tensor(shape), mask, r.choice((0.0, 2, float("-inf")))], {}


@calls("torch.where")
def _(r):
    shape = r.shape()
    parts = [2.0 if r.maybe(0.2) else r.tensor(r.stretched(shape), r.dtype()) for _ in range(2)]
    return [r.tensor(r.stretched(shape), torch.bool if r.maybe(0.9) else torch.float32), *parts], {}


@calls(*both("nonzero", "argwhere", "unique"), partial=True)
def _(r):
    return [r.tensor()], {}


@calls(*both("masked_select"), partial=True, lenient=True)
def _(r):
    shape = r.shape()
    return [r.tensor(shape), r.tensor(r.stretched(shape), torch.bool)], {}


@calls("torch.nn.functional.one_hot")
def _(r):
    return [r.index(r.shape(0, 3), 2)], {"num_classes": r.randint(2, 4)}


@calls("operator.getitem")
def _(r):
    x = r.tensor(r.shape(0, 4))
    return [x, an_index(r, x.real)], {}


def an_index(r: Draw, x: torch.Tensor) -> Any:
    left, parts, dotted, masked = list(x.shape), [], False, False
    while len(parts) < 5 and r.maybe(0.75):
        kind = r.randrange(9)
        size = left[0] if left else 0
        if kind == 0:
            parts.append(None)
        elif kind == 1 and not dotted:
            dotted = True
            parts.append(...)
            left = left[r.randint(0, len(left)) :]
            continue
        elif kind in (2, 3):
            ends = [None if r.maybe(0.4) else r.randint(-3, 4) for _ in range(2)]
            parts.append(slice(*ends, r.choice((None, None, 1, 2, -1 if r.maybe(0.1) else 3))))
            left = left[1:]
        elif kind in (4, 5):
            parts.append(r.randint(-2, 2))
            left = left[1:]
        elif kind == 6 and size:
            parts.append(r.index(r.shape(0, 2), size))
            left = left[1:]
        elif kind == 7 and left and not masked:
            masked = True
            width = r.randint(1, min(2, len(left)))
            parts.append(r.tensor(tuple(left[:width]), torch.bool))
            left = left[width:]
        elif kind == 8 and size:
            parts.append([r.randrange(size) for _ in range(r.randint(1, 3))])
            left = left[1:]
    return parts[0] if len(parts) == 1 and r.maybe(0.7) else tuple(parts)


# Products


def matrices(r: Draw, *ranks: int) -> list[Any]:
    n, k, m, b = r.size(), r.size(), r.size(), r.size()
    sizes = {1: [(k,), (k,)], 2: [(n, k), (k, m)], 3: [(b, n, k), (b, k, m)], 4: [(2, b, n, k), (2, b, k, m)]}
    out = []
    for i, rank in enumerate(ranks):
        shape = list(sizes[rank][i])
        if r.maybe(0.06):
            shape[r.randrange(len(shape))] += 1
        out.append(r.tensor(tuple(shape), torch.float32 if r.maybe(0.95) else torch.float64))
    return out


@calls(*both("matmul"), "operator.matmul")
def _(r):
    return matrices(r, r.randint(1, 4), r.randint(1, 4)), {}


for _name, _ranks in (("mm", (2, 2)), ("bmm", (3, 3)), ("mv", (2, 1)), ("dot", (1, 1))):
    calls(*both(_name))(lambda r, ranks=_ranks: (matrices(r, *ranks if r.maybe(0.9) else (2, 3)), {}))


@calls(*both("addmm", "addmm_.no"))
def _(r):
    a, b = matrices(r, 2, 2)
    x = r.tensor(r.stretched((a.real.shape[0], b.real.shape[1])))
    return [x, a, b], {}


@calls(*both("baddbmm"))
def _(r):
    a, b = matrices(r, 3, 3)
    x = r.tensor(r.stretched((a.real.shape[0], a.real.shape[1], b.real.shape[2])))
    return [x, a, b], {}


@calls(*both("outer"))
def _(r):
    return [
        r.tensor(r.shape(1, 1), r.dtype()),
        r.tensor(r.shape(1, 1) if r.maybe(0.9) else r.shape(0, 2), r.dtype()),
    ], {}


@calls("torch.tensordot")
def _(r):
    k, n = r.size(), r.size()
    return [r.tensor((n, k)), r.tensor((k, 3)) if r.maybe(0.9) else r.tensor((n, 2))], {
        "dims": 1 if r.maybe(0.6) else ([1], [0])
    }


EQUATIONS = (
    "ij,jk->ik",
    "bij,bjk->bik",
    "bhid,bhjd->bhij",
    "ij->ji",
    "ii->i",
    "i,j->ij",
    "...ij,...jk->...ik",
    "bij,bjk",
    "ij,ij->",
)


@calls("torch.einsum", lenient=False)
def _(r):
    equation = r.choice(EQUATIONS)
    sizes = {letter: r.size() for letter in "bhijkd"}
    terms = equation.partition("->")[0].split(",")
    operands = []
    for term in terms:
        shape = [sizes[letter] for letter in term.replace("...", "b")]
        if r.maybe(0.06):
            shape[r.randrange(len(shape))] += 1
        operands.append(r.tensor(tuple(shape)))
    return [equation, *operands], {}


# Functions on images


@calls("torch.nn.functional.pad")
def _(r):
    x = r.tensor()
    return [
        x,
        [r.randint(-1, 2) for _ in range(2 * r.randint(0, x.real.dim() + (1 if r.maybe(0.1) else 0)))],
    ], {}


@calls("torch.nn.functional.interpolate")
def _(r):
    rank = r.randint(3, 5) if r.maybe(0.9) else 2
    x = r.tensor(tuple(r.randint(1, 4) for _ in range(rank)))
    if r.maybe(0.5):
        return [x], {
            "size": r.randint(1, 5) if r.maybe(0.5) else tuple(r.randint(1, 5) for _ in range(rank - 2))
        }
    return [x], {"scale_factor": r.choice((2, 1.5, 0.5, 2.0, 3))}


for _path in ("torch.nn.functional.interpolate",):
    CALLS[_path][1]["lenient"] = True


@calls("torch.nn.functional.unfold", lenient=True)
def _(r):
    x = r.tensor(tuple(r.randint(1, 6) for _ in range(r.randint(3, 4))))
    return [x, r.randint(1, 3)], {
        "stride": r.randint(1, 2),
        "padding": r.randint(0, 1),
        "dilation": r.randint(1, 2),
    }


@calls("torch.nn.functional.fold", lenient=True)
def _(r):
    return [r.tensor((2, 8, r.choice((4, 9, 5)))), 4], {"kernel_size": 2, "stride": r.choice((1, 2))}


@calls("torch.nn.functional.normalize")
def _(r):
    x = r.tensor(r.shape(1, 3))
    return [x], {"dim": r.axis(x.real.dim())}


@calls("torch.nn.functional.glu")
def _(r):
    x = r.tensor(r.shape(1, 3))
    return [x], {"dim": r.axis(x.real.dim())}


@calls("torch.nn.functional.scaled_dot_product_attention", lenient=True)
def _(r):
    batch = r.shape(0, 2)
    l, s, e, v = r.randint(1, 4), r.randint(1, 4), r.randint(1, 4), r.randint(1, 4)
    mask = {"attn_mask": r.tensor(r.stretched((l, s)), torch.bool)} if r.maybe(0.3) else {}
    key = (s, e + r.maybe(0.05))
    return [r.tensor((*batch, l, e)), r.tensor((*batch, *key)), r.tensor((*batch, s, v))], mask


@calls("torch.cdist")
def _(r):
    batch = r.shape(0, 1)
    d = r.size()
    return [r.tensor((*batch, 3, d)), r.tensor((*r.stretched(batch), 2, d))], {}


# New tensors


@calls("torch.zeros", "torch.ones", "torch.empty", "torch.rand", "torch.randn")
def _(r):
    shape = r.shape() if r.maybe(0.95) else (2, -1)
    named = {"dtype": torch.float64} if r.maybe(0.3) else {}
    return ([shape], named) if r.maybe(0.5) or not shape else ([*shape], named)


@calls("torch.full")
def _(r):
    return [r.shape(), r.choice((1, 2.5, True, 1j))], {}


@calls("torch.zeros_like", "torch.ones_like", "torch.empty_like", "torch.rand_like", "torch.randn_like")
def _(r):
    return [r.tensor()], {"dtype": torch.float64} if r.maybe(0.3) else {}


@calls("torch.arange", lenient=True)
def _(r):
    numbers = [r.randint(-3, 5), r.randint(3, 12), r.choice((1, 2, 3))][: r.randint(1, 3)]
    if len(numbers) == 1:
        numbers = [abs(numbers[0])]
    return [float(n) if r.maybe(0.1) else n for n in numbers], {}


@calls("torch.linspace", "torch.logspace")
def _(r):
    return [0, 1.5, r.randint(0, 5)], {}


@calls("torch.eye")
def _(r):
    return [r.randint(0, 3) for _ in range(r.randint(1, 2))], {}


@calls("torch.randint")
def _(r):
    return ([5, r.shape()], {}) if r.maybe(0.5) else ([0, 5, r.shape()], {})


@calls("torch.randperm")
def _(r):
    return [r.randint(0, 5)], {}


@calls("torch.tensor", "torch.as_tensor", lenient=True)
def _(r):
    def nested(depth):
        if depth == 0:
            return r.choice((1, 2.0, True)) if r.maybe(0.2) else 1
        return [nested(depth - 1) for _ in range(2)]

    return [nested(r.randint(0, 3))], {}


@calls("Tensor.new_zeros", "Tensor.new_ones", "Tensor.new_empty")
def _(r):
    return [r.tensor(), r.shape()], {}


# Conversions


@calls("Tensor.to")
def _(r):
    options = (torch.float64, torch.float32, "cpu", "meta", torch.device("meta"), r.tensor(dtype=torch.int64))
    return [r.tensor(), r.choice(options)], {"copy": True} if r.maybe(0.1) else {}


@calls(
    "Tensor.float",
    "Tensor.double",
    "Tensor.half",
    "Tensor.bfloat16",
    "Tensor.int",
    "Tensor.long",
    "Tensor.bool",
    "Tensor.cpu",
)
def _(r):
    return [r.tensor(dtype=None)], {}


@calls("Tensor.contiguous.format", "Tensor.clone.format")
def _(r):
    form = r.choice((torch.contiguous_format, torch.channels_last))
    return [r.tensor(tuple(r.randint(1, 3) for _ in range(4)))], {"memory_format": form}


for path in [p for p in CALLS if p.endswith((".dim", ".at", ".dims", ".all", ".other", ".format", ".no"))]:
    home = path.rpartition(".")[0]
    if path.endswith(".no"):
        CALLS.pop(path)
for path in (*both("mode"), *(f"{p}.all" for p in both("mode"))):
    CALLS[path] = CALLS[path][0], {"partial": False, "lenient": True, "symbols": True}
PATHS = sorted(CALLS)


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=25, derandomize=True, deadline=None, database=None)
@given(seed=st.integers(0, 2**32))
def test_a_row_agrees_with_torch(path, seed):
    draw, how = CALLS[path]
    arguments, named = draw(Draw(seed))
    spelling = (
        path
        if path.count(".") == 1 or path.startswith(("torch.nn", "torch.linalg"))
        else path.rpartition(".")[0]
    )
    judge(spelling, *arguments, **how, **named)
