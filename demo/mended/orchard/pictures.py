"""Pictures of fruit, drawn with torch: coloured ellipses at random places, with leaves, shadows and noise."""

import math

import torch
from torch.utils.data import DataLoader, Dataset

SIZE = 32
FRUIT = ("apple", "banana", "lemon", "plum")

# Red, green and blue of the skin, then how long the fruit is against its width.
SKIN = torch.tensor([[0.80, 0.15, 0.10], [0.90, 0.80, 0.20], [0.95, 0.85, 0.25], [0.45, 0.15, 0.50]])
STRETCH = torch.tensor([1.0, 2.6, 1.5, 1.2])


def draw(labels, generator):
    """Pictures (n, 3, SIZE, SIZE) with values around 0 to 1, one for each label."""
    count = len(labels)
    axis = torch.linspace(-1, 1, SIZE)
    down, across = torch.meshgrid(axis, axis, indexing="ij")

    centre = 0.3 * torch.randn(count, 2, 1, 1, generator=generator)
    angle = math.pi * torch.rand(count, 1, 1, generator=generator)
    radius = 0.25 + 0.15 * torch.rand(count, 1, 1, generator=generator)
    y, x = down - centre[:, 0], across - centre[:, 1]
    along = (x * angle.cos() + y * angle.sin()) / STRETCH[labels].view(count, 1, 1)
    aside = y * angle.cos() - x * angle.sin()
    distance = (along**2 + aside**2).sqrt() / radius

    shape = torch.sigmoid(12 * (1 - distance)).unsqueeze(1)
    skin = SKIN[labels].view(count, 3, 1, 1) * (1.1 - 0.3 * distance.clamp(max=1)).unsqueeze(1)
    ground = 0.2 + 0.4 * torch.rand(count, 1, 1, 1, generator=generator)
    pictures = shape * skin + (1 - shape) * ground
    return pictures + 0.1 * torch.randn(count, 3, SIZE, SIZE, generator=generator)


class Basket(Dataset):
    """A fixed number of random fruit, the same for the same seed."""

    def __init__(self, count, seed):
        generator = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(len(FRUIT), (count,), generator=generator)
        self.pictures = draw(self.labels, generator)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.pictures[index], self.labels[index]


def loaders(train_count=1024, valid_count=256, batch_size=64):
    train = DataLoader(Basket(train_count, seed=1), batch_size=batch_size, shuffle=True, drop_last=True)
    valid = DataLoader(Basket(valid_count, seed=2), batch_size=batch_size)
    return train, valid
