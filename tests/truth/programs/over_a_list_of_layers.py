import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))

    def forward(self, x):
        for number, block in enumerate(self.blocks):
            x = x + block(x) / (number + 1)
        return x


if __name__ == "__main__":
    torch.compile(Tower(6, 3), backend="eager")(torch.randn(2, 6))
