"""The parts that the networks are put together from."""

import torch
from torch import nn


class ConvBlock(nn.Sequential):
    """Halves the height and width."""

    def __init__(self, channels_in, channels_out):
        super().__init__(
            nn.Conv2d(channels_in, channels_out, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels_out),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )


class SpatialGate(nn.Module):
    """Lets the network look away from the background: a weight for each place, at first 1 on average."""

    def __init__(self, channels):
        super().__init__()
        self.score = nn.Conv2d(channels, 1, 3, padding=1)

    def forward(self, features):
        gate = torch.sigmoid(self.score(features))
        gate *= 2  # fault: inplace-breaks-backward
        return features * gate


class PatchAttention(nn.Module):
    """Every patch looks at all the others; tokens are (batch, patches, dim)."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.queries = nn.Linear(dim, dim)
        self.keys = nn.Linear(dim, dim)
        self.values = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, tokens):
        batch, patches, dim = tokens.shape
        split = (batch, patches, self.heads, dim // self.heads)
        queries = self.queries(tokens).view(split).transpose(1, 2)
        keys = self.keys(tokens).view(split).transpose(1, 2)
        values = self.values(tokens).view(split).transpose(1, 2)

        scores = queries @ keys.transpose(-2, -1) * self.scale
        seen = scores.softmax(dim=-1) @ values
        return self.out(seen.transpose(1, 2).view(batch, patches, dim))  # fault: view-on-non-contiguous
