import numpy as np
import torch


@torch.compile(backend="eager")
def centred(table):
    array = table.numpy()
    return torch.from_numpy(array - np.mean(array, axis=0))


if __name__ == "__main__":
    centred(torch.randn(4, 3))
