import numpy as np
import torch


@torch.compile(backend="eager")
def smooth(signal):
    padded = np.pad(signal.numpy(), 1)
    return torch.from_numpy((padded[:-2] + padded[1:-1] + padded[2:]) / 3)


if __name__ == "__main__":
    smooth(torch.arange(6.0))
