"""How to call what makes new tensors."""

import torch

from tests.ops.calls import calls


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
