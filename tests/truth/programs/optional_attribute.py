import torch
from torch import nn


class MaybeScaled(nn.Module):
    def __init__(self, scale=None):
        super().__init__()
        self.line = nn.Linear(3, 3)
        if scale is not None:
            self.scale = scale

    def forward(self, x):
        y = self.line(x)
        return y * self.scale if hasattr(self, "scale") else y


if __name__ == "__main__":
    torch.compile(MaybeScaled(2.0), backend="eager")(torch.randn(2, 3))
