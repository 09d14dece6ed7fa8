import torch


@torch.compile(backend="eager")
def spread(values, counts):
    return torch.repeat_interleave(values, counts) * 2


if __name__ == "__main__":
    spread(torch.randn(3), torch.tensor([1, 2, 1]))
