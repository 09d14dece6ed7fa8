import io

import torch


@torch.compile(backend="eager")
def keep(values):
    doubled = values * 2
    torch.save(doubled, io.BytesIO())
    return doubled + 1


if __name__ == "__main__":
    keep(torch.randn(3))
