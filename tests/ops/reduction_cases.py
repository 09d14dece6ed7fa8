"""How to call reductions, and operators along an axis."""

from typing import Any

import torch

from tests.ops.calls import both, calls


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


@calls(*both("kthvalue"), lenient=True)
def _(r):
    x = r.tensor(r.shape(1, 3))
    return [x, 1], {"dim": r.axis(x.real.dim())}


@calls(*both("mode"), lenient=True)
def _(r):
    x = r.tensor(dtype=None)
    return [x], {"dim": r.axis(x.real.dim())} if r.maybe(0.7) else {}


CALLS_WITH_DIM = both("prod", "argmax", "argmin", "max", "min", "median", "nanmedian", "cumsum", "cumprod")


@calls(*CALLS_WITH_DIM, *both("logcumsumexp", "sort", "argsort", "softmax", "log_softmax"))
def _(r):
    x = r.tensor(dtype=None)
    return [x], {"dim": r.axis(x.real.dim())}


@calls(*[f"{path} all" for path in both("prod", "argmax", "argmin", "max", "min", "median", "nanmedian")])
def _(r):
    return [r.tensor(dtype=None)], {}


@calls(*[f"{path} other" for path in both("max", "min")])
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
