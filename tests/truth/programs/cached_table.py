import functools

import torch


@functools.lru_cache
def frequencies(width):
    return 10_000 ** (-torch.arange(0, width, 2) / width)


@torch.compile(backend="eager")
def positions(tokens):
    angles = torch.arange(tokens.shape[0])[:, None] * frequencies(tokens.shape[1])
    return tokens + torch.cat([angles.sin(), angles.cos()], 1)


if __name__ == "__main__":
    positions(torch.randn(5, 8))
