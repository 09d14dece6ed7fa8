import torch


@torch.compile(backend="eager")
def penalty(x):
    x = x.detach()
    x.requires_grad_()
    return (x**2).sum()


if __name__ == "__main__":
    penalty(torch.randn(3))
