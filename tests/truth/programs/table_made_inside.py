import torch


@torch.compile(backend="eager")
def weighted(values):
    weights = torch.tensor([0.1, 0.2, 0.7])
    return (values * weights).sum(-1)


if __name__ == "__main__":
    weighted(torch.randn(2, 3))
