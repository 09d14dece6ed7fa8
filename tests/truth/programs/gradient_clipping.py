import torch
from torch import nn

line = nn.Linear(3, 1)


@torch.compile(backend="eager")
def clip():
    return nn.utils.clip_grad_norm_(line.parameters(), 1.0)


if __name__ == "__main__":
    line(torch.randn(4, 3)).mean().backward()
    clip()
