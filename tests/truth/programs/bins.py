import torch


@torch.compile(backend="eager")
def histogram(labels):
    counts = torch.bincount(labels)
    return counts / counts.sum()


if __name__ == "__main__":
    histogram(torch.tensor([0, 1, 1, 3]))
