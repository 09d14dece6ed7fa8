import torch
from torch import nn


class Stem(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, images):
        features = self.conv(images)
        print("stem", features.shape)
        return features.relu()


if __name__ == "__main__":
    stem = torch.compile(Stem(), backend="eager")
    stem(torch.randn(2, 3, 8, 8))
