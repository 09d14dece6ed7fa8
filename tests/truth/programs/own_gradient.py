import torch
from torch import nn


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        return -ctx.strength * gradient, None


class Adversary(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(4, 2)

    def forward(self, x):
        return self.line(Reversed.apply(x, 0.5))


if __name__ == "__main__":
    torch.compile(Adversary(), backend="eager")(torch.randn(2, 4, requires_grad=True))
