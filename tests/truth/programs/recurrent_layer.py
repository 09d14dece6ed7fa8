import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 6, batch_first=True)
        self.out = nn.Linear(6, 2)

    def forward(self, x):
        states, _ = self.rnn(x)
        return self.out(states[:, -1])


if __name__ == "__main__":
    torch.compile(Reader(), backend="eager")(torch.randn(2, 5, 4))
