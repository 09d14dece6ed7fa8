import torch
from torch import nn


class Guarded(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.line = nn.Linear(width, 2)

    def forward(self, x):
        if x.shape[-1] != self.width:
            raise ValueError(f"{self.width} features are needed, not {x.shape[-1]}")
        return self.line(x)


if __name__ == "__main__":
    torch.compile(Guarded(5), backend="eager")(torch.randn(3, 5))
