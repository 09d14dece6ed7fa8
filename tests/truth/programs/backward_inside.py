import torch
from torch import nn

line = nn.Linear(3, 1)


@torch.compile(backend="eager")
def step(rows):
    loss = line(rows).pow(2).mean()
    loss.backward()
    return loss.detach()


if __name__ == "__main__":
    step(torch.randn(4, 3))
