import torch
from torch import nn


class SkipBranch(nn.Module):
    def __init__(self):
        super().__init__()
        self.branch = nn.Linear(4, 4)

    def forward(self, x):
        gate = torch.bernoulli(torch.full((x.shape[0], 1), 0.7))
        return x + gate * self.branch(x)


if __name__ == "__main__":
    torch.compile(SkipBranch(), backend="eager")(torch.randn(2, 4))
