import torch
from torch import nn

line = nn.Linear(3, 1)
optimizer = torch.optim.SGD(line.parameters(), lr=0.1)


@torch.compile(backend="eager")
def update():
    optimizer.step()
    return line.weight.norm()


if __name__ == "__main__":
    line(torch.randn(4, 3)).mean().backward()
    update()
