import torch
from torch import nn


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(4, 4)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.line(x)
        return y.float()


if __name__ == "__main__":
    torch.compile(Mixed(), backend="eager")(torch.randn(2, 4))
