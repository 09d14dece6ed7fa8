"""python -m orchard.evaluate baseline.pt"""

import sys

import torch
from torch.nn import functional as F

from orchard.networks import Baseline
from orchard.pictures import FRUIT, loaders


@torch.no_grad()
def accuracy(model, loader):
    """Share of right answers. The mode of the model is up to the caller."""
    right = 0
    for pictures, labels in loader:
        right += (model(pictures).argmax(dim=1) == labels).sum().item()
    return right / len(loader.dataset)


@torch.no_grad()
def confusion(model, loader):
    """How often each fruit (rows) was taken for each other (columns)."""
    counts = torch.zeros(len(FRUIT), len(FRUIT), dtype=torch.long)
    model.eval()
    for pictures, labels in loader:
        guesses = model(pictures).argmax(dim=1)
        for label, guess in zip(labels.tolist(), guesses.tolist()):
            counts[label, guess] += 1
    return counts


@torch.no_grad()
def hardest(model, loader, count=5):
    """The pictures that the model is most wrong about, as (loss, number in the data set)."""
    ranked, number = [], 0
    model.eval()
    for pictures, labels in loader:
        losses = F.cross_entropy(model(pictures), labels, reduction="none")
        for loss in losses.tolist():
            ranked.append((loss, number))
            number += 1
    return sorted(ranked, reverse=True)[:count]


def main():
    model = Baseline()
    model.load_state_dict(torch.load(sys.argv[1]))
    _, valid_loader = loaders()
    table = confusion(model, valid_loader)
    for name, row in zip(FRUIT, table.tolist()):
        print(f"{name:>8}", *(f"{n:4d}" for n in row))
    for loss, number in hardest(model, valid_loader):
        print(f"picture {number}: loss {loss:.2f}")


if __name__ == "__main__":
    main()
