import torch
from torch import nn


@torch.compile(backend="eager")
def scaled(x):
    scale = nn.Parameter(torch.ones(3))
    return x * scale


if __name__ == "__main__":
    scaled(torch.randn(2, 3))
