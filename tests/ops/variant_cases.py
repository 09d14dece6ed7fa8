"""How to call operators that are others in a special form."""

from itertools import pairwise

import torch

from tests.ops.calls import both, calls


@calls(*both("hsplit", "vsplit", "dsplit"))
def _(r):
    x = r.tensor(r.shape(0, 3))
    return [x, r.randint(1, 3) if r.maybe(0.6) else (1, 2)], {}


@calls(*both("unsafe_chunk"), symbols=False)
def _(r):
    x = r.tensor(r.shape(1, 3))
    return [x, r.randint(1, 3)], {"dim": r.axis(x.real.dim())}


@calls("torch.transpose_copy", "torch.diagonal_copy", lenient=True)
def _(r):
    x = r.tensor(r.shape(2, 3))
    return [x, 0, 1], {}


@calls("torch.squeeze_copy", "torch.t_copy", "torch.unbind_copy", lenient=True)
def _(r):
    return [r.tensor(r.shape(1, 2))], {}


@calls("torch.linalg.multi_dot")
def _(r):
    sizes = [r.choice((2, 3, 5)) for _ in range(4)]
    parts = [r.tensor((a, b)) for a, b in pairwise(sizes)]
    if r.maybe(0.1):
        parts[1] = r.tensor((7, 2))
    return [parts], {}


@calls("torch.linalg.solve_triangular", lenient=True)
def _(r):
    a = r.tensor((*r.shape(0, 1), 3, 3))
    return [a, r.tensor((*r.stretched(a.real.shape[:-2]), 3, 2))], {"upper": True}


@calls("torch.empty_strided")
def _(r):
    shape = r.shape(1, 3)
    return [shape, tuple(r.randint(0, 9) for _ in shape)], {}


@calls("torch.special.legendre_polynomial_p", "torch.special.chebyshev_polynomial_t", lenient=True)
def _(r):
    shape = r.shape()
    return [
        r.tensor(shape, r.choice((torch.float32, torch.int64))),
        2 if r.maybe(0.5) else r.tensor(r.stretched(shape)),
    ], {}
