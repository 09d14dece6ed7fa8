import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.attend = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        y = self.norm(x)
        mixed, _ = self.attend(y, y, y, need_weights=False)
        return x + mixed


if __name__ == "__main__":
    torch.compile(Block(), backend="eager")(torch.randn(2, 5, 8))
