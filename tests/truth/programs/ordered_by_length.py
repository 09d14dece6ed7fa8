import torch


@torch.compile(backend="eager")
def ordered(pieces):
    return torch.cat(sorted(pieces, key=len, reverse=True))


if __name__ == "__main__":
    ordered([torch.randn(2), torch.randn(5), torch.randn(3)])
