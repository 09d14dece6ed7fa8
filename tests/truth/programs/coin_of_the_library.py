import random

import torch
from torch import nn


class SkipLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        for block in self.blocks:
            if random.random() < 0.5:
                x = block(x)
        return x


if __name__ == "__main__":
    torch.compile(SkipLayers(), backend="eager")(torch.randn(2, 4))
