import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(3, 3)

    def forward(self, x):
        y = self.line(x)
        if y.mean() > 0:
            y = -y
        return y


if __name__ == "__main__":
    net = Net()
    net.compile(backend="eager")
    net(torch.randn(2, 3))
