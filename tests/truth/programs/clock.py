import time

import torch
from torch import nn


class Timed(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(4, 4)

    def forward(self, x):
        start = time.perf_counter()
        y = self.line(x)
        self.seconds = time.perf_counter() - start
        return y


if __name__ == "__main__":
    torch.compile(Timed(), backend="eager")(torch.randn(2, 4))
