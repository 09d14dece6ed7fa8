import torch


@torch.compile(backend="eager")
def noisy(x):
    torch.manual_seed(0)
    return x + torch.randn_like(x)


if __name__ == "__main__":
    noisy(torch.randn(3))
