import torch
from torch import nn


class Tasks(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({"age": nn.Linear(8, 1), "mood": nn.Linear(8, 5)})

    def forward(self, x):
        return {name: head(x) for name, head in self.heads.items()}


if __name__ == "__main__":
    torch.compile(Tasks(), backend="eager")(torch.randn(3, 8))
