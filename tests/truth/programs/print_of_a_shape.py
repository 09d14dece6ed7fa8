import torch
from torch import nn


class Stem(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.lift = nn.Conv2d(3, channels, 3, padding=1)

    def forward(self, pictures):
        lifted = self.lift(pictures)
        print("stem", lifted.shape)
        return lifted.relu()


if __name__ == "__main__":
    torch.compile(Stem(), backend="eager")(torch.randn(2, 3, 8, 8))
