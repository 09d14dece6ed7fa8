import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)

    def body(self, x):
        return self.second(self.first(x).relu())

    def forward(self, x):
        return x + checkpoint(self.body, x, use_reentrant=False)


if __name__ == "__main__":
    torch.compile(Deep(), backend="eager")(torch.randn(2, 4))
