import torch
from torch import nn


class SkipBranch(nn.Module):
    def __init__(self):
        super().__init__()
        self.branch = nn.Linear(4, 4)

    def forward(self, x):
        if torch.rand(1) < 0.3:
            return x
        return x + self.branch(x)


if __name__ == "__main__":
    torch.manual_seed(1)
    torch.compile(SkipBranch(), backend="eager")(torch.randn(2, 4))
