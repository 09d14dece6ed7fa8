import torch


@torch.compile(backend="eager")
def weighted(rows):
    total = torch.zeros(rows.shape[1])
    for place, row in enumerate(rows):
        total = total + row * (place + 1)
    return total


if __name__ == "__main__":
    weighted(torch.randn(4, 3))
