"""Three networks, the plainest first. All take pictures (batch, 3, 32, 32) and score each kind of fruit."""

import torch
from torch import nn

from orchard.layers import ConvBlock, PatchAttention, SpatialGate
from orchard.pictures import FRUIT, SIZE


class Baseline(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.features = nn.Sequential(
            ConvBlock(3, width), ConvBlock(width, 2 * width), nn.AdaptiveAvgPool2d(1)
        )
        self.dropout = nn.Dropout(0.3)
        self.head = nn.Linear(2 * width, len(FRUIT))

    def forward(self, pictures):
        features = self.features(pictures).flatten(1)
        return self.head(self.dropout(features))


class GatedNet(nn.Module):
    """Three blocks and a gate; a grid of 2 x 2 is left of each picture, so that the place still counts."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(ConvBlock(3, 16), ConvBlock(16, 32), ConvBlock(32, 64))
        self.gate = SpatialGate(64)
        self.pool = nn.AdaptiveAvgPool2d(2)
        self.head = nn.Linear(64 * 2 * 2, len(FRUIT))

    def forward(self, pictures):
        features = self.gate(self.features(pictures))
        flat = self.pool(features).flatten(1)
        return self.head(flat)


class FruitFormer(nn.Module):
    def __init__(self, dim=48, heads=4, patch=8, depth=2):
        super().__init__()
        self.patches = nn.Conv2d(3, dim, patch, stride=patch)
        self.places = nn.Parameter(torch.empty((SIZE // patch) ** 2, dim))
        with torch.no_grad():
            self.places.normal_(std=0.02)
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.attention = nn.ModuleList(PatchAttention(dim, heads) for _ in range(depth))
        self.head = nn.Linear(dim, len(FRUIT))

    def forward(self, pictures):
        tokens = self.patches(pictures).flatten(2).transpose(1, 2) + self.places
        for norm, attend in zip(self.norms, self.attention):
            tokens = tokens + attend(norm(tokens))
        return self.head(tokens.mean(dim=1))


NETWORKS = {"baseline": Baseline, "gated": GatedNet, "former": FruitFormer}
