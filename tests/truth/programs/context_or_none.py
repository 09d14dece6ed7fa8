import contextlib

import torch
from torch import nn


class Frozen(nn.Module):
    def __init__(self, train_body):
        super().__init__()
        self.train_body = train_body
        self.body, self.head = nn.Linear(4, 4), nn.Linear(4, 2)

    def forward(self, x):
        with contextlib.nullcontext() if self.train_body else torch.no_grad():
            features = self.body(x)
        return self.head(features)


if __name__ == "__main__":
    torch.compile(Frozen(False), backend="eager")(torch.randn(2, 4))
