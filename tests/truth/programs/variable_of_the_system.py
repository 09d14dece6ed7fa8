import os

import torch


@torch.compile(backend="eager")
def scaled(x):
    if os.environ.get("HALF_SCALE"):
        return x / 2
    return x * 3


if __name__ == "__main__":
    scaled(torch.randn(3))
