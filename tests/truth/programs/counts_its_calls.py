import torch
from torch import nn


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(4, 4)
        self.register_buffer("calls", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.calls += 1
        return self.line(x)


if __name__ == "__main__":
    torch.compile(Counted(), backend="eager")(torch.randn(2, 4))
