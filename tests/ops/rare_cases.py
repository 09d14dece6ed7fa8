"""How to call operators that few programs use."""

import torch

from tests.ops.calls import both, calls


@calls(*both("inner"))
def _(r):
    k = r.size()
    return [r.tensor((*r.shape(0, 2), k)), r.tensor((*r.shape(0, 2), k + r.maybe(0.05)))], {}


@calls(*both("rot90"), lenient=True)
def _(r):
    x = r.tensor(r.shape(2, 3))
    return [x, r.randint(-2, 3), tuple(r.sample(range(x.real.dim()), 2))], {}


@calls(*both("diag_embed", "diagflat"))
def _(r):
    return [r.tensor(r.shape(1, 2)), r.randint(-2, 2)], {}


@calls(*both("heaviside"), lenient=True)
def _(r):
    shape = r.shape()
    return [r.tensor(shape), r.tensor(r.stretched(shape))], {}


@calls(*both("ldexp"), partial=True)
def _(r):
    shape = r.shape()
    return [
        r.tensor(shape, r.dtype()),
        r.tensor(r.stretched(shape), r.choice((torch.int64, torch.float32))),
    ], {}


@calls(*both("cov", "corrcoef"), partial=True, lenient=True)
def _(r):
    return [r.tensor(tuple(r.randint(1, 3) for _ in range(r.randint(0, 2))))], {}


@calls(*both("frexp", "positive"), lenient=True)
def _(r):
    return [r.tensor()], {}


@calls("Tensor.t_", "Tensor.squeeze_")
def _(r):
    return [r.tensor()], {}


@calls("Tensor.transpose_", "Tensor.swapaxes_")
def _(r):
    x = r.tensor()
    return [x, r.axis(x.real.dim()), r.axis(x.real.dim())], {}


@calls("Tensor.unsqueeze_")
def _(r):
    x = r.tensor()
    return [x, r.axis(x.real.dim() + 1)], {}
