import torch
from torch import nn
from torch.nn import functional as F


class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(4, 2)
        self.seen = []

    def forward(self, rows, targets):
        loss = F.cross_entropy(self.line(rows), targets)
        self.seen.append(loss.item())
        return loss


if __name__ == "__main__":
    probe = torch.compile(Probe(), backend="eager")
    probe(torch.randn(5, 4), torch.tensor([0, 1, 1, 0, 1]))
